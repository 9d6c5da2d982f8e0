"""Files dropped anywhere on the window: whoever knows their kind opens them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

Take = Callable[[Path], object]


class Dropping(QObject):
    """Asks by a file's suffix, in lower case with its dot; what nobody knows is not accepted."""

    def __init__(self, window: QWidget, takers: Mapping[str, Take]) -> None:
        super().__init__(window)
        self._takers = dict(takers)
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() not in (QEvent.Type.DragEnter, QEvent.Type.Drop) or not isinstance(event, QDropEvent):
            return False
        known = [(take, path) for path in _files(event.mimeData()) if (take := self._takers.get(path.suffix.lower()))]
        if known:
            event.acceptProposedAction()
        if event.type() == QEvent.Type.Drop:
            for take, path in known:
                take(path)
        return bool(known)


def _files(data: QMimeData) -> list[Path]:
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
