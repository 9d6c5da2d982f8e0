"""The Train view: the sentence, the attention at the viewed step, and the curves on one axis of steps."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QStackedWidget, QWidget

from gui.context import Context
from gui.panels.attention.attention_map import AttentionMap
from gui.panels.attention.head_grid import HeadGrid
from gui.panels.learning.curves import Curves
from gui.panels.translation.sentence_row import SentenceRow
from gui.panels.validation.accuracy_plots import AccuracyPlots
from gui.panels.validation.confusion_map import ConfusionMap
from gui.panels.validation.learned_map import LearnedMap
from gui.runs.rows import EXAMPLE_IS_READ_ONLY
from gui.validation_reader import ValidationReader
from gui.view import View
from gui.widgets.buttons import FoldButton
from gui.widgets.scroll_areas import complete_layouts
from gui.widgets.splitters import splitter
from gui.widgets.tab_order import insert_in_tab_order

_MORE_HELP = "When each token was learned, which symbols are confused, and accuracy by place and length"
MIN_HEIGHT = 328  # pixels at 100 %: the height at which attention and curves can still be read
MIN_HEIGHT_LEARNED = 460  # the same for the panels behind More and the curves
_NOTICE_HEIGHT = 80  # of a notice over the curves
_LEGEND_HEIGHT, _RATE_HEIGHT = 224, 180  # of the map with its readout, of the curves with the learning rate


class TrainView(View):
    """Loss, learning rate and attention at the playhead, live while the model learns."""

    title = "Train"
    icon = "train"
    help = "Watch the model learn"

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.sentence_row = SentenceRow(context.theme, context.selection)
        self.attention_map = AttentionMap(context.theme, context.selection)
        self.head_grid = HeadGrid(context.theme, context.selection, all_kinds=True)
        self.curves = Curves(context.theme, context.playhead, context.replay)
        self.more_button = FoldButton("More", name="More about what was learned", help=_MORE_HELP)
        self.curves.header.insertWidget(self.curves.header.indexOf(self.curves.rewind_button), self.more_button)
        self.pictures = QStackedWidget()  # attention; behind More what was learned, built when first opened
        QWidget.setTabOrder(self.curves.metric_combo, self.more_button)
        self.add_panels(self.sentence_row, self.attention_map, self.head_grid, self.curves)
        self._lay_out()
        self.more_button.toggled.connect(self._show_more)
        self.sentence_row.follow_in(context)
        self.curves.notices.experiment_requested.connect(context.workbench.try_out)
        self.curves.notices.chip.toggled.connect(self._fit_notice)
        context.run_inspector.changed.connect(self._show_noticed)
        context.follower.changed.connect(self._allow_changes)
        context.workbench.changed.connect(self._allow_changes)
        context.bridge.state_changed.connect(self._allow_changes)

    def _lay_out(self) -> None:
        attention = splitter(Qt.Orientation.Horizontal, (self.attention_map, 5), (self.head_grid, 4))
        self.pictures.addWidget(attention)
        self.parts = splitter(Qt.Orientation.Vertical, (self.pictures, 5), (self.curves, 4))
        self._keep_readable()
        # Zoomed, map and loss stay in sight.
        self.attention_map.hide_below_height(self.attention_map.readout, _LEGEND_HEIGHT)
        self.curves.hide_below_height(self.curves.learning_rate, _RATE_HEIGHT)
        column = self.scrolling_column()
        column.addWidget(self.sentence_row)
        column.addWidget(self.parts, 1)

    def _show_more(self, is_more: bool) -> None:
        if self.pictures.count() == 1:
            learned = self._learned()
            self.pictures.addWidget(learned)
            insert_in_tab_order(learned, after=self.head_grid)
        self.pictures.setCurrentIndex(int(is_more))
        self._keep_readable()
        self.context.redraw_scheduler.mark_all()

    def _keep_readable(self) -> None:
        height = MIN_HEIGHT_LEARNED if self.more_button.isChecked() else MIN_HEIGHT
        extra = _NOTICE_HEIGHT if self.curves.notices.chip.isChecked() else 0
        self.keep_min_height(self.parts, height + extra)

    def _fit_notice(self) -> None:
        """Where there is little room, scroll: an open notice takes its height neither from the curves nor the rest."""
        pictures, _ = self.parts.sizes()
        self._keep_readable()
        complete_layouts()
        self.parts.setSizes([pictures, self.parts.height() - self.parts.handleWidth() - pictures])

    def _learned(self) -> QSplitter:
        """The panels behind More: what the validations say token by token, symbol by symbol, place by place."""
        theme = self.context.theme
        self._reader = reader = ValidationReader(self.context.bridge)
        self.context.playhead.moved.connect(self._read_ahead)
        self.learned_map, self.confusion_map = LearnedMap(theme, reader), ConfusionMap(theme, reader)
        self.accuracy_plots = AccuracyPlots(theme, reader)
        panels = (self.learned_map, self.confusion_map, self.accuracy_plots)
        self.confusion_map.chosen.connect(self.learned_map.show_only)
        for panel in panels:
            reader.changed.connect(panel.mark_dirty)
        self.add_panels(*panels)
        return splitter(Qt.Orientation.Horizontal, *zip(panels, (5, 4, 3), strict=True))

    def _read_ahead(self, step: int) -> None:
        """Begin to read the validation of this step while other panels draw; a live view reads it as it draws."""
        if self.learned_map.isVisible() and not self.context.playhead.is_live:
            self._reader.figures(self.context.bridge.shown, step)

    def _allow_changes(self) -> None:
        others = self.context.follower.why_no_model
        self.curves.notices.allow_trying(others or self._why_nothing_is_tried(), self._why_nothing_acts_now())

    def _why_nothing_is_tried(self) -> str:
        """Why no single setting of the run can be tried: Setup holds another preset or file. Empty if one can."""
        if self.context.workbench.is_other_config_waiting:
            return "Another preset or file waits in Setup: Restart with it first, or choose this run's there again"
        return ""

    def _why_nothing_acts_now(self) -> str:
        """Why no setting can act on the run between two steps: it takes no more steps. Empty if one can."""
        if self.context.workbench.is_example:
            return EXAMPLE_IS_READ_ONLY
        if self.context.workbench.is_shared:
            return "A shared run does not learn: “Continue from …” begins a run of your own, on which it can act"
        if self.context.bridge.state == "failed":
            return "This run takes no more steps: open it in Runs to continue from its last checkpoint, or Reset"
        return ""

    def _show_noticed(self) -> None:
        """Show new notices, also while another view is open: the rail points to them."""
        self.curves.notices.show_step(self.context.bridge.shown, self.context.playhead.step)
