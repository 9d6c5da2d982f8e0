"""Looks at a run as it goes on, each probe and each validation once, and keeps what was noticed and until when."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from core.errors import UserError
from core.events import Prepared
from core.notices.moment import Moment
from core.notices.notice import Notice, NoticeKind, Rule
from core.notices.rules import RULES

if TYPE_CHECKING:
    from core.history import History


class Noticing:
    """A rule notices where it sees the same at two looks in a row, once a run; it holds until a look that sees nothing.

    Used by the thread that uses the history it belongs to.
    """

    def __init__(self) -> None:
        self._notices: dict[NoticeKind, Notice] = {}
        self._ended: dict[NoticeKind, int] = {}  # the step at which it was seen no longer
        self._seen_before: dict[NoticeKind, bool] = {}  # at the last look
        self._looked_at = {"probe": -1, "validation": -1}

    def look(self, history: History) -> Iterator[None]:
        """Look at what is new, yielding after each probe and each validation; may be left at any yield."""
        prepared = history.prepared
        if prepared is None:
            return
        validations = sorted(history.validations)
        for looks_at, steps in (("validation", validations), ("probe", history.probe_steps)):
            rules = [rule for rule in RULES if rule.looks_at == looks_at]
            for step in steps[bisect_right(steps, self._looked_at[looks_at]) :]:
                self._looked_at[looks_at] = step
                self._ask(rules, history, prepared, step)
                yield

    def at(self, step: int) -> list[Notice]:
        """What was noticed at or before this step, and held there."""
        return [
            notice
            for notice in self.all()
            if notice.step <= step and step < self._ended.get(notice.rule.kind, step + 1)
        ]

    def all(self) -> list[Notice]:
        """Everything that was noticed, in the order of the rules."""
        return [self._notices[rule.kind] for rule in RULES if rule.kind in self._notices]

    def cut_back_to(self, step: int) -> None:
        """Forget what came after a step."""
        self._notices = {kind: notice for kind, notice in self._notices.items() if notice.step <= step}
        self._ended = {kind: ended for kind, ended in self._ended.items() if ended <= step and kind in self._notices}
        self._seen_before.clear()
        self._looked_at = {what: min(looked, step) for what, looked in self._looked_at.items()}

    def _ask(self, rules: list[Rule], history: History, prepared: Prepared, step: int) -> None:
        moment = Moment(history, prepared, step)
        if not moment.is_past_the_start:
            return
        for rule in rules:
            if rule.kind in self._ended:
                continue
            with suppress(UserError):  # thinned out or damaged: that is told of where somebody looks at it
                self._take(rule, step, rule.look(moment))

    def _take(self, rule: Rule, step: int, seen: str | None) -> None:
        if seen is None:
            if rule.kind in self._notices:
                self._ended.setdefault(rule.kind, step)
        elif self._seen_before.get(rule.kind) and rule.kind not in self._notices:
            self._notices[rule.kind] = Notice(rule, step, f"At step {step:,} {seen}.")
        self._seen_before[rule.kind] = seen is not None
