"""Groups runs that differ only in their seed: made by one `train --seeds`, or one by one from the same settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.comparison.read_run import ReadRun

_PICKED = {"device", "precision", "num_threads"}  # what `auto` makes of these depends on the machine, not on a setting


@dataclass(frozen=True)
class SeedGroup:
    """Two or more runs, each with another seed; `places` are their indices among all compared runs."""

    name: str
    places: tuple[int, ...]


def seed_groups(runs: Sequence[ReadRun]) -> list[SeedGroup]:
    """The groups among these runs, in the order of their first runs.

    The runs of one command are a group, except for those with other settings (changed since, or from another command
    with the same name) or other data. A run made by hand joins those with its settings. A run that repeats a seed is in
    no group: its figures would count twice.
    """
    groups: dict[str, dict[int, int]] = {}  # a command's group and settings, or settings -> seed -> place
    for place, run in sorted(enumerate(runs), key=_is_by_hand):
        settings = _all_but_the_seed(run)
        group = run.folder.state.group
        made_by = repr((group, run.data, _as_a_command_gave_it(run)))
        members = groups.setdefault(made_by if group else settings, {})
        groups.setdefault(settings, members)
        members.setdefault(run.config.seed, place)
    found = {tuple(sorted(members.values())) for members in groups.values() if len(members) > 1}
    return [_named(runs, places) for places in sorted(found)]


def repeats(runs: Sequence[ReadRun]) -> dict[int, int]:
    """The indices of runs that repeat an earlier one, seed included -> the index of that one."""
    first: dict[tuple[str, int], int] = {}
    known = [first.setdefault((_all_but_the_seed(run), run.config.seed), place) for place, run in enumerate(runs)]
    return {place: before for place, before in enumerate(known) if place != before}


def places_of_other_data(runs: Sequence[ReadRun]) -> tuple[int, int] | None:
    """The indices of two runs of one command, or of the same settings, whose data differ; None if there are none.

    Then a corpus was changed between them without changing its name.
    """
    first: dict[str, int] = {}  # a command's group, or settings -> place
    for place, run in enumerate(runs):
        for common in (run.folder.state.group, _as_a_command_gave_it(run)):  # lengths may depend on the data
            if common is not None and run.data is not None:
                known = first.setdefault(common, place)
                if runs[known].data != run.data:
                    return known, place
    return None


def _is_by_hand(placed: tuple[int, ReadRun]) -> bool:
    return placed[1].folder.state.group is None


def _all_but_the_seed(run: ReadRun) -> str:
    """What runs that differ only in their seed have in common: origin, data, settings and changes of them."""
    state, settings = run.folder.state, run.config.model_dump(exclude={"seed"})
    return repr((state.parent, state.parent_step, run.data, settings, *run.changed))


def _as_a_command_gave_it(run: ReadRun) -> str:
    """What all runs of one `train --seeds` have in common."""
    return repr((run.config.model_dump(exclude={"seed": True, "training": _PICKED}), *run.changed))


def _named(runs: Sequence[ReadRun], places: tuple[int, ...]) -> SeedGroup:
    """The group, named as `train --seeds` named it, or by the name in its settings and its seeds."""
    members = [runs[place] for place in places]
    seeds = ", ".join(str(seed) for seed in sorted(run.config.seed for run in members))
    given = next((run.folder.state.group for run in members if run.folder.state.group), None)
    return SeedGroup(given or f"{members[0].config.name}, seeds {seeds}", places)
