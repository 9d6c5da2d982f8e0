"""The settings in which configs differ."""

from __future__ import annotations

from core.comparison.differences import changed_keys, changes_between, differing_settings
from core.config import RunConfig
from core.settings.overriding import change_setting, change_settings
from core.settings.presets import read_preset


def test_only_differing_settings_are_named() -> None:
    first = read_preset("copy_task", ())
    second = change_setting(change_setting(first, "model.d_ff", 24), "dataset.options", {"num_symbols": 4})
    assert changed_keys(first, first) == ()
    assert "model.d_ff" in changed_keys(first, second) and "model.d_model" not in changed_keys(first, second)
    differing = differing_settings([first, second, first])
    assert differing["model.d_ff"] == [first.model.d_ff, 24, first.model.d_ff]
    assert differing["dataset.options.num_symbols"][1] == 4


def test_for_a_different_dataset_only_explicit_settings_are_named() -> None:
    first = read_preset("copy_task", ("dataset.seed=3", "dataset.max_src_length=20", "model.d_ff=24"))
    dataset = {"plugin": "reverse", "seed": 3, "options": {"length": 5}}
    other = RunConfig.model_validate({**first.model_dump(mode="json"), "name": "reverse", "dataset": dataset})
    assert changed_keys(first, other) == ("dataset.plugin", "dataset.options.length")
    changed = change_settings(other, {"dataset.seed": 4, "model.d_ff": 32})
    named = ("dataset.plugin", "dataset.options.length", "dataset.seed", "model.d_ff")
    assert sorted(changed_keys(first, changed)) == sorted(named)


def test_the_changes_between_two_configs_make_one_of_the_other() -> None:
    with_it = read_preset("copy_task", ("training.early_stopping.patience=3", "model.d_ff=24"))
    without = change_setting(with_it, "training.early_stopping", None)
    assert changes_between(with_it, without) == {"training.early_stopping": None}
    for before, after in ((with_it, without), (without, with_it), (with_it, read_preset("copy_task", ()))):
        assert change_settings(before, changes_between(before, after)) == after
