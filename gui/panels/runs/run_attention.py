"""One head of the chosen runs side by side, for a sentence that they all follow, drawn from their probes of a step."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout

from core.history import History
from gui.heads.head_picture import chosen_picture
from gui.panel import Table
from gui.panels.attention.attention_map import MapCanvas
from gui.panels.runs.comparison_panel import ComparisonPanel
from gui.runs.comparison import ComparedRun
from gui.sentences.selection import KIND_TITLES, POOLED_TITLES, Selection
from gui.sentences.shown_sentence import NothingShown, Shown, ShownSentence
from gui.theme import GRID, Theme
from gui.widgets.combo_boxes import SentenceCombo, set_items
from gui.widgets.dynamic_labels import ElidedLabel, StableHeightLabel
from gui.widgets.labels import plain_label

MOST_RUNS = 4  # side by side: more would be too small to read
_NO_MAP = "Kind, layer and head are chosen here, as soon as there is a map below."
_NOTHING_IN_COMMON = "These runs have no sentence in common: their data differ. Choose runs of the same dataset."


class RunAttention(ComparisonPanel):
    """Draws the selected kind, layer and head; in a run with fewer layers or heads the choice wraps around."""

    title = "Attention of the chosen runs"
    empty_sentence = "Choose a run above, or several (Ctrl+click, or Shift+arrow key): a head of each is shown here."

    def __init__(self, theme: Theme, selection: Selection) -> None:
        super().__init__(theme)
        self._selection = selection
        self.sentence_combo = SentenceCombo()
        self.sentence_combo.setAccessibleName("Sentence that the runs follow")
        self.sentence_combo.setToolTip("A sentence that all of these runs follow")
        self.sentence_combo.setAccessibleDescription(self.sentence_combo.toolTip())
        self.sentence_combo.activated.connect(self._choose)
        self.header.addWidget(self.sentence_combo)
        self._grid = QGridLayout()  # so that maps beside each other are equally high, whatever is written below them
        self._grid.setHorizontalSpacing(GRID)
        self._grid.setVerticalSpacing(GRID // 2)
        self._grid.setRowStretch(_Column.MAP_ROW, 1)
        self.body.addLayout(self._grid)
        self.columns = [_Column(theme, self._grid, number) for number in range(MOST_RUNS)]

    def deepest_sentence(self, history: History, step: int) -> Shown:
        """The sentence of the run with the most layers, then heads: the head chooser offers these."""
        if self.comparison is None or not (common := common_sentences(self._runs)):
            return NothingShown(_NO_MAP)  # the map's own panel says why
        source = common[self._selection.sentence_index(common)]
        shown = [_shown(run, source) for run in self._runs if run.probe is not None]
        return max(shown, key=lambda one: self._selection.attention_of(one.sentence).shape[:2])

    def show_step(self, history: History, step: int) -> None:
        """Draw the probes of the step chosen for the comparison; the step that the window views makes no difference."""
        common = common_sentences(self._runs) if self.comparison is not None else []
        self.sentence_combo.setVisible(bool(common))
        if not common:
            self.show_empty(self._why_nothing())
            return
        self.show_body()
        source = common[self._selection.sentence_index(common)]
        set_items(self.sentence_combo, [(sentence, None) for sentence in common])
        self.sentence_combo.setCurrentText(source)
        kind = KIND_TITLES[self._selection.chosen.kind].capitalize()
        self.set_title(f"{kind}-attention{self._step_text()}{self._others_text()}")
        for number, column in enumerate(self.columns):
            self._grid.setColumnStretch(number, int(number < len(self._runs)))
            column.set_visible(number < len(self._runs))
            if number < len(self._runs):
                column.show_run(self._runs[number], source, self._selection)

    def numbers(self) -> Table:
        """A line for each weight of each run."""
        lines = [
            (run.name, *column.drawn, reader, read, float(weight))
            for run, column in zip(self._runs, self.columns, strict=False)
            if (picture := column.canvas.picture) is not None
            for reader, weights in zip(picture.rows, picture.weights, strict=True)
            for read, weight in zip(picture.columns, weights, strict=True)
        ]
        return [("run", "step", "kind", "layer", "head", "row", "reads from", "weight"), *lines]

    @property
    def _runs(self) -> tuple[ComparedRun, ...]:
        return self.comparison.runs[:MOST_RUNS] if self.comparison is not None else ()

    def _why_nothing(self) -> str:
        is_any = any(run.probe is not None for run in self._runs)
        return self.why_nothing("probed", is_any, _NOTHING_IN_COMMON)

    def _step_text(self) -> str:
        if len(self._runs) == 1:
            return ""  # its step is shown above the map
        if self.comparison is not None and self.comparison.chosen_step == "newest":
            return " with each run's newest weights"
        step = next(run.probe.step for run in self._runs if run.probe is not None)
        return f" at step {step:,}"

    def _others_text(self) -> str:
        """The end of the title if not all runs are shown."""
        count = len(self.comparison.runs) if self.comparison is not None else 0
        return f", the first {MOST_RUNS} of {count} runs" if count > MOST_RUNS else ""

    def _choose(self, index: int) -> None:
        self._selection.choose(sentence=self.sentence_combo.itemText(index))


class _Column:
    """One run: its letter, name, step and head above its map."""

    MAP_ROW = 2  # of the grid

    def __init__(self, theme: Theme, grid: QGridLayout, number: int) -> None:
        self.title_label = ElidedLabel(role="title")
        self.head_label = plain_label(role="muted")
        self.drawn: tuple[object, ...] = ()  # step, kind, layer and head
        self.output_label = plain_label(role="muted", wraps=True)
        self.output_label.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._below = StableHeightLabel(self.output_label)  # else a short readout would move the map under the mouse
        self.canvas = MapCanvas(theme)
        self.canvas.pointed.connect(self._show_readout)
        self._output = ""
        self._parts = (self.title_label, self.head_label, self.canvas, self._below)
        for row, part in enumerate(self._parts):
            grid.addWidget(part, row, number)
        self.set_visible(False)  # until a run needs it

    def set_visible(self, is_shown: bool) -> None:
        for part in self._parts:
            part.setVisible(is_shown)

    def show_run(self, run: ComparedRun, source: str, selection: Selection) -> None:
        """Show the selected head, and what the run writes for the sentence; or that it was not probed at the step."""
        self.canvas.setAccessibleName(f"Attention map of run {run.letter or run.name}; arrow keys read its weights")
        if run.probe is None:
            self.title_label.setText(run.title)
            self.head_label.setText("")
            self._set_output("This run has no probe at that step: choose another above.")
            self.canvas.picture = None
            self.canvas.update()
            self._show_readout("")
            return
        shown = _shown(run, source)
        self.title_label.setText(f"{run.title} · step {shown.step:,}")
        self._name_head(shown, selection)
        self._set_output(f"writes  {shown.sentence.output}")
        self.canvas.show_picture(chosen_picture(shown, selection), square_root=selection.chosen.square_root)

    def _set_output(self, output: str) -> None:
        """Say from the next readout on what the run writes; another output may need less room."""
        if output != self._output:
            self._output = output
            self._below.release_height()

    def _name_head(self, shown: ShownSentence, selection: Selection) -> None:
        """Name the drawn head, and how many this run has: it may have fewer than the selection needs."""
        kind, layer, head = selection.head_in(shown.sentence)
        num_layers, num_heads = selection.attention_of(shown.sentence).shape[:2]
        pooled = POOLED_TITLES.get(selection.chosen.pooled)
        self.head_label.setText(f"layer {layer + 1} of {num_layers}, {pooled or f'head {head + 1} of {num_heads}'}")
        self.drawn = shown.step, KIND_TITLES[kind], layer + 1, pooled or head + 1

    def _show_readout(self, text: str) -> None:
        """Show what the run writes; below it the weight under the pointer, or else the map's caption."""
        self._below.set_text("\n".join(filter(None, (self._output, text or self.canvas.caption()))))


def common_sentences(runs: tuple[ComparedRun, ...]) -> list[str]:
    """The source sentences that the probes of all probed runs have in common, in the order of the first."""
    probed = [[sentence.source for sentence in run.sentences] for run in runs if run.probe is not None]
    return [source for source in probed[0] if all(source in others for others in probed)] if probed else []


def _shown(run: ComparedRun, source: str) -> ShownSentence:
    assert run.probe is not None
    sentence = next(one for one in run.probe.sentences if one.source == source)
    return ShownSentence(sentence, run.probe.step)
