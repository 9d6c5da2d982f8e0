"""Timing of questions about the model: each answer says how long it kept the engine busy."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import TypeVar, cast

Owner = TypeVar("Owner")
Question = TypeVar("Question")
Answer = TypeVar("Answer", bound="TimedAnswer | tuple[TimedAnswer, ...]")


@dataclass(frozen=True, kw_only=True)
class TimedAnswer:
    """An answer to a question about the model."""

    seconds: float = field(default=0.0, compare=False)  # for which this kept the engine busy


def engine_seconds(answer: object) -> float:
    """How long an answer kept the engine busy; 0 if the model was not used for it."""
    parts = answer if isinstance(answer, tuple) else (answer,)
    return sum(part.seconds for part in parts if isinstance(part, TimedAnswer))


def timed(method: Callable[[Owner, Question], Answer]) -> Callable[[Owner, Question], Answer]:
    """Decorate a method that answers a question, to record the time it took; several answers share that evenly."""

    @wraps(method)
    def timed_method(owner: Owner, question: Question) -> Answer:
        started = time.perf_counter()
        answer = method(owner, question)
        parts = answer if isinstance(answer, tuple) else (answer,)
        each = (time.perf_counter() - started) / max(len(parts), 1)
        timed_parts = tuple(replace(part, seconds=each) for part in parts)
        return cast(Answer, timed_parts if isinstance(answer, tuple) else timed_parts[0])

    return timed_method
