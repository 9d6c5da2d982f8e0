"""The large map of one head: a row per query, a column per key, and the weight of the cell pointed at."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStackedLayout

from core.history import History
from core.probes import ProbedSentence
from gui.arrow_keys import ARROWS
from gui.heads.head_picture import HeadPicture, alignment_help, chosen_picture
from gui.panel import Table
from gui.panels.attention.colour_bar import paint_colour_bar
from gui.panels.attention.head_canvas import HeadCanvas
from gui.panels.attention.line_canvas import LineCanvas
from gui.panels.attention.map_layout import MapLayout, fitting_layout
from gui.panels.attention.sentence_panel import SentencePanel
from gui.pictures.colour_map import attention_image
from gui.sentences.selection import KIND_TITLES, POOLED_TITLES, Selection
from gui.sentences.shown_sentence import SentenceSource, ShownSentence
from gui.sentences.tokens import isolated
from gui.theme import GRID, Theme
from gui.widgets.dynamic_labels import ElidedLabel, text_width
from gui.widgets.labels import literal_tooltip

_LABEL_SIZES = (1.0, 0.85, 0.7)
_BAR, _NARROW = 64, 240  # pixels at 100 %: the width of the colour bar, and the least width of a map that has one
_COLUMNS = "Columns: read from. "
Cell = tuple[int, int]
"""Row and column."""


class AttentionMap(SentencePanel):
    """Draws the chosen head for one sentence at step s, as a map or as lines."""

    title = "Attention"
    empty_sentence = "The first sentence appears here as soon as the data are prepared, before anything is trained."
    is_picture = True

    def __init__(self, theme: Theme, selection: Selection, source: SentenceSource | None = None) -> None:
        super().__init__(theme, selection, source)
        self.canvas, self.lines = MapCanvas(theme), LineCanvas(theme)
        self.readout = ElidedLabel(role="muted")
        self._canvases = QStackedLayout()
        self.body.addLayout(self._canvases, 1)  # before its widgets: without a parent they would be shown as windows
        for canvas in (self.canvas, self.lines):
            canvas.pointed.connect(self._show_readout)
            self._canvases.addWidget(canvas)
        self.body.addWidget(self.readout)

    def draw(self, history: History, shown: ShownSentence) -> None:
        chosen = self._selection.chosen
        against = f" minus {shown.other.name}" if shown.other is not None else ""
        self.set_title(f"{self._head_name(shown.sentence)} · {shown.name}{against}")
        self._canvases.setCurrentWidget(self._shown_canvas)
        picture = chosen_picture(shown, self._selection)
        if picture.alignment and not (picture.baseline or chosen.pooled):
            picture = replace(picture, score=self._score(history, shown))
        self._shown_canvas.show_picture(picture, square_root=chosen.square_root)

    def show_empty(self, sentence: str = "") -> None:
        super().show_empty(sentence)
        self.title_label.setToolTip("")  # it explained the map

    @property
    def _shown_canvas(self) -> MapCanvas | LineCanvas:
        return self.lines if self._selection.chosen.as_lines else self.canvas

    def numbers(self) -> Table:
        """The weights, one row for each row of the map."""
        picture = self._shown_canvas.picture
        assert picture is not None
        rows = zip(picture.rows, picture.weights.tolist(), strict=True)
        return [["", *picture.columns], *([name, *weights] for name, weights in rows)]

    def _head_name(self, sentence: ProbedSentence) -> str:
        kind, layer, head = self._selection.head_in(sentence)
        pooled = self._selection.chosen.pooled
        what = f", {POOLED_TITLES[pooled]}" if pooled else f" head {head + 1}"
        name = f"{KIND_TITLES[kind].capitalize()}-attention, layer {layer + 1}{what}"
        if kind == "encoder_self":
            return name
        return f"{name}, {'free-running' if self._selection.runs_free(sentence) else 'teacher-forced'}"

    def _score(self, history: History, shown: ShownSentence) -> str:
        """The chosen cross-attention head's alignment score over all probed sentences; empty before the first score."""
        scores, best = history.probes.alignment.at(shown.step), history.probes.alignment.best(shown.step)
        if scores is None or best is None:
            return ""
        _, layer, head = self._selection.head_in(shown.sentence)
        is_found = (best.layer, best.head) == (layer, head) and best.since is not None
        return f"{scores[layer, head]:.2f}{f' since step {best.since:,}' if is_found else ''}"

    def _show_readout(self, text: str) -> None:
        """Show what is pointed at, or else the legend; what is pointed at goes into the title if the line is hidden."""
        canvas = self._shown_canvas
        self.readout.setText(text or canvas.caption())
        has_score = canvas.picture is not None and bool(canvas.picture.score)
        tip = literal_tooltip(f"{canvas.legend()} {alignment_help('this head')}" if has_score else canvas.legend())
        self.title_label.setToolTip(tip)
        if not text:
            self.readout.setToolTip(tip)
        self.title_label.setText(text if text and self.readout.isHidden() else self.accessibleName())


