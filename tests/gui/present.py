"""What has to be there by now, of what the program may have to do without."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QObject

Value = TypeVar("Value")
Child = TypeVar("Child", bound=QObject)


def present(value: Value | None) -> Value:
    """Fails where it is not there; `waitUntil` and `wait_for` ask again."""
    assert value is not None
    return value


def child_of(parent: QObject, kind: type[Child]) -> Child:
    """The first part of this kind."""
    return present(parent.findChild(kind))
