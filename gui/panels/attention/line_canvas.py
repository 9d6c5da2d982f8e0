"""Paints a head as lines from queries (below) to keys (above), as strong as the weight."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.heads.head_picture import HeadPicture
from gui.panels.attention.head_canvas import HeadCanvas
from gui.panels.attention.line_layout import LineLayout, Side
from gui.sentences.tokens import isolated
from gui.theme import Theme

_FAINTEST = 0.02  # weaker weights are not drawn
_STRONGEST_PX = 6.0
_NUM_LISTED = 3  # how many weights of the token pointed at are read out

Token = tuple[Side, int]


class LineCanvas(HeadCanvas[Token]):
    """While the mouse or an arrow key points at a token, only its lines are shown."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Attention as lines; arrow keys go from token to token")

    def legend(self) -> str:
        """How to read the lines."""
        if self.picture is None:
            return ""
        if self.picture.baseline:
            return f"Those below read from those above. {self.picture.legend}"
        hint = "" if self._theme.is_exporting else "Point at a token for its weights."
        return f"Above: read from. Below: {self.picture.row_meaning}. {self.picture.legend or hint}".rstrip()

    def readout(self) -> str:
        """The strongest weights of the token pointed at, in words."""
        if self.picture is None or self._target is None or self.picture.has_diverged:
            return ""
        side, index = self._target
        if side == "below":
            token, verb, others = self.picture.rows[index], "reads from", self.picture.columns
            weights = self.picture.weights[index]
        else:
            token, verb, others = self.picture.columns[index], "is read by", self.picture.rows
            weights = self.picture.weights[:, index]
        strongest = sorted(range(len(others)), key=lambda other: -abs(float(weights[other])))[:_NUM_LISTED]
        form = "+z.2f" if self.picture.baseline else ".2f"
        weights_text = ",  ".join(f"{isolated(others[other])} {float(weights[other]):{form}}" for other in strongest)
        against = f"  against {self.picture.baseline}" if self.picture.baseline else ""
        return f"{isolated(token)}  {verb}  {weights_text}{against}"

    def _layout(self, picture: HeadPicture) -> LineLayout:
        return LineLayout(QRectF(self.rect()), picture, self._theme.token_font())

    def _contains(self, picture: HeadPicture, target: Token) -> bool:
        return target[1] < len(self._layout(picture).labels[target[0]])

    def _target_at(self, picture: HeadPicture, point: QPointF) -> Token | None:
        return self._layout(picture).token_at(point)

    def _target_after(self, picture: HeadPicture, key: Qt.Key) -> Token:
        side, index = self._target or ("below", 0)
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            side = "above" if key == Qt.Key.Key_Up else "below"
        elif self._target is not None:
            index += 1 if key == Qt.Key.Key_Right else -1
        return side, index % len(self._layout(picture).labels[side])

    def _paint(self, painter: QPainter, picture: HeadPicture) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        layout = self._layout(picture)
        painter.setPen(QPen(self._theme.colour(picture.gold_colour), 1.5, Qt.PenStyle.DashLine))
        for row, column in picture.alignment:
            if self._is_shown(row, column):
                painter.drawLine(layout.end("below", row), layout.end("above", column))
        for row, weights in enumerate(picture.weights.tolist()):
            for column, weight in enumerate(weights):
                if abs(weight) >= _FAINTEST and self._is_shown(row, column):
                    painter.setPen(self._pen(weight))
                    painter.drawLine(layout.end("below", row), layout.end("above", column))
        layout.paint_labels(painter, {side: self._colours(side, len(labels)) for side, labels in layout.labels.items()})

    def _is_shown(self, row: int, column: int) -> bool:
        return self._target is None or self._target in (("below", row), ("above", column))

    def _pen(self, weight: float) -> QPen:
        """The pen for a weight. A positive difference is orange, as in the map; a negative one is blue and dotted."""
        strength = abs(weight) ** 0.5 if self._square_root else abs(weight)
        is_more = self.picture is not None and bool(self.picture.baseline) and weight > 0
        pen = QPen(
            self._theme.colour("validation" if is_more else "training", strength), 1 + (_STRONGEST_PX - 1) * strength
        )
        if weight < 0:
            pen.setStyle(Qt.PenStyle.DotLine)
        return pen

    def _colours(self, side: Side, count: int) -> list[QColor]:
        plain, pointed = self._theme.colour("text"), self._theme.colour("training")
        return [pointed if self._target == (side, index) else plain for index in range(count)]
