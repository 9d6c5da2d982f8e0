"""Overriding settings: how overrides are applied, and the sentences that refuse wrong ones."""

from __future__ import annotations

import pytest

from core.errors import UserError
from core.settings.overriding import change_setting
from tests.core.settings.reading import BASE, read, refusal


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "training.max_steps=1.5",
            "--set training.max_steps=1.5: training.max_steps: expected a whole number, given 1.5.",
        ),
        ("training.max_step=3", "--set training.max_step=3: training.max_step: unknown key; did you mean max_steps?"),
        ("model.d_model.x=3", "--set model.d_model.x=3: model.d_model: expected a whole number, given {'x': 3}."),
        ("seed=", "--set seed=: seed: expected a whole number, given ''."),
        ("seed", "--set seed: expected KEY=VALUE, such as training.max_steps=200."),
        ("=3", "--set =3: expected KEY=VALUE, such as training.max_steps=200."),
        (" =3", "--set  =3: expected KEY=VALUE, such as training.max_steps=200."),
        ("model. =3", "--set model. =3: expected KEY=VALUE, such as training.max_steps=200."),
    ],
)
def test_an_override_is_named_in_its_error(text: str, sentence: str) -> None:
    assert refusal(BASE, text) == sentence


def test_an_error_names_the_override_of_its_key_and_the_line_of_any_other() -> None:
    expected = "expected a whole number, given 'x'."
    assert refusal(f"{BASE}seed: 3", "seed=x") == f"--set seed=x: seed: {expected}"
    text = f"{BASE}training: {{early_stopping: null, max_steps: x}}"
    sentence = f"run.yaml, line 2: training.max_steps: {expected}"
    assert refusal(text, "training.early_stopping.patience=3") == sentence


@pytest.mark.parametrize(
    ("text", "key", "sentence"),
    [
        ("dataset: copy_task", "dataset.seed=1", "dataset is 'copy_task' (run.yaml, line 1), which has no keys."),
        (f"{BASE}model: 5", "model.d_model=16", "model is 5 (run.yaml, line 2), which has no keys."),
        (
            f"{BASE}model: {{num_heads: 4}}",
            "model.num_heads.of.each=3",
            "model.num_heads is 4 (run.yaml, line 2), which has no keys.",
        ),
    ],
)
def test_an_override_does_not_replace_a_value_that_has_no_keys(text: str, key: str, sentence: str) -> None:
    assert refusal(text, key) == f"--set {key}: {sentence}"


def test_an_override_does_not_replace_a_file_that_holds_no_settings() -> None:
    assert refusal("[5]", "dataset.plugin=copy_task") == (
        "run.yaml: expected settings as `key: value` lines, given [5]."
    )


def test_an_override_replaces_auto_and_null() -> None:
    text = "dataset: {plugin: copy_task, tokenizer: auto}\ntraining: {early_stopping: null}"
    config = read(text, "dataset.tokenizer.src=characters", "training.early_stopping.patience=3")
    assert config.dataset.tokenizer != "auto" and config.dataset.tokenizer.src == "characters"
    assert config.training.early_stopping is not None and config.training.early_stopping.patience == 3


def test_overrides_apply_in_order_and_reach_new_groups() -> None:
    config = read(BASE, "seed=1", "seed=2", "dataset.options.length=3", "training.batch_tokens=400")
    assert (config.seed, config.dataset.options) == (2, {"length": 3})
    assert (config.training.batch_size, config.training.batch_tokens) == (None, 400)


@pytest.mark.parametrize("names", [("batch_size", "batch_tokens"), ("batch_tokens", "batch_size")])
def test_either_batch_setting_replaces_the_other_of_the_file(names: tuple[str, str]) -> None:
    given, other = names
    config = read(f"{BASE}training: {{{given}: 300}}", f"training.{other}=400")
    assert (getattr(config.training, given), getattr(config.training, other)) == (None, 400)


def test_other_overrides_keep_the_batch_setting_of_the_file() -> None:
    config = read(f"{BASE}training: {{batch_tokens: 300}}", "training.max_steps=5", "training.batch_size=null")
    assert (config.training.batch_size, config.training.batch_tokens, config.training.max_steps) == (None, 300, 5)


def test_changing_one_setting_keeps_the_others() -> None:
    config = read(BASE)
    changed = change_setting(config, "training.max_steps", 7)
    assert changed.training.max_steps == 7
    assert change_setting(changed, "training.max_steps", 1000) == config
    with pytest.raises(UserError, match=r"^training.max_steps: expected a whole number, given 'x'.$"):
        change_setting(config, "training.max_steps", "x")
