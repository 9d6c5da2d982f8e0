"""Labels that show text literally, made the same way everywhere."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QLabel,
    QWidget,
)


def plain_label(text: str = "", *, role: str = "", wraps: bool = False, is_copyable: bool = False) -> QLabel:
    """A label that shows `<unk>` literally (QLabel would take it for rich text); a copyable one can be selected."""
    label = QLabel(text, textFormat=Qt.TextFormat.PlainText, wordWrap=wraps)
    if is_copyable:
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    if role:
        label.setProperty("role", role)
    return label


def wrapping_label(what: str, *, role: str = "") -> QLabel:
    """A plain label that wraps its lines; a screen reader reads its text, and then `what` that is."""
    label = plain_label(role=role, wraps=True)
    label.setAccessibleDescription(what)  # a name would be read instead of the text
    return label


def literal_tooltip(text: str) -> str:
    """The text for a tooltip that is to show `<b>` and `&lt;` literally."""
    is_mark = "<" in text or "&" in text
    return f'<span style="white-space: pre-wrap">{escape(text)}</span>' if is_mark else text


def escape_mnemonics(text: str) -> str:
    """The text for a button, box or menu that is to show `&`; a single one would underline the next letter."""
    return text.replace("&", "&&")


def set_role(widget: QWidget, role: str) -> None:
    """Give a widget the look that the stylesheet has for this role."""
    if widget.property("role") != role:
        widget.setProperty("role", role)
        widget.style().polish(widget)
