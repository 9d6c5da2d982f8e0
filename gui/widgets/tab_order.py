"""The order of Tab where a part is built so late that Qt puts it behind all else in the window."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def tab_on_into(built: QWidget, behind: QWidget) -> None:
    """Have Tab come into what was built from `behind`, or from the last that is in there."""
    chain = _focusable_from(behind)
    inner = [widget for widget in chain if built.isAncestorOf(widget)]
    last = [widget for widget in chain if widget is behind or behind.isAncestorOf(widget)][-1]
    for before, widget in zip([last, *inner], inner, strict=False):
        QWidget.setTabOrder(before, widget)


def _focusable_from(first: QWidget) -> list[QWidget]:
    """What takes the keyboard, in the order of Tab, from a widget on and round to it again."""
    chain, widget = [first], first.nextInFocusChain()
    while widget is not None and widget is not first:
        chain.append(widget)
        widget = widget.nextInFocusChain()
    return [widget for widget in chain if widget.focusPolicy() != Qt.FocusPolicy.NoFocus]
