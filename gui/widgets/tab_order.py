"""The Tab order of a part that is built late, which Qt puts after everything else in the window."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def tab_on_into(built: QWidget, behind: QWidget) -> None:
    """Have Tab lead into `built` from `behind`, or from the last widget inside `behind`."""
    chain = _focusable_from(behind)
    inner = [widget for widget in chain if built.isAncestorOf(widget)]
    last = [widget for widget in chain if widget is behind or behind.isAncestorOf(widget)][-1]
    _tab_on(last, inner)


def tab_first_into(built: QWidget, part: QWidget) -> None:
    """Have Tab lead into `built`, a part of `part`, before it comes to anything else in `part`."""
    mine = [widget for widget in _focusable_from(part) if part.isAncestorOf(widget)]
    others = [widget for widget in mine if not built.isAncestorOf(widget)]
    if others:
        *_, before = (widget for widget in _focusable_from(others[0]) if not built.isAncestorOf(widget))
        _tab_on(before, [widget for widget in mine if built.isAncestorOf(widget)])


def _tab_on(first: QWidget, widgets: list[QWidget]) -> None:
    for before, widget in zip([first, *widgets], widgets, strict=False):
        QWidget.setTabOrder(before, widget)


def _focusable_from(first: QWidget) -> list[QWidget]:
    """The widgets that take the keyboard focus, in Tab order, once around from `first`."""
    chain, widget = [first], first.nextInFocusChain()
    while widget is not None and widget is not first:
        chain.append(widget)
        widget = widget.nextInFocusChain()
    return [widget for widget in chain if widget.focusPolicy() != Qt.FocusPolicy.NoFocus]
