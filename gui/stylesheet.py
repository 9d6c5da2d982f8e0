"""The application's stylesheet, made from the theme's colours and sizes."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gui.theme import Colours


def stylesheet(colours: Colours, px: Callable[[float], int]) -> str:
    """Rules on top of palette and font. Widgets opt into a look by object name (`#learn`) or the property `role`."""
    c = colours
    return f"""
    QMainWindow, QDialog, QScrollArea, #page {{ background: {c.window}; }}
    QToolTip {{ background: {c.surface}; color: {c.text}; border: 1px solid {c.line}; padding: {px(4)}px; }}

    QPushButton, QToolButton, QComboBox, QLineEdit, QAbstractSpinBox, QPlainTextEdit {{
        background: {c.surface}; border: 1px solid {c.line}; border-radius: {px(4)}px;
        padding: {px(3)}px {px(8)}px; min-height: {px(20)}px;
    }}
    QPushButton:hover, QToolButton:hover, QComboBox:hover {{ background: {c.hover}; }}
    QPushButton:pressed, QToolButton:pressed {{ background: {c.line}; }}
    QPushButton:checked {{ background: {c.hover}; border-color: {c.training}; }}
    QPushButton:disabled, QToolButton:disabled, QComboBox:disabled, QLineEdit:disabled, QAbstractSpinBox:disabled {{
        color: {c.faint}; background: {c.window};
    }}
    QPushButton:focus, QToolButton:focus, QComboBox:focus, QLineEdit:focus, QAbstractSpinBox:focus,
    QPlainTextEdit:focus {{ border: 1px solid {c.training}; }}
    QLineEdit, QPlainTextEdit {{
        selection-background-color: {c.training}; selection-color: {c.on_training};
    }}
    QComboBox::drop-down {{ border: none; width: {px(20)}px; }}
    QComboBox::down-arrow {{ image: url({_arrow("down")}); width: {px(12)}px; height: {px(12)}px; }}
    QAbstractSpinBox {{ padding-right: {px(20)}px; }}
    QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{
        subcontrol-origin: border; border: none; width: {px(20)}px;
    }}
    QAbstractSpinBox::up-button {{ subcontrol-position: top right; }}
    QAbstractSpinBox::down-button {{ subcontrol-position: bottom right; }}
    QAbstractSpinBox::up-arrow {{ image: url({_arrow("up")}); width: {px(10)}px; height: {px(10)}px; }}
    QAbstractSpinBox::down-arrow {{ image: url({_arrow("down")}); width: {px(10)}px; height: {px(10)}px; }}
    QComboBox::down-arrow:disabled, QAbstractSpinBox::up-arrow:disabled, QAbstractSpinBox::down-arrow:disabled {{
        image: none;
    }}
    QComboBox QAbstractItemView {{
        background: {c.surface}; border: 1px solid {c.line}; selection-background-color: {c.hover};
        selection-color: {c.text}; outline: none;
    }}
    QCheckBox {{ spacing: {px(8)}px; }}
    QCheckBox:focus {{ color: {c.training}; text-decoration: underline; }}
    QCheckBox::indicator:unchecked {{
        width: {px(12)}px; height: {px(12)}px; border: 1px solid {c.muted}; border-radius: {px(2)}px;
        background: {c.surface};
    }}

    #learn {{ font-weight: 600; padding: {px(4)}px {px(16)}px; }}
    *[role="filled"] {{
        background: {c.training}; color: {c.on_training}; border: 1px solid {c.training}; font-weight: 600;
    }}
    *[role="filled"]:hover, *[role="filled"]:pressed {{ background: {c.training}; border-color: {c.text}; }}
    *[role="filled"]:focus {{ border: 2px solid {c.text}; }}
    *[role="filled"]:disabled {{ background: {c.hover}; color: {c.faint}; border-color: {c.line}; }}

    *[role="flat"] {{ background: transparent; border: 1px solid transparent; }}
    *[role="flat"]:hover {{ background: {c.hover}; }}
    *[role="flat"]:checked {{ background: {c.hover}; }}
    *[role="flat"]:disabled {{ background: transparent; }}
    *[role="flat"]:focus {{ border: 1px solid {c.training}; }}
    QToolButton::menu-indicator {{ image: none; }}
    *[role="muted"] {{ color: {c.muted}; }}
    *[role="heading"] {{ color: {c.muted}; font-weight: 600; }}
    *[role="title"] {{ font-weight: 600; }}
    *[role="error"] {{ color: {c.bad}; }}
    *[role="good"] {{ color: {c.good}; }}
    *[role="link"] {{ background: transparent; border: none; color: {c.training}; padding: 0; text-align: left; }}
    *[role="link"]:hover {{ text-decoration: underline; }}
    *[role="link"]:focus {{ border: 1px solid {c.training}; }}
    *[role="chip"] {{
        background: {c.surface}; border: 1px solid {c.line}; border-radius: {px(10)}px; padding: 0 {px(8)}px;
    }}

    #rail {{ background: {c.surface}; border-right: 1px solid {c.line}; }}
    #rail QToolButton {{
        background: transparent; border: none; border-left: {px(3)}px solid transparent; border-radius: 0;
        padding: {px(8)}px {px(4)}px; color: {c.muted};
    }}
    #rail QToolButton:hover {{ background: {c.hover}; }}
    #rail QToolButton:checked {{ border-left-color: {c.training}; color: {c.text}; background: {c.window}; }}
    #rail QToolButton:focus {{ background: {c.hover}; }}
    #transport, #status {{ background: {c.surface}; }}
    #transport {{ border-bottom: 1px solid {c.line}; }}
    #status {{ border-top: 1px solid {c.line}; }}
    #status QLabel {{ color: {c.muted}; }}
    #strip {{ background: {c.bad_surface}; border-bottom: 1px solid {c.bad}; }}
    #strip[role="note"] {{ background: {c.hover}; border-bottom: 1px solid {c.line}; }}
    #notice {{ background: {c.window}; border: 1px solid {c.line}; border-left: {px(3)}px solid {c.validation}; }}
    #banner {{ background: {c.hover}; border-bottom: 1px solid {c.line}; }}
    #sheet {{ background: {c.surface}; border: 1px solid {c.line}; border-radius: {px(8)}px; }}
    #tour {{ background: {c.surface}; border: {px(2)}px solid {c.training}; border-radius: {px(8)}px; }}
    #outline {{ background: {c.training}; }}
    #drawer {{ background: {c.surface}; border-right: 1px solid {c.line}; }}
    #drawer QScrollArea, #drawer QScrollArea > QWidget > QWidget {{ background: {c.surface}; border: none; }}
    #panel {{ background: {c.surface}; border: 1px solid {c.line}; border-radius: {px(4)}px; }}
    QScrollArea#panel > QWidget > QWidget {{ background: {c.surface}; }}
    #panel:focus {{ border-color: {c.training}; }}

    QSlider::groove:horizontal {{ height: {px(4)}px; background: {c.line}; border-radius: {px(2)}px; }}
    QSlider::handle:horizontal {{
        background: {c.muted}; width: {px(12)}px; margin: -{px(4)}px 0; border-radius: {px(6)}px;
    }}
    QSlider::handle:horizontal:focus {{ background: {c.training}; }}
    QScrollBar:vertical {{ background: transparent; width: {px(10)}px; }}
    QScrollBar:horizontal {{ background: transparent; height: {px(10)}px; }}
    QScrollBar::handle {{ background: {c.line}; border-radius: {px(4)}px; min-height: {px(24)}px; margin: 1px; }}
    QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
    QTableView, QListView, QTreeView {{
        background: {c.surface}; border: 1px solid {c.line}; gridline-color: {c.line}; alternate-background-color:
        {c.window}; selection-background-color: {c.hover}; selection-color: {c.text};
    }}
    #runs, #plugins, #examples, #figures, #pairs {{ outline: none; }}
    #runs::item, #plugins::item, #examples::item, #figures::item {{ padding: 0 {px(5)}px; border: none; }}
    #runs::item:selected, #plugins::item:selected, #examples::item:selected {{
        background: {c.hover}; color: {c.text};
    }}
    #runs:focus, #plugins:focus, #examples:focus, #figures:focus, #pairs:focus {{ border: 1px solid {c.training}; }}
    #topics {{ outline: none; padding: {px(4)}px 0; }}
    #topics::item {{ padding: {px(6)}px {px(8)}px; border: none; border-left: {px(3)}px solid transparent; }}
    #topics::item:selected {{ background: {c.hover}; color: {c.text}; border-left-color: {c.training}; }}
    #topics:focus {{ border: 1px solid {c.training}; }}
    QHeaderView::section {{
        background: {c.window}; color: {c.muted}; border: none; border-bottom: 1px solid {c.line};
        padding: {px(4)}px {px(8)}px;
    }}
    QMenu {{ background: {c.surface}; border: 1px solid {c.line}; }}
    QMenu::item {{ padding: {px(4)}px {px(16)}px; }}
    QMenu::item:selected {{ background: {c.hover}; }}
    QSplitter::handle {{ background: transparent; }}
    """


def _arrow(direction: str) -> str:
    """The path of an arrow, in a grey that is seen on light and dark; a stylesheet cannot tint."""
    return Path(str(files("resources.icons").joinpath(f"arrow_{direction}.svg"))).as_posix()
