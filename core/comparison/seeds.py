"""Which runs differ in their seed alone: made by one `train --seeds`, or one by one with the same settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.comparison.differences import changed_keys
from core.run_folder import RunFolder


@dataclass(frozen=True)
class SeedGroup:
    """Two runs or more; `places` are theirs among all that are compared."""

    name: str
    places: tuple[int, ...]


def seed_groups(runs: Sequence[RunFolder]) -> list[SeedGroup]:
    """The groups among these runs, in the order of their first runs."""
    groups: list[list[int]] = []
    for place, run in enumerate(runs):
        near = [group for group in groups if any(_belong_together(runs[other], run) for other in group)]
        joined = [other for group in near for other in group]
        groups = [*(group for group in groups if group not in near), [*joined, place]]
    return [_named(runs, sorted(group)) for group in sorted(groups) if len(group) > 1]


def _belong_together(one: RunFolder, other: RunFolder) -> bool:
    if one.state.group is not None and one.state.group == other.state.group:
        return True
    origins = [(run.state.parent, run.state.parent_step) for run in (one, other)]
    return origins[0] == origins[1] and changed_keys(one.config(), other.config()) == ("seed",)


def _named(runs: Sequence[RunFolder], places: list[int]) -> SeedGroup:
    """By what `train --seeds` called it; else by what the settings are called, and the seeds."""
    members = [runs[place] for place in places]
    seeds = ", ".join(str(seed) for seed in sorted({run.config().seed for run in members}))
    given = next((run.state.group for run in members if run.state.group), None)
    return SeedGroup(given or f"{members[0].config().name}, seeds {seeds}", tuple(places))
