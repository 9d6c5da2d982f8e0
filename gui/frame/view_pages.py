"""Shows one view at a time, and builds each when it is first needed: in most windows, most are never opened."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtWidgets import QStackedWidget

from gui.context import Context
from gui.view import View
from gui.widgets.tab_order import insert_in_tab_order

AnyView = TypeVar("AnyView", bound=View)


class ViewPages(QStackedWidget):
    """Calls `on_built` with each view that it has built."""

    def __init__(self, context: Context, on_built: Callable[[View], object]) -> None:
        super().__init__()
        self._context = context
        self._on_built = on_built
        self._built: dict[type[View], View] = {}

    def view(self, kind: type[AnyView]) -> AnyView:
        """The view of this class, built if it is not there yet."""
        if kind not in self._built:
            built = self._built[kind] = kind(self._context)
            self.addWidget(built)
            if self.count() > 1:
                insert_in_tab_order(built, after=next(iter(self._built.values())))
            self._on_built(built)
        view = self._built[kind]
        assert isinstance(view, kind)
        return view

    def open(self, kind: type[View]) -> None:
        self.setCurrentWidget(self.view(kind))
