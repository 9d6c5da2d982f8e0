"""Narrows types in tests: values that may be None in the program but not there."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QObject

Value = TypeVar("Value")
Child = TypeVar("Child", bound=QObject)


def not_none(value: Value | None) -> Value:
    """Return the value; fail if it is None, in which case `waitUntil` and `wait_for` try again."""
    assert value is not None
    return value


def child_of(parent: QObject, kind: type[Child]) -> Child:
    """Return the first child of this kind."""
    return not_none(parent.findChild(kind))
