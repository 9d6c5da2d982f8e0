"""A notice: something seen in a run that is rarely wanted, what it usually means, and an experiment worth a click."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from core.config import RunConfig
from core.notices.run_at_step import RunAtStep, Trigger
from core.settings.fields import setting_effect

NoticeKind = Literal[
    "same_output",
    "source_ignored",
    "teacher_forced_only",
    "memorising",
    "diverging",
    "no_rate",
    "dead_heads",
    "plateau",
]


@dataclass(frozen=True)
class Experiment:
    """A setting to try at another value than now, and the words for it."""

    text: str  # continues "Try it: "
    key: str
    value: object

    @property
    def acts_now(self) -> bool:
        """Whether it can change during a run; otherwise it takes a new run."""
        return setting_effect(self.key) == "now"


@dataclass(frozen=True)
class Rule:
    """One thing to look for at each probe or each validation of a run, once it is past its start."""

    kind: NoticeKind
    title: str  # a few words, for the mark in a plot
    trigger: Trigger
    meaning: str  # what it usually means
    check: Callable[[RunAtStep], str | None]  # what is seen, as a sentence with figures; None: nothing
    experiment: Callable[[RunConfig], Experiment | None]  # from the settings at the time it is asked for


@dataclass(frozen=True)
class Notice:
    """What a rule saw, first at `step`."""

    rule: Rule
    step: int
    observation: str
