"""The flat list of declared settings, for RunConfig and for a plugin's schema."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from core.config import RunConfig
from core.settings.fields import run_settings, schema_settings, setting_effect, settings


def test_every_setting_has_a_label_and_help() -> None:
    for field in settings(RunConfig):
        assert field.label and field.help.endswith(".") and "\n" not in field.help, field.key


def test_every_value_of_a_dumped_config_has_a_field_with_its_default() -> None:
    config = RunConfig.model_validate({"dataset": {"plugin": "x"}})
    for key, value in _leaves(config.model_dump(mode="json")):
        field = run_settings()[key]
        assert field.required or key == "name" or field.default == value, key


def _leaves(group: dict[str, object], prefix: str = "") -> list[tuple[str, object]]:
    leaves: list[tuple[str, object]] = []
    for name, value in group.items():
        inside = isinstance(value, dict) and value
        leaves += _leaves(value, f"{prefix}{name}.") if inside else [(prefix + name, value)]  # type: ignore[arg-type]
    return leaves


def test_kinds_and_limits_follow_the_declarations() -> None:
    fields = run_settings()
    assert fields["model"].kind == "group"
    assert fields["model.dropout"].limits == "at least 0, below 1"
    assert fields["training.optimizer.learning_rate"].limits == "above 0, at most 100"
    assert fields["training.schedule.name"].choices == ("noam", "inverse_sqrt", "cosine", "linear", "constant")
    assert (fields["training.max_grad_norm"].kind, fields["training.max_grad_norm"].nullable) == ("float", True)
    assert (fields["training.probe_every"].kind, fields["training.probe_every"].allows_auto) == ("int", True)
    assert fields["training.early_stopping"].nullable
    assert fields["training.early_stopping.patience"].default == 10
    assert fields["dataset.tokenizer"].allows_auto
    assert fields["dataset.plugin"].required
    assert fields["dataset.options"].kind == "options"
    assert fields["training.batch_size"].minimum == 1 and fields["training.batch_size"].maximum == 1_000_000


def test_settings_take_effect_at_once_or_after_a_reset() -> None:
    assert setting_effect("training.max_steps") == "now"
    assert setting_effect("model.d_model") == "reset"
    assert setting_effect("dataset.options.length") == "reset"


def test_a_plugins_schema_is_read_the_same_way() -> None:
    class Options(BaseModel):
        length: int = Field(6, ge=1, le=64, description="Letters in each word.")
        corpus: Literal["sentences", "grammar"] = "grammar"
        noise: float | None = Field(None, ge=0, lt=1)

    length, corpus, noise = schema_settings(Options.model_json_schema())
    assert (length.key, length.kind, length.default, length.limits) == ("length", "int", 6, "at least 1, at most 64")
    assert (corpus.kind, corpus.choices, corpus.default) == ("choice", ("sentences", "grammar"), "grammar")
    assert (noise.kind, noise.nullable, noise.limits) == ("float", True, "at least 0, below 1")
