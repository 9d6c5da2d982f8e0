"""Grouping runs that differ only in `seed`, and those of one `train --seeds`, for their mean and deviation."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.comparison.records import comparison_records
from core.comparison.run_results import RunResults
from core.comparison.seeds import runs_with_other_data, seed_groups
from core.config import RunConfig
from core.events import SettingChanged, ValidationDone
from core.run_folder import RunFolder
from tests.record_calls import record_calls


def run(
    runs_dir: Path, name: str, seed: int, *, heads: int = 4, loss: float = 1.0, data: str = "", **state: object
) -> RunFolder:
    """A run with these settings that was validated once; `data` is the fingerprint of its data, if known."""
    folder = RunFolder.create_at(runs_dir / name)
    document = {"dataset": {"plugin": "copy_task"}, "seed": seed, "model": {"num_heads": heads}}
    folder.write_config(RunConfig.model_validate(document))
    if data:
        tokens = {"dataset": {"tokenizer": {"tgt": "whitespace"}}, "tgt_tokens": []}
        folder.write_vocabulary({"num_pairs": {"valid": 3}, "fingerprint": data, **tokens})
    folder.write_validation(ValidationDone(step=10, metrics={"valid/loss": loss}, sentences=(), is_best=True))
    folder.update(**state)
    return folder


def records(*runs: RunFolder) -> list[dict[str, object]]:
    read = [RunResults.read(run) for run in runs]
    return comparison_records(read, seed_groups(read))


def groups(*runs: RunFolder) -> list[tuple[str, tuple[int, ...]]]:
    return [(group.name, group.indices) for group in seed_groups([RunResults.read(run) for run in runs])]


def test_runs_that_differ_only_in_the_seed_are_a_group(tmp_path: Path) -> None:
    first, second, third = (run(tmp_path, name, seed) for name, seed in (("a", 0), ("b", 1), ("c", 7)))
    other = run(tmp_path, "other", 2, heads=8)
    assert groups(first, other, second, third) == [("copy_task, seeds 0, 1, 7", (0, 2, 3))]
    assert groups(first, other) == []


def test_the_same_run_twice_is_not_a_group(tmp_path: Path) -> None:
    assert groups(run(tmp_path, "a", 0), run(tmp_path, "again", 0)) == []


@pytest.mark.parametrize("group", [None, "two_seeds"])
def test_a_repeated_seed_counts_once(tmp_path: Path, group: str | None) -> None:
    """The second run may be a repetition or a copy."""
    runs = [run(tmp_path, name, seed, group=group) for name, seed in (("a", 0), ("again", 0), ("b", 1), ("b again", 1))]
    assert groups(*runs[:3]) == groups(*runs) == [(group or "copy_task, seeds 0, 1", (0, 2))]


def test_runs_of_two_commands_are_separate_groups(tmp_path: Path) -> None:
    """Even if a run started separately could belong to either group."""
    runs = [run(tmp_path, f"{group} {seed}", seed, group=group) for group in ("first", "second") for seed in (0, 1)]
    by_hand = [run(tmp_path, f"by hand {seed}", seed) for seed in (1, 2)]
    assert groups(*runs) == [("first", (0, 1)), ("second", (2, 3))]
    assert groups(*by_hand, *runs) == [("first", (1, 2, 3)), ("second", (4, 5))]


def test_runs_of_one_group_name_with_different_settings_are_separate_groups(tmp_path: Path) -> None:
    """In earlier versions, two commands within a second got the same group name."""
    runs = [run(tmp_path, f"{heads} {seed}", seed, heads=heads, group="g") for heads in (4, 8) for seed in (0, 1)]
    assert groups(*runs[1:]) == [("g", (1, 2))]
    assert groups(*runs) == [("g", (0, 1)), ("g", (2, 3))]


@pytest.mark.parametrize("group", [None, "g"])
def test_runs_on_different_data_are_separate_groups(tmp_path: Path, group: str | None) -> None:
    runs = [run(tmp_path, f"{seed}", seed, group=group, data="old" if seed < 2 else "new") for seed in range(4)]
    assert [places for _, places in groups(*runs)] == [(0, 1), (2, 3)]
    assert groups(*runs[1:3]) == []
    read = [RunResults.read(one) for one in runs]
    assert runs_with_other_data(read) == (0, 2) and runs_with_other_data(read[:2]) is None


def test_runs_of_a_command_with_lengths_of_different_data_are_reported(tmp_path: Path) -> None:
    one, other = (run(tmp_path, data, seed, group="g", data=data) for seed, data in enumerate(("old", "new")))
    config = other.config()
    other.write_config(config.model_copy(update={"dataset": config.dataset.model_copy(update={"max_src_length": 9})}))
    assert runs_with_other_data([RunResults.read(one), RunResults.read(other)]) == (0, 1)


def test_runs_of_other_settings_or_unknown_data_are_not_reported(tmp_path: Path) -> None:
    one, other = run(tmp_path, "a", 0, data="old"), run(tmp_path, "b", 0, heads=8, data="new")
    unknown = run(tmp_path, "c", 1)
    assert runs_with_other_data([RunResults.read(one) for one in (one, other, unknown)]) is None


def test_different_auto_values_do_not_separate_the_runs_of_a_command(tmp_path: Path) -> None:
    one, other = (run(tmp_path, name, seed, group="g") for name, seed in (("a", 0), ("b", 1)))
    config = other.config()
    other.write_config(config.model_copy(update={"training": config.training.model_copy(update={"num_threads": 7})}))
    assert groups(one, other) == [("g", (0, 1))]


def test_each_runs_settings_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [run(tmp_path, str(seed), seed) for seed in range(6)]
    read = record_calls(monkeypatch, RunFolder, "config")
    assert records(*runs)[-2]["run"] == "mean of 6"
    assert [folder.path for (folder,) in read] == [one.path for one in runs]


def test_a_branch_is_not_grouped_with_its_parent_whose_weights_it_shares(tmp_path: Path) -> None:
    parent = run(tmp_path, "a", 0)
    one, other = (run(tmp_path, f"branch {seed}", seed, parent="a", parent_step=5) for seed in (1, 2))
    assert groups(parent, one, other) == [("copy_task, seeds 1, 2", (1, 2))]


def test_a_setting_changed_during_a_run_separates_it_from_the_group(tmp_path: Path) -> None:
    first, second, third = (run(tmp_path, name, seed) for name, seed in (("a", 0), ("b", 1), ("c", 2)))
    for changed in (first, third):
        changed.append_setting(SettingChanged(step=7, key="training.optimizer.learning_rate", value=1e-4))
    assert groups(first, second, third) == [("copy_task, seeds 0, 2", (0, 2))]


def test_the_group_of_a_command_keeps_its_name_and_includes_a_separate_run(tmp_path: Path) -> None:
    one, other = (run(tmp_path, name, seed, group="two_seeds") for name, seed in (("a", 0), ("b", 1)))
    by_hand = run(tmp_path, "by hand", 2)
    assert groups(by_hand, one, other) == [("two_seeds", (0, 1, 2))]


def test_a_run_of_a_command_with_a_changed_setting_leaves_its_group(tmp_path: Path) -> None:
    first, second, third = (run(tmp_path, name, seed, group="g") for name, seed in (("a", 0), ("b", 1), ("c", 2)))
    second.append_setting(SettingChanged(step=7, key="training.max_steps", value=5_000))
    assert groups(first, second, third) == [("g", (0, 2))]


def test_separately_started_seeds_have_mean_and_deviation(tmp_path: Path) -> None:
    runs = run(tmp_path, "a", 0, loss=0.5), run(tmp_path, "b", 1, loss=0.25)
    *_, mean, deviation = records(*runs)
    assert mean["run"] == "mean of 2" and mean["group"] == "copy_task, seeds 0, 1"
    assert mean["valid/loss"] == 0.375 and deviation["valid/loss"] == pytest.approx(0.125 * 2**0.5, abs=1e-12)