class MapCanvas(HeadCanvas[Cell]):
    """Paints a head as a map; the mouse and the arrow keys point at a cell to read its weight."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Attention map; arrow keys read its weights")

    def legend(self) -> str:
        """How to read the map."""
        if self.picture is None:
            return ""
        if self.picture.baseline:
            return f"Rows read from columns. {self.picture.legend}"
        axes = f"{_COLUMNS}Rows: {self.picture.row_meaning}."
        if self.picture.legend:
            return f"{axes} {self.picture.legend}"
        if self.picture.is_causal:
            return f"{axes} Hatched: comes later, may not be read."
        return axes if self._theme.is_exporting else f"{axes} Point to read a weight."

    def caption(self) -> str:
        """The legend, without the columns where they would have its figures cut, as while Setup is open."""
        legend = self.legend()
        fits = text_width(self.fontMetrics(), legend) <= self.width()
        return legend if fits else legend.removeprefix(_COLUMNS)

    def readout(self) -> str:
        """The weight pointed at, in words; empty if none is."""
        if self.picture is None or self._target is None or self._theme.is_exporting or self.picture.has_diverged:
            return ""
        row, column = self._target
        reader, read = isolated(self.picture.rows[row]), isolated(self.picture.columns[column])
        if self.picture.is_causal and column > row:
            return f"{reader}  may not see  {read}: it comes later"
        weight = float(self.picture.weights[row, column])
        if self.picture.baseline:
            return f"{reader}  reads from  {read}  with weight {weight:+z.3f} against {self.picture.baseline}"
        return f"{reader}  reads from  {read}  with weight {weight:.3f}"

    @property
    def _has_bar(self) -> bool:
        """Whether there is room for the colour bar: with Setup open, or zoomed, the cells may need it."""
        return self.width() >= self._theme.px(_NARROW)

    def _layout(self, picture: HeadPicture) -> MapLayout:
        bar = self._theme.px(_BAR) if self._has_bar else 0
        area = QRectF(self.rect()).adjusted(0, 0, -bar, -GRID)
        return fitting_layout(area, picture, [self._theme.token_font(scale) for scale in _LABEL_SIZES])

    def _contains(self, picture: HeadPicture, target: Cell) -> bool:
        rows, columns = picture.weights.shape
        return target[0] < rows and target[1] < columns

    def _target_at(self, picture: HeadPicture, point: QPointF) -> Cell | None:
        return self._layout(picture).cell_at(point)

    def _target_after(self, picture: HeadPicture, key: Qt.Key) -> Cell:
        rows, columns = picture.weights.shape
        (row, column), (down, right) = self._target or (0, 0), ARROWS[key]
        return (row + down) % rows, (column + right) % columns

    def _paint(self, painter: QPainter, picture: HeadPicture) -> None:
        layout, mode, is_difference = self._layout(picture), self._theme.mode, bool(picture.baseline)
        painter.drawImage(
            layout.grid,
            attention_image(picture.weights, mode, square_root=self._square_root, is_difference=is_difference),
        )
        if picture.is_causal:
            self._hatch(painter, layout)
        painter.setPen(QPen(self._theme.colour("line"), 1))
        painter.drawRect(layout.grid)
        layout.paint_labels(painter, self._theme.colour("text"))
        self._mark(painter, layout)
        if self._has_bar:
            bar = QRectF(layout.grid.right() + 2 * GRID, layout.grid.top(), self._theme.px(12), layout.grid.height())
            painter.setFont(self._theme.font(0.85))
            muted = self._theme.colour("muted")
            paint_colour_bar(painter, bar, mode, muted, self._square_root, is_difference=is_difference)

    def _hatch(self, painter: QPainter, layout: MapLayout) -> None:
        painter.setBrushOrigin(layout.grid.topLeft())
        for row in range(len(layout.rows) - 1):
            first = layout.cell(row, row + 1)
            painter.fillRect(
                QRectF(first.topLeft(), QPointF(layout.grid.right(), first.bottom())), self._theme.hatching()
            )

    def _mark(self, painter: QPainter, layout: MapLayout) -> None:
        assert self.picture is not None
        for row, column in self.picture.alignment:  # `surface` between the dashes makes them visible on any cell
            for colour, style in (("surface", Qt.PenStyle.SolidLine), (self.picture.gold_colour, Qt.PenStyle.DashLine)):
                painter.setPen(QPen(self._theme.colour(colour), 1.5, style))
                painter.drawRect(layout.cell(row, column).adjusted(1.5, 1.5, -1.5, -1.5))
        if self._target is not None and not self._theme.is_exporting:
            painter.setPen(QPen(self._theme.colour("text"), 2))
            painter.drawRect(layout.cell(*self._target))
