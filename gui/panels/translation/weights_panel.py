"""The typed sentence translated with two sets of weights: the chosen ones above, others below."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from core.answers.translation import Translation
from core.history import History
from gui.context import Context
from gui.panel import Panel, Table
from gui.panels.translation.track_canvas import TrackCanvas, TrackScrollArea
from gui.runs.other_runs import OtherRun, read_runs_with_weights
from gui.sentences.divergence import NOT_A_NUMBER, has_diverged
from gui.sentences.engine_query import EngineQuery
from gui.sentences.output_position import OutputPosition
from gui.sentences.tracks import (
    Track,
    describe_reference_losses,
    describe_weights_difference,
    track_from_feed,
    tracks_table,
)
from gui.sentences.typed_sentence import TypedSentence, Weights, choice_of, step_of
from gui.sentences.weights_combo import WeightsCombo
from gui.theme import GRID
from gui.widgets.combo_boxes import combo_box, set_items
from gui.widgets.flow_layout import FlowLayout, with_label
from gui.widgets.labels import wrapping_label
from gui.widgets.token_font import TokenFont

_THIS_RUN = "this run"
_BEST: tuple[str, int | None] = ("best", None)
_RUN_HELP = "Which other weights translate it too: this run's, or another run's on the same dataset"
_STEP_HELP = "Which of the other run's weights to use"


class WeightsPanel(Panel):
    """While visible, asks for the second translation whenever the first one changes."""

    title = "Two weights"
    empty_sentence = "The same sentence, translated by other weights, appears here once there is a translation."
    is_picture = True
    redraw_on = ()  # its view marks it when there is a new translation

    def __init__(self, context: Context, typed: TypedSentence, position: OutputPosition) -> None:
        super().__init__(context.theme)
        self._context, self._typed = context, typed
        self.query: EngineQuery[tuple[Translation, ...]] = EngineQuery(context.bridge, self)
        self.weights: Weights = 0  # which of this run's to compare with
        self._runs: list[OtherRun] = []
        self.run: OtherRun | None = None  # the other run; None: this one
        self.run_combo, self.step_combo = combo_box("Other run", _RUN_HELP), combo_box("Other run's step", _STEP_HELP)
        self.weights_combo = WeightsCombo()
        self.verdict_label = wrapping_label("What the comparison shows")
        TokenFont(context.theme, self.verdict_label)
        self.canvas = TrackCanvas(context.theme)
        self.content = self.canvas  # exported whole, even the part scrolled out of view
        self._area = TrackScrollArea(self.canvas, position)
        self._lay_out()
        self.weights_combo.chosen.connect(self._choose)
        self.run_combo.activated.connect(self._choose_run)
        self.step_combo.activated.connect(self.mark_dirty)
        context.bridge.prepared.connect(self._handle_run_changed)

    def showEvent(self, event: QShowEvent) -> None:
        self._read_runs()

    def show_step(self, history: History, step: int) -> None:
        """Draw both translations of one sentence, and ask for the second if it is not the newest answer."""
        self.weights_combo.show_history(history, self.weights)
        self._fill_run_combo()
        translation = self._typed.translation
        if translation is None:
            self.show_empty()
            return
        if why_none := self._why_no_weights(history):
            self.show_empty(why_none)
            return
        self._ask(history)
        other = self.query.answer[0] if self.query.answer is not None else None
        if other is None or (other.source, other.prefix) != (translation.source, translation.prefix):
            self.show_empty(self.query.error or "Translating …")
        else:
            self.show_body()
            self._draw(translation, other)

    def numbers(self) -> Table:
        """A row for each position of each track."""
        return tracks_table(self.canvas.tracks)

    def _why_no_weights(self, history: History) -> str:
        """What to choose instead of a step of this run before the first whose weights it kept; empty if none is."""
        kept = history.kept_steps
        if self.run is not None or not isinstance(self.weights, int) or not kept or kept[0] <= self.weights:
            return ""
        if len(kept) > 1:
            return f"This run kept no weights of step {self.weights:,}: choose another step above."
        alone = f"This run kept only the weights of step {kept[0]:,}"
        if self._runs:
            return f"{alone}: choose another run above, to compare with."
        return f"{alone}. Once another run on this dataset has learned, it can be chosen above."

    def _ask(self, history: History) -> None:
        if self.run is not None:
            self.query.submit(self._typed.request(self.step_combo.currentData(), self.run.path))
            return
        playhead = self._context.playhead
        request = self._typed.request(step_of(self.weights, history, playhead))
        chosen = replace(request, step=None), choice_of(self.weights, playhead)
        newest = history.last_step if request.step is None else None
        self.query.submit(request, moment=(request.step, newest), chosen=chosen)

    def _draw(self, one: Translation, other: Translation) -> None:
        name = "" if self.run is None else "other run, "
        free_running = _free_running_track(one), _free_running_track(other, name)
        teacher_forced = _teacher_forced_track(one), _teacher_forced_track(other, name)
        both_teacher_forced = tuple(track for track in teacher_forced if track is not None)
        if _has_diverged(one) or _has_diverged(other):
            verdict = NOT_A_NUMBER
        else:
            verdict = describe_weights_difference(*free_running)
            if len(both_teacher_forced) == 2:
                verdict += f" {describe_reference_losses(*both_teacher_forced)}"
        self.verdict_label.setText(verdict)
        self.canvas.show_tracks((*free_running, *both_teacher_forced), verdict)
        self._area.show_position()

    def _choose(self, weights: Weights) -> None:
        self.weights = weights
        self.mark_dirty()

    def _choose_run(self, index: int) -> None:
        self.run = self.run_combo.itemData(index)
        self.weights_combo.setVisible(self.run is None)
        self.step_combo.setVisible(self.run is not None)
        if self.run is not None:
            set_items(self.step_combo, [_BEST, *((f"step {step:,}", step) for step in self.run.steps)])
            self.step_combo.setCurrentIndex(0)
        self.query.reset()  # the answer is from other weights than the combo boxes now name
        self.mark_dirty()

    def _read_runs(self) -> None:
        prepared, runs_dir = self._context.bridge.history.prepared, self._context.runs_directory.path
        if prepared is not None:
            plugin = prepared.config.dataset.plugin
            self._context.bridge.run_in_background(
                lambda: read_runs_with_weights(runs_dir, plugin), self._handle_runs_read
            )

    def _handle_runs_read(self, runs: list[OtherRun]) -> None:
        folder = self._context.bridge.history.folder
        self._runs = [run for run in runs if folder is None or run.path != folder.path]
        self._fill_run_combo()
        self.mark_for_next_round()

    def _fill_run_combo(self) -> None:
        """Offer the runs read last, unless the list is open; if the chosen run is gone, go back to this run."""
        set_items(self.run_combo, [(_THIS_RUN, None), *((run.name, run) for run in self._runs)])
        paths = [None, *(self.run_combo.itemData(index).path for index in range(1, self.run_combo.count()))]
        chosen = None if self.run is None else self.run.path
        if chosen in paths:
            self.run_combo.setCurrentIndex(paths.index(chosen))
        else:
            self._choose_run(0)

    def _handle_run_changed(self) -> None:
        """Another run was prepared or opened: compare with its own step 0."""
        self.weights = 0
        self.run_combo.setCurrentIndex(0)
        self._choose_run(0)
        if self.isVisible():
            self._read_runs()

    def _lay_out(self) -> None:
        self.run_combo.addItem(_THIS_RUN)
        self.step_combo.hide()
        self.weights_combo.setAccessibleName("Other weights")
        controls = QWidget()
        self.under_header.addWidget(controls)  # visible even when the panel is empty
        row = FlowLayout(controls, GRID, last_at_right=False)
        row.addWidget(with_label("beside", self.run_combo))
        for combo in (self.weights_combo, self.step_combo):
            row.addWidget(combo)
        self.body.setSpacing(GRID)
        self.body.addWidget(self.verdict_label)
        self.body.addWidget(self._area)
        self.body.addStretch(1)


def _has_diverged(translation: Translation) -> bool:
    assert translation.sentence is not None
    return has_diverged(translation.sentence.free_running)


def _free_running_track(translation: Translation, name: str = "") -> Track:
    assert translation.sentence is not None
    return track_from_feed(f"{name}step {translation.step:,}", translation.sentence.free_running)


def _teacher_forced_track(translation: Translation, name: str = "") -> Track | None:
    assert translation.sentence is not None
    feed = translation.sentence.by_reference
    return None if feed is None else track_from_feed(f"{name}step {translation.step:,}, teacher-forced", feed)
