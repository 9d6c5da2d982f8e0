"""The navigation rail: one button a view, the Setup drawer's at the bottom."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QButtonGroup, QFrame, QToolButton, QVBoxLayout

from gui.icons import icon
from gui.theme import GRID, Theme
from gui.view import View


class Rail(QFrame):
    """Emits `chosen` with a view's index, `setup_toggled` with whether the drawer is wanted."""

    chosen = Signal(int)
    setup_toggled = Signal(bool)

    def __init__(self, theme: Theme, views: Sequence[View]) -> None:
        super().__init__()
        self.setObjectName("rail")
        self._theme = theme
        self._icons: dict[QToolButton, str] = {}
        self._group = QButtonGroup(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, GRID, 0, GRID)
        layout.setSpacing(GRID // 2)
        for index, view in enumerate(views):
            button = self._button(view.title, view.icon, f"{view.help} (Ctrl+{index + 1})")
            self._group.addButton(button, index)
            layout.addWidget(button)
        layout.addStretch(1)
        self.setup_button = self._button("Setup", "setup", "Choose data, model and training (Ctrl+E)")
        layout.addWidget(self.setup_button)
        self._group.idClicked.connect(self.chosen)
        self.setup_button.toggled.connect(self.setup_toggled)
        self.tint()
        theme.changed.connect(self.tint)

    def check(self, index: int) -> None:
        """Show which view is open."""
        self._group.button(index).setChecked(True)

    def tint(self) -> None:
        """Icons in the theme's colour and size."""
        colours = self._theme.colours
        self.setFixedWidth(self._theme.px(80))
        for button, name in self._icons.items():
            both = QIcon(icon(name, colours.muted))
            both.addPixmap(icon(name, colours.training).pixmap(64), QIcon.Mode.Normal, QIcon.State.On)
            button.setIcon(both)
            button.setIconSize(QSize(self._theme.px(22), self._theme.px(22)))

    def _button(self, title: str, icon_name: str, help: str) -> QToolButton:
        button = QToolButton()
        button.setText(title)
        button.setToolTip(help)
        button.setAccessibleName(title)
        button.setCheckable(True)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        button.setSizePolicy(button.sizePolicy().Policy.Expanding, button.sizePolicy().Policy.Fixed)
        self._icons[button] = icon_name
        return button
