"""A notice: what is seen in a run that is rarely wanted, what it usually means, and an experiment worth a click."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from core.config import RunConfig
from core.notices.moment import Looked, Moment
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
    """A setting to try that is another than now, and the words for it."""

    text: str  # goes on after "Try it: "
    key: str
    value: object

    @property
    def acts_now(self) -> bool:
        """Whether it acts between two steps; otherwise a new run takes it over."""
        return setting_effect(self.key) == "now"


@dataclass(frozen=True)
class Rule:
    """One thing to look for at each probe or each validation of a run, once what is normal at its start is past."""

    kind: NoticeKind
    title: str  # a few words, for a mark
    looks_at: Looked
    usually: str  # what it usually means
    look: Callable[[Moment], str | None]  # what is seen there, in a sentence with its figures; None: nothing
    experiment: Callable[[RunConfig], Experiment | None]  # with the settings of the moment it is asked for


@dataclass(frozen=True)
class Notice:
    """What a rule saw, first at `step`."""

    rule: Rule
    step: int
    seen: str
