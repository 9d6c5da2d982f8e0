"""Groups runs that differ only in their seed: made by one `train --seeds`, or one by one from the same settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.comparison.run_results import RunResults

_MACHINE_SETTINGS = {"device", "precision", "num_threads"}  # for which `auto` depends on the machine, not on a setting


@dataclass(frozen=True)
class SeedGroup:
    """Two or more runs, each with another seed; `indices` count all compared runs, from 0."""

    name: str
    indices: tuple[int, ...]


def seed_groups(runs: Sequence[RunResults]) -> list[SeedGroup]:
    """The groups among these runs, in the order of their first runs.

    The runs of one command are a group, except for those with other settings (changed since, or from another command
    with the same name) or other data. A run made by hand joins those with its settings. A run that repeats a seed is in
    no group: its figures would count twice.
    """
    groups: dict[str, dict[int, int]] = {}  # a command's group and settings, or settings -> seed -> place
    for index, run in sorted(enumerate(runs), key=_is_by_hand):
        settings = _settings_key(run)
        group = run.folder.state.group
        made_by = repr((group, run.data, _command_key(run)))
        members = groups.setdefault(made_by if group else settings, {})
        groups.setdefault(settings, members)
        members.setdefault(run.config.seed, index)
    found = {tuple(sorted(members.values())) for members in groups.values() if len(members) > 1}
    return [_name_group(runs, indices) for indices in sorted(found)]


def repeated_runs(runs: Sequence[RunResults]) -> dict[int, int]:
    """The indices of runs that repeat an earlier one, seed included -> the index of that one."""
    first: dict[tuple[str, int], int] = {}
    known = [first.setdefault((_settings_key(run), run.config.seed), index) for index, run in enumerate(runs)]
    return {index: before for index, before in enumerate(known) if index != before}


def runs_with_other_data(runs: Sequence[RunResults]) -> tuple[int, int] | None:
    """The indices of two runs of one command, or of the same settings, whose data differ; None if there are none.

    Then a corpus was changed between them without changing its name.
    """
    first: dict[str, int] = {}  # a command's group, or settings -> place
    for index, run in enumerate(runs):
        for common in (run.folder.state.group, _command_key(run)):  # lengths may depend on the data
            if common is not None and run.data is not None:
                known = first.setdefault(common, index)
                if runs[known].data != run.data:
                    return known, index
    return None


def _is_by_hand(placed: tuple[int, RunResults]) -> bool:
    return placed[1].folder.state.group is None


def _settings_key(run: RunResults) -> str:
    """What runs that differ only in their seed have in common: origin, data, settings and changes of them."""
    state, settings = run.folder.state, run.config.model_dump(exclude={"seed"})
    return repr((state.parent, state.parent_step, run.data, settings, *run.changed))


def _command_key(run: RunResults) -> str:
    """What all runs of one `train --seeds` have in common."""
    return repr((run.config.model_dump(exclude={"seed": True, "training": _MACHINE_SETTINGS}), *run.changed))


def _name_group(runs: Sequence[RunResults], indices: tuple[int, ...]) -> SeedGroup:
    """The group, named as `train --seeds` named it, or by the name in its settings and its seeds."""
    members = [runs[index] for index in indices]
    seeds = ", ".join(str(seed) for seed in sorted(run.config.seed for run in members))
    given = next((run.folder.state.group for run in members if run.folder.state.group), None)
    return SeedGroup(given or f"{members[0].config.name}, seeds {seeds}", indices)
