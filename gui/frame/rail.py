"""The navigation rail: one button for each view, and that of the Setup drawer at the bottom."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QToolButton, QVBoxLayout

from gui.icons import icon
from gui.theme import GRID, Theme
from gui.view import View


class Rail(QFrame):
    """Emits `chosen` with the index of a view, and `setup_toggled` with whether the drawer is to be open."""

    chosen = Signal(int)
    setup_toggled = Signal(bool)

    def __init__(self, theme: Theme, views: Sequence[type[View]]) -> None:
        super().__init__()
        self.setObjectName("rail")
        self._theme = theme
        self._icons: dict[RailButton, str] = {}
        self._group = QButtonGroup(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, GRID, 0, GRID)
        layout.setSpacing(0)
        for index, view in enumerate(views):
            button = self._button(view.title, view.icon, f"{view.help} (Ctrl+{index + 1})")
            self._group.addButton(button, index)
            layout.addWidget(button)
        layout.addStretch(1)
        self.setup_button = self._button("Setup", "setup", "Choose data, model and training (Ctrl+E)")
        layout.addWidget(self.setup_button)
        self._group.idClicked.connect(self.chosen)
        self.setup_button.toggled.connect(self.setup_toggled)
        self.update_icons()
        theme.changed.connect(self.update_icons)

    def select(self, index: int) -> None:
        """Show which view is open."""
        self._group.button(index).setChecked(True)

    def show_news(self, index: int, news: str) -> None:
        """Show this news of a view in its tooltip, and a dot while another view is open; empty removes both."""
        button = self._group.button(index)
        assert isinstance(button, RailButton)
        button.show_news(news)

    def update_icons(self) -> None:
        """Draw the icons in the theme's colours and size."""
        colours = self._theme.colours
        self.setFixedWidth(self._theme.px(80))
        for button, name in self._icons.items():
            both = QIcon(icon(name, colours.muted))
            both.addPixmap(icon(name, colours.training).pixmap(64), QIcon.Mode.Normal, QIcon.State.On)
            button.setIcon(both)
            button.setIconSize(QSize(self._theme.px(22), self._theme.px(22)))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Leave the icons out if zoom leaves no room for both icons and titles."""
        buttons = list(self._icons)
        for style in (Qt.ToolButtonStyle.ToolButtonTextUnderIcon, Qt.ToolButtonStyle.ToolButtonTextOnly):
            for button in buttons:
                button.setToolButtonStyle(style)
            if self.sizeHint().height() <= self.height():
                break

    def _button(self, title: str, icon_name: str, help: str) -> RailButton:
        button = RailButton(self._theme, title, help)
        self._icons[button] = icon_name
        return button


class RailButton(QToolButton):
    """An icon above a title, with a dot while its view, or Setup, has news and is not open."""

    def __init__(self, theme: Theme, title: str, help: str) -> None:
        super().__init__()
        self._theme, self._help, self._news = theme, help, ""
        self.setText(title)
        self.setAccessibleName(title)
        self.setCheckable(True)
        self.setSizePolicy(self.sizePolicy().Policy.Expanding, self.sizePolicy().Policy.Fixed)
        self.toggled.connect(self._update_tooltip)
        self._update_tooltip()

    @property
    def has_dot(self) -> bool:
        return bool(self._news) and not self.isChecked()

    def show_news(self, news: str) -> None:
        """Point out this news; empty removes it."""
        if news != self._news:
            self._news = news
            self._update_tooltip()
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.has_dot:
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour("validation"))
            radius = self._theme.px(4)
            painter.drawEllipse(self._dot_centre(radius), radius, radius)

    def _dot_centre(self, radius: float) -> QPointF:
        """At the upper right of the icon; beside the title if zoom leaves no room for icons."""
        middle = self.rect().toRectF().center()
        if self.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonTextOnly:
            return middle + QPointF(self.fontMetrics().horizontalAdvance(self.text()) / 2 + 2 * radius, 0)
        return QPointF(middle.x() + self._theme.px(15), 3 * radius)

    def _update_tooltip(self) -> None:
        news = self._news if self.has_dot else ""
        self.setAccessibleDescription(news)
        self.setToolTip(" · ".join(filter(None, [self._help, news])))
