"""More controls of the Attention view: pooling the heads of a layer, their entropy, and comparisons."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QSizePolicy, QWidget

from core.history import History
from gui.context import Context
from gui.heads.attention_comparison import AttentionComparison, Baseline
from gui.panels.attention.sentence_panel import SentencePanel
from gui.runs.other_runs import OtherRun, read_runs_with_probes
from gui.sentences.selection import Pooled
from gui.sentences.shown_sentence import ShownSentence
from gui.theme import GRID
from gui.widgets.buttons import check_box
from gui.widgets.combo_boxes import combo_box, set_items
from gui.widgets.flow_layout import FlowLayout, with_label

_POOLED: tuple[Pooled, ...] = ("", "mean", "max")
_POOLED_HELP = (
    "One head, or all heads of the layer as one map: the mean of their weights, or the largest of them, cell by cell"
)
_BASELINE_HELP = (
    "Show what is different: the attention at the playhead minus that of another step, or of another run that follows "
    "the same sentence. Heads of runs with different seeds have no common order: compare their mean"
)
_STEP_HELP = "The step whose attention is subtracted"
_ENTROPY_HELP = (
    "Write into each head how widely it looks: the mean entropy of its rows in nats, and as a share of the highest, "
    "which a row has that reads equally from everything it may"
)
_OTHER_STEP, _SAME_STEP = "another step", "the same"
BaselineItem = tuple[str, Baseline | None]  # an item's text, and what choosing it compares with
_NO_BASELINE: BaselineItem = ("nothing", None)


class AttentionExtras(SentencePanel):
    """Sets the selection's pooling and what is compared, and shows what is chosen there."""

    title = "More about attention"
    empty_sentence = "More can be chosen once there is a model."

    def __init__(self, context: Context, comparison: AttentionComparison) -> None:
        super().__init__(context.theme, context.selection)
        self._context, self._comparison = context, comparison
        self._runs: list[OtherRun] = []
        self.pooled_combo = combo_box("Heads", _POOLED_HELP)
        self.pooled_combo.addItems(["one head", "mean of all heads", "maximum of all heads"])
        self.baseline_combo = combo_box("Compare with", _BASELINE_HELP)
        self.step_combo = combo_box("Step to compare with", _STEP_HELP)
        self._labelled_step = with_label("at step", self.step_combo)
        self.entropy_box = check_box("entropy of each head", "Entropy of each head", _ENTROPY_HELP)
        self._lay_out()
        self.pooled_combo.activated.connect(lambda index: self._selection.choose(pooled=_POOLED[index]))
        for combo in (self.baseline_combo, self.step_combo):
            combo.activated.connect(partial(self._handle_baseline_chosen, combo))
        comparison.changed.connect(self.mark_dirty)

    def draw(self, history: History, shown: ShownSentence) -> None:
        """Offer the runs and steps that the sentence can be compared with."""
        self.pooled_combo.setCurrentIndex(_POOLED.index(self._selection.chosen.pooled))
        self._fill_baseline_combo(history, shown.sentence.source)
        self._fill_step_combo(history)

    def showEvent(self, event: QShowEvent) -> None:
        self._context.bridge.run_in_background(
            partial(read_runs_with_probes, self._context.runs_directory.path), self._handle_runs_read
        )

    def _handle_baseline_chosen(self, combo: QComboBox, index: int) -> None:
        self._comparison.compare_with(combo.itemData(index))

    def _handle_runs_read(self, runs: list[OtherRun]) -> None:
        self._runs = runs
        chosen = self._comparison.baseline
        if chosen is not None and chosen.run is not None:  # it may have been renamed, or be gone
            names = {run.path: run.name for run in runs}
            self._comparison.compare_with(replace(chosen, name=names[chosen.run]) if chosen.run in names else None)
        self.mark_dirty()

    def _fill_baseline_combo(self, history: History, source: str) -> None:
        """Offer the runs that follow this sentence, and the one compared with, unless the list is open."""
        own, chosen = history.folder.path if history.folder is not None else None, self._comparison.baseline
        wanted = chosen.run if chosen is not None else None
        runs = [run for run in self._runs if run.path == wanted or (source in run.sources and run.path != own)]
        others = [(run.name, Baseline(run=run.path, name=run.name)) for run in runs]
        set_items(self.baseline_combo, [_NO_BASELINE, (_OTHER_STEP, Baseline(step=history.probes.steps[0])), *others])
        offered = (self.baseline_combo.itemData(index).run for index in range(2, self.baseline_combo.count()))
        indices: dict[Path | None, int] = {path: index for index, path in enumerate(offered, start=2)}
        self.baseline_combo.setCurrentIndex(0 if chosen is None else indices.get(wanted, 1))

    def _fill_step_combo(self, history: History) -> None:
        """Offer the steps of the run compared with; for another run, also "the same" step as the shown one."""
        chosen = self._comparison.baseline
        self._labelled_step.setVisible(chosen is not None)
        if chosen is None:
            return
        steps = {run.path: run.steps for run in self._runs}.get(chosen.run, ()) if chosen.run else history.probes.steps
        same = [(_SAME_STEP, replace(chosen, step=None))] if chosen.run else []
        set_items(self.step_combo, [*same, *((f"{step:,}", replace(chosen, step=step)) for step in steps)])
        self.step_combo.setCurrentText(_SAME_STEP if chosen.step is None else f"{chosen.step:,}")

    def _lay_out(self) -> None:
        self.title_label.hide()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        controls = QWidget()
        self.body.addWidget(controls)
        row = FlowLayout(controls, GRID, last_at_right=False)
        row.addWidget(with_label("show", self.pooled_combo))
        row.addWidget(with_label("compare with", self.baseline_combo))
        row.addWidget(self._labelled_step)
        row.addWidget(self.entropy_box)
