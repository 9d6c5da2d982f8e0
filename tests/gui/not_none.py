"""Values that may be None in the program, but must not be in a test."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QObject

Value = TypeVar("Value")
Child = TypeVar("Child", bound=QObject)


def not_none(value: Value | None) -> Value:
    """The value; fails if it is None: `waitUntil` and `wait_for` then try again."""
    assert value is not None
    return value


def child_of(parent: QObject, kind: type[Child]) -> Child:
    """The first part of this kind."""
    return not_none(parent.findChild(kind))
