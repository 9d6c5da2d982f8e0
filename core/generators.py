"""Loops over generators whose result a `for` loop would drop."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from typing import TypeVar

Yielded = TypeVar("Yielded")
Mapped = TypeVar("Mapped")
Result = TypeVar("Result")


def run_to_end(work: Generator[Yielded, None, Result], handle: Callable[[Yielded], object] = lambda _: None) -> Result:
    """Call `handle` with each value that the generator yields; returns what the generator returns."""
    with closing(work):
        while True:
            try:
                value = next(work)
            except StopIteration as end:
                result: Result = end.value
                return result
            handle(value)


def map_yielded(
    work: Generator[Yielded, None, Result], function: Callable[[Yielded], Mapped]
) -> Generator[Mapped, None, Result]:
    """Yield `function` of each value that the generator yields; returns what the generator returns."""
    with closing(work):
        while True:
            try:
                value = next(work)
            except StopIteration as end:
                result: Result = end.value
                return result
            yield function(value)
