"""Labels that show a text as it is, made the same way everywhere."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QLabel,
    QWidget,
)


def plain_label(text: str = "", *, role: str = "", wraps: bool = False, is_copyable: bool = False) -> QLabel:
    """A label that shows `<unk>` as it is (QLabel would take it for rich text); of a copyable one the mouse selects."""
    label = QLabel(text, textFormat=Qt.TextFormat.PlainText, wordWrap=wraps)
    if is_copyable:
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    if role:
        label.setProperty("role", role)
    return label


def sentence_label(name: str, *, role: str = "") -> QLabel:
    """A plain label that wraps its lines; `name` is its accessible name."""
    label = plain_label(role=role, wraps=True)
    label.setAccessibleName(name)
    return label


def as_written(text: str) -> str:
    """A tooltip that shows `<b>` and `&lt;` as they are."""
    is_mark = "<" in text or "&" in text
    return f'<span style="white-space: pre-wrap">{escape(text)}</span>' if is_mark else text


def without_mnemonic(text: str) -> str:
    """What a button, box or menu is given so that it shows `&` as it is; one alone would underline a letter."""
    return text.replace("&", "&&")


def set_role(widget: QWidget, role: str) -> None:
    """Have the stylesheet give it the look of this role from now on."""
    if widget.property("role") != role:
        widget.setProperty("role", role)
        widget.style().polish(widget)
