"""Compares runs by their settings and results, or a single run with the defaults, for terminal and window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from core.comparison.differences import Settings, differing, settings_of
from core.comparison.run_results import RunResults
from core.comparison.seeds import SeedGroup
from core.comparison.spread import spread
from core.config import DatasetConfig, RunConfig, TokenizerConfig
from core.runs.run_summary import current_state
from core.settings.fields import run_settings
from core.settings.overriding import change_setting

# The tokenizer is resolved, as in every run; the dataset counts as different whatever it is.
_DEFAULTS = settings_of(
    RunConfig.model_construct(dataset=DatasetConfig.model_construct(plugin=None, tokenizer=TokenizerConfig()))
)


def comparison_records(runs: Sequence[RunResults], groups: Sequence[SeedGroup]) -> list[dict[str, object]]:
    """One record for each run and two for each group, all with the same names.

    Among them are the settings in which the runs differ, or for a single run, below its figures, those not at their
    defaults. How many sentences the figures are of is among them if a run's validations decode only some.
    """
    settings = _distinguishing_settings(runs)
    figures = [_best_figures(run) for run in runs]
    names = sorted({name for one in figures for name in one})
    group_names = _group_names(runs, groups)
    counts = _counts_of_sentences(runs)
    records: list[dict[str, object]] = []
    for index, run in enumerate(runs):
        distinguishing = {key: values[index] for key, values in settings.items()}
        reached = counts[index] | {name: figures[index].get(name) for name in names}
        # Runs differ in few settings; a single run has many.
        rest = reached | distinguishing if len(runs) == 1 else distinguishing | reached
        group = {"group": group_names[index]} if any(group_names) else {}
        records.append({"run": run.folder.path.name} | group | _state_record(run) | rest)
    return [*records, *(dict.fromkeys(records[0]) | spread for spread in _spreads(groups, counts, figures))]


def _state_record(run: RunResults) -> dict[str, object]:
    known = run.folder.state
    return {"state": current_state(run.folder), "last_step": known.last_step, "best_step": known.best_step}


def _distinguishing_settings(runs: Sequence[RunResults]) -> dict[str, list[object]]:
    """The settings that tell runs apart, or a single run from the defaults."""
    over_time = [_settings_over_time(run) for run in runs]
    if len(runs) > 1:
        return differing(over_time)
    differing_values, (run,) = differing([*over_time, _DEFAULTS]), runs
    changed = {change.key for change in run.changed}
    left_out = tuple(f"{name}." for name in _unchosen_settings(run.config))
    return {
        key: values
        for key, values in differing_values.items()
        if key in over_time[0] and (key in changed or not f"{key}.".startswith(left_out))
    }


def _unchosen_settings(config: RunConfig) -> Iterator[str]:
    """Settings whose value nobody has chosen, as far as the run shows: what `auto` became is stored like a choice.

    Without the tokenizer if it has subwords: every figure depends on how many there are.
    """
    tokenizer = config.dataset.tokenizer
    has_subwords = tokenizer != "auto" and bool(tokenizer.subwords)
    for name, field in run_settings().items():
        if field.default == "auto" and not (has_subwords and name.startswith("dataset.tokenizer")):
            yield name


def _counts_of_sentences(runs: Sequence[RunResults]) -> list[dict[str, int | None]]:
    """How many sentences each run's figures are of; nothing if all validated sentences were decoded, too."""
    known = [run.validated for run in runs if run.validated is not None]
    if not any(validated.is_partial for validated in known):
        return [{} for _ in runs]
    unknown: dict[str, int | None] = dict.fromkeys(known[0].as_fields())
    return [unknown if run.validated is None else {**unknown, **run.validated.as_fields()} for run in runs]


def _settings_over_time(run: RunResults) -> Settings:
    """The settings of a run; one that changed while it ran is given in words, as in "0.003, 0.0003 after step 300"."""
    config, held = run.config, {0: settings_of(run.config)}  # step -> settings after it
    for changed in run.changed:
        config = change_setting(config, changed.key, changed.value)
        held[changed.step] = settings_of(config)
    changes = differing([*held.values()])
    return held[0] | {key: _over_time([*held], values) for key, values in changes.items()}


def _over_time(steps: Sequence[int], values: Sequence[object]) -> str:
    """The first value of a setting, and each later one with the step after which it held."""
    held = pairwise(zip(steps, values, strict=True))
    changes = [f"{format_value(value)} after step {step:,}" for (_, before), (step, value) in held if value != before]
    return ", ".join([format_value(values[0]), *changes])


def _group_names(runs: Sequence[RunResults], groups: Sequence[SeedGroup]) -> list[str | None]:
    """For each run, the group it is compared in, or what `train --seeds` called it if it is here alone."""
    names = {index: group.name for group in groups for index in group.indices}
    return [names.get(index, run.folder.state.group) for index, run in enumerate(runs)]


def _spreads(
    groups: Sequence[SeedGroup], counts: Sequence[dict[str, int | None]], figures: Sequence[dict[str, float]]
) -> Iterator[dict[str, object]]:
    """Mean and standard deviation of each group's figures; the mean also has the number of sentences."""
    for group in groups:
        mean, deviation = spread([figures[index] for index in group.indices])
        yield {"run": f"mean of {len(group.indices)}", "group": group.name, **counts[group.indices[0]], **mean}
        yield {"run": "standard deviation", "group": group.name, **deviation}


def _best_figures(run: RunResults) -> dict[str, float]:
    best_step = run.folder.state.best_step
    return run.validations.get(max(run.validations, default=0) if best_step is None else best_step, {})


def format_value(value: object) -> str:
    """A record's value, formatted for people; true and false as in YAML."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.6g}" if isinstance(value, float) else str(value)
