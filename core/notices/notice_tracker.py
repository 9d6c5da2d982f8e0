"""Looks at a run as it goes on, once at each probe and validation, and keeps what was noticed, and until when."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress

from core.errors import UserError
from core.notices.notice import Notice, NoticeKind, Rule
from core.notices.readable_run import ReadableRun
from core.notices.rules import RULES
from core.notices.run_at_step import RunAtStep, Trigger

PublishedNotices = tuple[dict[NoticeKind, Notice], dict[NoticeKind, int]]


class NoticeTracker:
    """A rule notices if it sees the same at two checks in a row, once a run; its notice holds until one sees nothing.

    Notices are published once everything new has been checked: in a long run that was opened, one may end at a later
    step. Used by the thread that uses the history it belongs to.
    """

    def __init__(self) -> None:
        self._notices: dict[NoticeKind, Notice] = {}
        self._ended: dict[NoticeKind, int] = {}  # the step at which it was no longer seen
        self._published: PublishedNotices = {}, {}  # both, as they were when nothing new was left
        self._checks: dict[NoticeKind, list[tuple[int, bool]]] = {}  # per rule: its steps, and whether it saw anything
        self._checked_until: dict[Trigger, int] = {"probe": -1, "validation": -1}

    def check_new(self, run: ReadableRun) -> Iterator[None]:
        """Check what is new, yielding after each probe and validation; may be abandoned at any yield."""
        prepared = run.prepared
        if prepared is None:
            return
        steps_to_check: dict[Trigger, list[int]] = {
            "probe": run.probes.steps,
            "validation": sorted(run.validations),
        }
        for trigger, steps in steps_to_check.items():
            rules = [rule for rule in RULES if rule.trigger == trigger]
            for step in steps[bisect_right(steps, self._checked_until[trigger]) :]:
                self._checked_until[trigger] = step
                self._check_rules(rules, RunAtStep(run, prepared, step, trigger))
                yield
        self._published = dict(self._notices), dict(self._ended)

    def at(self, step: int) -> list[Notice]:
        """The notices made at or before this step that still held there."""
        _, ended = self._published
        return [notice for notice in self.all() if notice.step <= step and step < ended.get(notice.rule.kind, step + 1)]

    def all(self) -> list[Notice]:
        """All notices, in the order of the rules."""
        notices, _ = self._published
        return [notices[rule.kind] for rule in RULES if rule.kind in notices]

    def truncate_after(self, step: int) -> None:
        """Forget what came after a step."""
        self._published = _cut_back(*self._published, step)
        self._notices, self._ended = _cut_back(self._notices, self._ended, step)
        self._checks = {kind: [check for check in checks if check[0] <= step] for kind, checks in self._checks.items()}
        self._checked_until = {what: min(checked, step) for what, checked in self._checked_until.items()}

    def _check_rules(self, rules: list[Rule], run: RunAtStep) -> None:
        if not run.is_past_the_start:
            return
        for rule in rules:
            if rule.kind in self._ended:
                continue
            with suppress(UserError):  # thinned out or damaged, which is reported where somebody looks at it
                self._record(rule, run.step, rule.check(run))

    def _record(self, rule: Rule, step: int, observation: str | None) -> None:
        checks = self._checks.setdefault(rule.kind, [])
        if observation is None:
            if rule.kind in self._notices:
                self._ended.setdefault(rule.kind, step)
        elif checks and checks[-1][1] and rule.kind not in self._notices:
            self._notices[rule.kind] = Notice(rule, step, f"At step {step:,} {observation}.")
        checks.append((step, observation is not None))


def _cut_back(notices: dict[NoticeKind, Notice], ended: dict[NoticeKind, int], step: int) -> PublishedNotices:
    kept = {kind: notice for kind, notice in notices.items() if notice.step <= step}
    return kept, {kind: at for kind, at in ended.items() if at <= step and kind in kept}
