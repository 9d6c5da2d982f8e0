"""The Tab order of a part that is built late, which Qt puts after everything else, and the focus of one that goes."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def insert_in_tab_order(inserted: QWidget, after: QWidget) -> None:
    """Have Tab lead into `inserted` from `after`, or from the last widget inside `after`."""
    chain = _focusable_from(after)
    inner = [widget for widget in chain if inserted.isAncestorOf(widget)]
    last = [widget for widget in chain if widget is after or after.isAncestorOf(widget)][-1]
    _chain(last, inner)


def put_first_in_tab_order(inserted: QWidget, container: QWidget) -> None:
    """Have Tab lead into `inserted`, a part of `container`, before it comes to anything else in `container`."""
    mine = [widget for widget in _focusable_from(container) if container.isAncestorOf(widget)]
    others = [widget for widget in mine if not inserted.isAncestorOf(widget)]
    if others:
        *_, before = (widget for widget in _focusable_from(others[0]) if not inserted.isAncestorOf(widget))
        _chain(before, [widget for widget in mine if inserted.isAncestorOf(widget)])


def release_focus(leaving: QWidget, to: QWidget | None = None) -> None:
    """Give the focus to the window, or to `to`, before a part is disabled, or another page takes its place.

    Qt would give it to the next button, and Space would press that instead of Learn. Of a part that is only hidden, the
    window takes the focus by itself.
    """
    focused = leaving.window().focusWidget()
    if focused is not None and (focused is leaving or leaving.isAncestorOf(focused)):
        (to or leaving.window()).setFocus()


def _chain(first: QWidget, widgets: list[QWidget]) -> None:
    for before, widget in zip([first, *widgets], widgets, strict=False):
        QWidget.setTabOrder(before, widget)


def _focusable_from(first: QWidget) -> list[QWidget]:
    """The widgets that take the keyboard focus, in Tab order, once around from `first`."""
    chain, widget = [first], first.nextInFocusChain()
    while widget is not None and widget is not first:
        chain.append(widget)
        widget = widget.nextInFocusChain()
    return [widget for widget in chain if widget.focusPolicy() != Qt.FocusPolicy.NoFocus]
