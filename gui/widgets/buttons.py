"""Buttons with an accessible name and a help text."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QPushButton, QToolButton, QWidget

from gui.icons import icon
from gui.theme import Theme
from gui.widgets.tab_order import release_focus


def button(text: str, help: str, *, role: str = "", name: str = "") -> QPushButton:
    """A push button; `name` is its accessible name if the text alone does not say enough."""
    made = QPushButton(text)
    made.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves Space to Learn
    made.setToolTip(help)
    made.setAccessibleName(name or text)
    made.setAccessibleDescription(help)
    if role:
        made.setProperty("role", role)
    return made


def set_enabled(widget: QAbstractButton, reason: str) -> None:
    """Enable a button if `reason` is empty; otherwise disable it, with the reason as its tooltip."""
    widget.setEnabled(not reason)
    widget.setToolTip(reason or widget.accessibleDescription())


def enable_or_release(widget: QAbstractButton, reason: str, to: QWidget | None = None) -> None:
    """`set_enabled` for a button that, disabled, gives its focus to the window, or to `to`: Space then learns."""
    if reason:
        release_focus(widget, to)
    set_enabled(widget, reason)


class IconButton(QToolButton):
    """A flat button with only an icon, which follows the theme."""

    def __init__(self, theme: Theme, icon_name: str, name: str, help: str = "") -> None:
        super().__init__()
        self._theme = theme
        self._icon_name = icon_name
        self.setProperty("role", "flat")
        self.setAccessibleName(name)
        self.setToolTip(help or name)
        self.setAccessibleDescription(help)
        self.apply_theme()
        theme.changed.connect(self.apply_theme)

    def set_icon(self, icon_name: str) -> None:
        self._icon_name = icon_name
        self.apply_theme()

    def apply_theme(self) -> None:
        """Draw the icon in the theme's text colour and size, faint while disabled: in dark, Qt's own hardly differs."""
        self.setIcon(icon(self._icon_name, self._theme.colours.text, self._theme.colours.faint))
        self.setIconSize(QSize(self._theme.px(16), self._theme.px(16)))


def check_box(text: str, name: str, help: str) -> QCheckBox:
    """A check box with an accessible name and a help text."""
    made = QCheckBox(text)
    made.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves Space to Learn
    made.setAccessibleName(name)
    made.setToolTip(help)
    return made


class FoldButton(QToolButton):
    """Opens and closes a part that not everyone needs; its arrow says whether the part is open."""

    def __init__(self, text: str, *, name: str = "", help: str = "") -> None:
        super().__init__()
        self.setText(text)
        self.setProperty("role", "flat")
        self.setCheckable(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setAccessibleName(name or text)
        self.setToolTip(help)
        self.toggled.connect(self._turn_arrow)
        self._turn_arrow(False)

    def _turn_arrow(self, is_open: bool) -> None:
        self.setIcon(icon("arrow_down" if is_open else "arrow_right", ""))  # Qt's own arrow shrinks as the zoom grows
