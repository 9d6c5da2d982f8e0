"""The base class of the Anatomy view's topics: a picture, a few sentences, the equation, and the code."""

from __future__ import annotations

import re
from itertools import pairwise

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QFontDatabase, QFontMetricsF
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from core.events import Event, Prepared
from gui.panel import Panel
from gui.panels.anatomy.source_text import source_of
from gui.theme import GRID, Theme
from gui.widgets.flow_layout import FlowLayout, with_label
from gui.widgets.labels import plain_label
from gui.widgets.scroll_areas import HorizontalScrollArea
from gui.widgets.section import Section

_CODE_LINES = 16
_PICTURE_HEIGHT = 280  # at least; where there is less room, the page scrolls


class Topic(Panel):
    """Subclasses set the texts below, and put widgets into `controls` and `picture`."""

    about = ""  # a few sentences
    equation = ""  # with <sup>, <sub> and <i>
    paper = ""  # the section of "Attention Is All You Need"
    functions: tuple[str, ...] = ()  # the functions that compute it, as `core.sinusoids:sinusoids`
    redraw_on: tuple[type[Event], ...] = (Prepared,)
    is_picture = True

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.about_label = plain_label(self.about, wraps=True)
        self.controls = QWidget()
        self.content = QWidget()  # exported: only the picture
        self.picture = QVBoxLayout(self.content)
        self.picture.setContentsMargins(0, 0, 0, 0)
        self.picture.setSpacing(GRID // 2)
        self.scroll_area = HorizontalScrollArea(self.content)  # only the picture scrolls; texts stay within the window
        self.readout_label = plain_label(role="muted", wraps=True)
        self.equation_label = QLabel(self.equation, textFormat=Qt.TextFormat.RichText, wordWrap=True)
        self.equation_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.equation_label.setAccessibleName(plain_equation(self.equation))
        self.paper_label = plain_label(f"Attention Is All You Need, {self.paper}", role="muted", wraps=True)
        self.paper_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        names = [function.rpartition(":")[2] for function in self.functions]
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        self.code = Section(f"Code: {names[0]}{more}")
        self.code_text = QPlainTextEdit()
        self.code_text.setReadOnly(True)
        self.code_text.setTabChangesFocus(True)
        self.code_text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.code_text.setAccessibleName("Code")
        self.code.body.addWidget(self.code_text)
        self.code.heading.setToolTip(f"The code that computes this picture, as the model runs it: {', '.join(names)}")
        self.code.heading.toggled.connect(self._load_code)
        self.body.addWidget(self.about_label)
        self.body.addWidget(self.controls)
        self.body.addWidget(self.scroll_area, 1)
        for widget in (self.readout_label, self.equation_label, self.paper_label, self.code):
            self.body.addWidget(widget)
        theme.changed.connect(self.apply_theme)
        self.apply_theme()

    def add_controls(self, *controls: tuple[str, QWidget, str], more: tuple[QWidget, ...] = ()) -> None:
        """Fill the row above the picture: controls as (name, widget, tooltip), then `more` widgets without a name."""
        row = FlowLayout(self.controls, GRID, last_at_right=False)
        for name, widget, help in controls:
            row.addWidget(with_label(name, widget))
            widget.setAccessibleName(name[0].upper() + name[1:])
            widget.setToolTip(help)
        for widget in more:
            row.addWidget(widget)

    def put_code_last_in_tab_order(self) -> None:
        """Let Tab reach the code after the subclass's widgets and the export button."""
        last = self.header.itemAt(self.header.count() - 1)
        exporting = last.widget() if last is not None else None
        assert exporting is not None
        for before, widget in pairwise((exporting, self.code.heading, self.code_text)):
            QWidget.setTabOrder(before, widget)

    def minimumSizeHint(self) -> QSize:
        """A size without height: the page asks `heightForWidth` instead."""
        return QSize(super().minimumSizeHint().width(), 0)

    def heightForWidth(self, width: int) -> int:
        """The height that the parts need at this width; QStackedLayout would give that for their least width."""
        layout = self.layout()
        assert layout is not None
        around = layout.contentsMargins() + self.contentsMargins()
        parts = self.body.heightForWidth(width - around.left() - around.right())
        return around.top() + self.header.sizeHint().height() + layout.spacing() + parts + around.bottom()

    def apply_theme(self) -> None:
        """Take the theme's fonts and sizes."""
        font = self.theme.font(1.35)
        font.setStyleHint(QFont.StyleHint.Serif)
        font.setFamilies(["STIX Two Text", "Cambria Math", "DejaVu Serif", "Noto Serif", "serif"])
        self.equation_label.setFont(font)
        self.content.setMinimumHeight(self.theme.px(_PICTURE_HEIGHT))
        code = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        code.setPointSizeF(self.theme.points(0.95))
        self.code_text.setFont(code)
        self.code_text.setFixedHeight(round(_CODE_LINES * QFontMetricsF(code).lineSpacing()))

    def _load_code(self, is_open: bool) -> None:
        if is_open and not self.code_text.toPlainText():
            self.code_text.setPlainText(
                "\n\n".join(f"# {function}\n{source_of(function)}" for function in self.functions)
            )


def plain_equation(equation: str) -> str:
    """An equation without markup: `10000<sup>2i/d</sup>` is `10000^(2i/d)`."""
    raised = re.sub(r"<sup>(.*?)</sup>", r"^(\1)", equation)
    lowered = re.sub(r"<sub>(.*?)</sub>", r"_\1", raised)
    return re.sub(r"<[^>]*>", "", lowered).replace("&nbsp;", " ")
