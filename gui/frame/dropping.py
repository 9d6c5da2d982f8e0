"""Files dropped anywhere on the window: whoever knows their kind opens them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

Take = Callable[[Path], object]
TakeAll = Callable[[list[Path]], object]


class Dropping(QObject):
    """Asks by a file's suffix, in lower case with its dot; `take_rest` gets all others together, in their order."""

    def __init__(self, window: QWidget, takers: Mapping[str, Take], take_rest: TakeAll) -> None:
        super().__init__(window)
        self._takers, self._take_rest = dict(takers), take_rest
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() not in (QEvent.Type.DragEnter, QEvent.Type.Drop) or not isinstance(event, QDropEvent):
            return False
        paths = _files(event.mimeData())
        if paths:
            event.acceptProposedAction()
        if paths and event.type() == QEvent.Type.Drop:
            self._take(paths)
        return bool(paths)

    def _take(self, paths: list[Path]) -> None:
        rest = []
        for path in paths:
            if take := self._takers.get(path.suffix.lower()):
                take(path)
            else:
                rest.append(path)
        if rest:
            self._take_rest(rest)


def _files(data: QMimeData) -> list[Path]:
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
