"""Which runs differ in their seed alone: made by one `train --seeds`, or one by one with the same settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.comparison.differences import changed_keys
from core.comparison.read_run import ReadRun


@dataclass(frozen=True)
class SeedGroup:
    """Two runs or more; `places` are theirs among all that are compared."""

    name: str
    places: tuple[int, ...]


def seed_groups(runs: Sequence[ReadRun]) -> list[SeedGroup]:
    """The groups among these runs, in the order of their first runs."""
    groups: list[list[int]] = []
    for place, run in enumerate(runs):
        near = [group for group in groups if any(_belong_together(runs[other], run) for other in group)]
        joined = [other for group in near for other in group]
        groups = [*(group for group in groups if group not in near), [*joined, place]]
    return [_named(runs, sorted(group)) for group in sorted(groups) if len(group) > 1]


def _belong_together(one: ReadRun, other: ReadRun) -> bool:
    """Of the same command; or with the same settings, changes of them and origin, and another seed."""
    states = one.folder.state, other.folder.state
    if states[0].group is not None and states[0].group == states[1].group:
        return True
    mine, theirs = ((run.folder.state.parent, run.folder.state.parent_step, *run.changed) for run in (one, other))
    return mine == theirs and changed_keys(one.folder.config(), other.folder.config()) == ("seed",)


def _named(runs: Sequence[ReadRun], places: list[int]) -> SeedGroup:
    """By what `train --seeds` called it; else by what the settings are called, and the seeds."""
    members = [runs[place].folder for place in places]
    seeds = ", ".join(str(seed) for seed in sorted({run.config().seed for run in members}))
    given = next((run.state.group for run in members if run.state.group), None)
    return SeedGroup(given or f"{members[0].config().name}, seeds {seeds}", tuple(places))
