"""Keeps in memory what was read last: a run has more probes and validations than should be there at once."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

ValueT = TypeVar("ValueT")


class RecentCache(Generic[ValueT]):
    """A cache of the values asked for last, by step."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[int, ValueT] = OrderedDict()

    def get(self, step: int) -> ValueT | None:
        if step in self._kept:
            self._kept.move_to_end(step)
        return self._kept.get(step)

    def put(self, step: int, value: ValueT) -> ValueT:
        self._kept[step] = value
        self._kept.move_to_end(step)
        while len(self._kept) > self._size:
            self._kept.popitem(last=False)
        return value

    def clear(self) -> None:
        self._kept.clear()
