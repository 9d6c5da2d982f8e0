"""The Attention view: one head large, all heads small, of the chosen sentence at the playhead."""

from __future__ import annotations

from PySide6.QtCore import Qt

from gui.context import Context
from gui.heads.attention_comparison import AttentionComparison
from gui.heads.disabled_heads import DisabledHeads
from gui.panels.attention.attention_extras import AttentionExtras
from gui.panels.attention.attention_map import AttentionMap
from gui.panels.attention.head_ablation_panel import HeadAblationPanel
from gui.panels.attention.head_chooser import HeadChooser
from gui.panels.attention.head_grid import HeadGrid
from gui.panels.translation.sentence_row import SentenceRow
from gui.view import View
from gui.widgets.buttons import FoldButton, check_box
from gui.widgets.scroll_areas import scroll_into_view
from gui.widgets.splitters import splitter

MIN_HEIGHT = 260  # pixels at 100 %: the height at which the large head can still be read
_MORE_HELP = "All heads of a layer as one, differences between two steps or runs, and how widely each head looks"
_KINDS_HELP = "Show the heads of all three kinds of attention, or of the chosen kind alone"


class AttentionView(View):
    """Choose a sentence, a kind, a layer and a head; everything follows the playhead."""

    title = "Attention"
    icon = "attention"
    help = "One head large, and all heads"
    has_time_strip = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        theme, selection = context.theme, context.selection
        self.sentence_row = SentenceRow(theme, selection)
        self.disabled_heads = DisabledHeads(context.bridge)
        self.chooser = HeadChooser(theme, selection, disabled_heads=self.disabled_heads)
        self.comparison = AttentionComparison(context.bridge, selection)
        self.more_button = FoldButton("More", name="More about attention", help=_MORE_HELP)
        self.extras = AttentionExtras(context, self.comparison)
        self.extras.hide()
        self.map = AttentionMap(theme, selection, self.comparison.shown)
        self.grid = HeadGrid(
            theme, selection, self.comparison.shown, all_kinds=True, disabled_heads=self.disabled_heads
        )
        self.ablation_panel = HeadAblationPanel(context, self.disabled_heads)
        self.ablation_panel.hide()
        self.all_kinds_box = check_box("all kinds", "Heads of all kinds", _KINDS_HELP)
        self.all_kinds_box.setChecked(True)
        self.grid.header.addWidget(self.all_kinds_box)
        self.add_panels(self.sentence_row, self.chooser, self.extras, self.map, self.grid, self.ablation_panel)
        self._lay_out()
        self.chooser.add_shortcuts(self)
        self.all_kinds_box.toggled.connect(self._show_kinds)
        self.disabled_heads.changed.connect(self._show_disabled_heads)
        self.more_button.toggled.connect(self.extras.setVisible)
        self.extras.entropy_box.toggled.connect(self._show_entropy)
        self.comparison.changed.connect(self._show_comparison)
        self.sentence_row.follow_in(context)

    def _show_kinds(self, all_kinds: bool) -> None:
        self.grid.all_kinds = all_kinds
        self.grid.mark_dirty()

    def _show_entropy(self, with_entropy: bool) -> None:
        self.grid.with_entropy = with_entropy
        self.grid.mark_dirty()

    def _show_comparison(self) -> None:
        for panel in (self.extras, self.map, self.grid):
            panel.mark_dirty()

    def _show_disabled_heads(self) -> None:
        is_first = self.ablation_panel.isHidden() and bool(self.disabled_heads.heads)
        self.ablation_panel.setVisible(bool(self.disabled_heads.heads))
        for panel in (self.ablation_panel, self.chooser, self.grid):
            panel.mark_dirty()
        if is_first:
            scroll_into_view(self.ablation_panel)  # its figures are why a head was switched off

    def _lay_out(self) -> None:
        self.chooser.row.addWidget(self.more_button)
        heads = splitter(Qt.Orientation.Horizontal, (self.map, 6), (self.grid, 5))
        self.keep_min_height(heads, MIN_HEIGHT)
        column = self.scrolling_column()
        column.addWidget(self.sentence_row)
        column.addWidget(self.chooser)
        column.addWidget(self.extras)
        column.addWidget(heads, 1)
        column.addWidget(self.ablation_panel)
