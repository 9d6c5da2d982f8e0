"""Each rule's experiment is a valid change of a setting, or none if nothing is left to change."""

from __future__ import annotations

import pytest

from core.comparison.differences import changed_keys
from core.config import RunConfig
from core.notices.experiments import fewer_heads
from core.notices.notice import Rule
from core.notices.rules import RULES
from core.settings.overriding import change_setting, change_settings
from core.settings.presets import preset_names, read_preset

DROPOUT, RATE, SCHEDULE = "model.dropout", "training.optimizer.learning_rate", "training.schedule.name"
EXTREMES = (
    {DROPOUT: 0.7, RATE: 1e-3},
    {DROPOUT: 0.95, RATE: 1e-3, SCHEDULE: "constant"},
    {DROPOUT: 0.0, RATE: 100.0, "model.num_heads": 1, "model.norm_first": True},
    {"training.optimizer.name": "sgd", RATE: 0.5, "training.schedule.warmup_steps": 10_000_000},
    {SCHEDULE: "noam", "training.schedule.factor": 1.0, "model.norm_first": True},
    {SCHEDULE: "noam", "training.schedule.factor": 1000.0, "model.norm_first": False},
)
CONFIGS = [*map(read_preset, preset_names()), *(change_settings(read_preset("copy_task"), one) for one in EXTREMES)]
IDS = [*preset_names(), *(f"extreme {number}" for number in range(len(EXTREMES)))]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.kind)
@pytest.mark.parametrize("config", CONFIGS, ids=IDS)
def test_an_experiment_is_valid_and_changes_one_setting(config: RunConfig, rule: Rule) -> None:
    experiment = rule.experiment(config)
    if experiment is not None:
        changed = change_setting(config, experiment.key, experiment.value)
        assert changed_keys(config, changed) == (experiment.key,)


def offered(kind: str, **changes: object) -> tuple[str, object] | None:
    (rule,) = (rule for rule in RULES if rule.kind == kind)
    settings = {key.replace("__", "."): value for key, value in changes.items()}
    experiment = rule.experiment(change_settings(read_preset("copy_task"), settings))
    return None if experiment is None else (experiment.key, experiment.value)


def test_half_of_two_heads_is_one_in_words() -> None:
    texts = [fewer_heads(change_setting(read_preset("copy_task"), "model.num_heads", heads)).text for heads in (2, 4)]
    assert texts == ["one head, twice as wide", "2 heads, each twice as wide"]


def test_no_experiment_is_offered_if_nothing_is_left_to_change() -> None:
    assert offered("memorising", model__dropout=0.5) == (DROPOUT, 0.7)
    assert offered("memorising", model__dropout=0.7) is None and offered("memorising", model__dropout=0.9) is None
    usual = {"training__optimizer__learning_rate": 1e-3}
    assert offered("no_rate", **usual, training__schedule__name="linear") == (SCHEDULE, "constant")
    assert offered("no_rate", **usual, training__schedule__name="constant") is None
