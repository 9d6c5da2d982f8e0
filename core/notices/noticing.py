"""Looks at a run as it goes on, once at each probe and validation, and keeps what was noticed, and until when."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from core.errors import UserError
from core.notices.moment import Looked, Moment
from core.notices.notice import Notice, NoticeKind, Rule
from core.notices.rules import RULES

if TYPE_CHECKING:
    from core.history import History

Noticed = tuple[dict[NoticeKind, Notice], dict[NoticeKind, int]]


class Noticing:
    """A rule notices if it sees the same at two looks in a row, once a run; its notice holds until a look sees nothing.

    Notices are published once everything new has been looked at: in a long run that was opened, one may end at a later
    step. Used by the thread that uses the history it belongs to.
    """

    def __init__(self) -> None:
        self._notices: dict[NoticeKind, Notice] = {}
        self._ended: dict[NoticeKind, int] = {}  # the step at which it was no longer seen
        self._told: Noticed = {}, {}  # both, as they were when nothing new was left
        self._looks: dict[NoticeKind, list[tuple[int, bool]]] = {}  # per rule: its steps, and whether it saw anything
        self._looked_at: dict[Looked, int] = {"probe": -1, "validation": -1}

    def look(self, history: History) -> Iterator[None]:
        """Look at what is new, yielding after each probe and validation; may be abandoned at any yield."""
        prepared = history.prepared
        if prepared is None:
            return
        to_look_at: dict[Looked, list[int]] = {"probe": history.probe_steps, "validation": sorted(history.validations)}
        for looks_at, steps in to_look_at.items():
            rules = [rule for rule in RULES if rule.looks_at == looks_at]
            for step in steps[bisect_right(steps, self._looked_at[looks_at]) :]:
                self._looked_at[looks_at] = step
                self._ask(rules, Moment(history, prepared, step, looks_at))
                yield
        self._told = dict(self._notices), dict(self._ended)

    def at(self, step: int) -> list[Notice]:
        """The notices made at or before this step that still held there."""
        _, ended = self._told
        return [notice for notice in self.all() if notice.step <= step and step < ended.get(notice.rule.kind, step + 1)]

    def all(self) -> list[Notice]:
        """All notices, in the order of the rules."""
        notices, _ = self._told
        return [notices[rule.kind] for rule in RULES if rule.kind in notices]

    def cut_back_to(self, step: int) -> None:
        """Forget what came after a step."""
        self._told = _cut_back(*self._told, step)
        self._notices, self._ended = _cut_back(self._notices, self._ended, step)
        self._looks = {kind: [look for look in looks if look[0] <= step] for kind, looks in self._looks.items()}
        self._looked_at = {what: min(looked, step) for what, looked in self._looked_at.items()}

    def _ask(self, rules: list[Rule], moment: Moment) -> None:
        if not moment.is_past_the_start:
            return
        for rule in rules:
            if rule.kind in self._ended:
                continue
            with suppress(UserError):  # thinned out or damaged, which is reported where somebody looks at it
                self._take(rule, moment.step, rule.look(moment))

    def _take(self, rule: Rule, step: int, seen: str | None) -> None:
        looks = self._looks.setdefault(rule.kind, [])
        if seen is None:
            if rule.kind in self._notices:
                self._ended.setdefault(rule.kind, step)
        elif looks and looks[-1][1] and rule.kind not in self._notices:
            self._notices[rule.kind] = Notice(rule, step, f"At step {step:,} {seen}.")
        looks.append((step, seen is not None))


def _cut_back(notices: dict[NoticeKind, Notice], ended: dict[NoticeKind, int], step: int) -> Noticed:
    kept = {kind: notice for kind, notice in notices.items() if notice.step <= step}
    return kept, {kind: at for kind, at in ended.items() if at <= step and kind in kept}
