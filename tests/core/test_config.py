"""The settings of a run: how they are read, and the sentences that refuse wrong ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from core.config import config_to_yaml, read_config
from core.errors import UserError
from tests.core.settings.reading import BASE, read, refusal

# Every setting with its default, written out; the declarations must agree.
CONTRACT = """
format: 1
name: copy_task
seed: 0
dataset: {plugin: copy_task, options: {}, seed: 0, tokenizer: auto, max_src_length: auto, max_tgt_length: auto}
model: {d_model: 128, num_heads: 4, num_encoder_layers: 2, num_decoder_layers: 2, d_ff: 512, dropout: 0.1,
  attention_dropout: 0.0, norm_first: true, positions: sinusoidal, activation: relu, bias: true, tie_embeddings: none}
training:
  optimizer: {name: adam, learning_rate: 1.0e-3, betas: [0.9, 0.98], eps: 1.0e-9, weight_decay: 0.0, momentum: 0.0}
  schedule: {name: inverse_sqrt, warmup_steps: 400, factor: 1.0}
  label_smoothing: 0.1
  batch_size: 32
  batch_tokens: null
  accumulate_steps: 1
  max_steps: 1000
  max_grad_norm: 1.0
  validate_every: 100
  best_metric: valid/loss
  early_stopping: null
  checkpoint_every: 500
  keep_checkpoints: 3
  average_checkpoints: 0
  ema_decay: null
  probe_every: auto
  snapshot_budget_mb: 200
  device: auto
  precision: auto
  num_threads: auto
decoding: {beam_size: 1, length_penalty: 0.6, max_length: auto}
"""


def test_the_defaults_are_those_of_the_contract() -> None:
    assert read(CONTRACT) == read(BASE)


# The values that the contract names beside each default.
NAME_RULE = "a text of at most 100 characters without /, \\ and control characters such as a tab"
CHOICES = {
    "dataset.tokenizer.src": ("whitespace", "characters", "subword"),
    "dataset.tokenizer.tgt": ("whitespace", "characters", "subword"),
    "model.positions": ("sinusoidal", "learned"),
    "model.activation": ("relu", "gelu"),
    "model.tie_embeddings": ("none", "decoder", "all"),
    "training.optimizer.name": ("adam", "adamw", "sgd"),
    "training.schedule.name": ("noam", "inverse_sqrt", "cosine", "linear", "constant"),
    "training.device": ("auto", "cpu", "cuda", "cuda:1", "mps"),
    "training.precision": ("auto", "float32", "bfloat16"),
}


@pytest.mark.parametrize(("key", "values"), CHOICES.items())
def test_every_value_that_the_contract_names_is_accepted(key: str, values: tuple[str, ...]) -> None:
    for value in values:
        read(BASE, f"{key}={value}")


def test_a_written_config_has_every_setting_in_the_order_of_the_contract() -> None:
    """The config.yaml of a run is complete: its readers need to know no default."""
    assert key_paths(yaml.safe_load(config_to_yaml(read(BASE)))) == key_paths(yaml.safe_load(CONTRACT))


def key_paths(group: dict[str, Any], prefix: str = "") -> list[str]:
    """Every key of a document, in its order: `dataset`, `dataset.plugin` ..."""
    paths: list[str] = []
    for name, value in group.items():
        paths += [prefix + name, *(key_paths(value, f"{prefix}{name}.") if isinstance(value, dict) else [])]
    return paths


def test_a_config_and_its_groups_are_frozen() -> None:
    config = read(BASE)
    for group in (config, config.dataset, config.model, config.training, config.training.optimizer, config.decoding):
        with pytest.raises(ValidationError, match="frozen"):
            setattr(group, next(iter(type(group).model_fields)), 1)


def test_a_config_survives_writing_and_reading_yaml() -> None:
    config = read(
        BASE, "training.optimizer.learning_rate=3e-4", "training.early_stopping={patience: 3}", "name=ü #1: x"
    )
    assert read(config_to_yaml(config)) == config


@pytest.mark.parametrize("name", ["1e-3", "08", "1e3"])
def test_a_name_may_look_like_a_number(name: str) -> None:
    config = read(BASE, f"name='{name}'")
    assert config.name == name
    assert read(config_to_yaml(config)) == config


def test_a_run_is_named_after_its_dataset_unless_it_has_a_name() -> None:
    assert read(BASE).name == "copy_task"
    assert read(BASE + "name: mine").name == "mine"
    assert read(BASE + "name: '  '").name == "copy_task"


@pytest.mark.parametrize(("plugin", "name"), [("my/plugin.py", "my_plugin.py"), ("a" * 101, "a" * 100)])
def test_a_plugin_that_nobody_has_is_not_refused_as_a_name_that_nobody_wrote(plugin: str, name: str) -> None:
    assert read(f"dataset: {{plugin: {plugin}}}").name == name


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("model: {d_model: 7, num_heads: 2}", "model.num_heads: must divide d_model = 7, given 2."),
        ("model: {d_model: 7, num_heads: 7}", "model.d_model: must be even for sinusoidal positions, given 7."),
        ("model: {d_modl: 7}", "model.d_modl: unknown key; did you mean d_model?"),
        ("training: {factor: 1}", "training.factor: unknown key; did you mean training.schedule.factor?"),
        ("d_model: 7", "d_model: unknown key; did you mean model.d_model?"),
        ("model: {seed: 7}", "model.seed: unknown key; did you mean seed or dataset.seed?"),
        ("no: 1", "no: unknown key; known here: format, name, seed, dataset, model, training, decoding."),
        ("model: {bias: no}", "model.bias: expected true or false, given 'no'."),
        ("model: {bias: 1}", "model.bias: expected true or false, given 1."),
        ("model: 3", "model: expected settings as `key: value` lines, given 3."),
        ("model: {dropout: 1.0}", "model.dropout: expected less than 1, given 1.0."),
        ("training: {max_steps: 1.5}", "training.max_steps: expected a whole number, given 1.5."),
        ("training: {max_steps: true}", "training.max_steps: expected a whole number, given true."),
        ("training: {max_steps: 0}", "training.max_steps: expected at least 1, given 0."),
        ("training: {probe_every: 0}", "training.probe_every: expected auto or at least 1, given 0."),
        ("training: {probe_every: x}", "training.probe_every: expected auto or a whole number, given 'x'."),
        ("training: {device: gpu}", "training.device: expected auto, cpu, cuda, cuda:1 or mps, given 'gpu'."),
        ("training: {device: 'cuda:00'}", "training.device: expected auto, cpu, cuda, cuda:1 or mps, given 'cuda:00'."),
        ("training: {device: 'cuda:٣'}", "training.device: expected auto, cpu, cuda, cuda:1 or mps, given 'cuda:٣'."),
        (
            "training: {optimizer: {betas: [0.9]}}",
            "training.optimizer.betas: expected two numbers such as [0.9, 0.98], given [0.9].",
        ),
        ("training: {optimizer: {betas: [0.9, x]}}", "training.optimizer.betas.1: expected a number, given 'x'."),
        (
            "training: {optimizer: {betas: [0.9, 1.5]}}",
            "training.optimizer.betas: must be at least 0 and below 1, given [0.9, 1.5].",
        ),
        (
            "training: {optimizer: {learning_rate: 1e400}}",
            "training.optimizer.learning_rate: expected a finite number, given inf.",
        ),
        (
            "training: {optimizer: {eps: 1e-46}}",  # zero in float32
            "training.optimizer.eps: expected at least 1e-45, given 1e-46.",
        ),
        (
            "training: {batch_size: 3, batch_tokens: 4}",
            "training.batch_size: expected either batch_size or batch_tokens, given both.",
        ),
        (
            "training: {early_stopping: {patience: 0}}",
            "training.early_stopping.patience: expected at least 1, given 0.",
        ),
        (
            "training: {snapshot_budget_mb: 1e308}",  # more bytes than a float can count
            "training.snapshot_budget_mb: expected at most 1,000,000,000, given 1e+308.",
        ),
        ("seed: 9999999999", "seed: expected less than 4,294,967,296, given 9999999999."),
        ("seed: 2026-01-01", "seed: expected a whole number, given '2026-01-01'."),
        ("name: 5", f"name: expected {NAME_RULE}, given 5; in quotes it is a text."),
        ("name: a/b", f"name: expected {NAME_RULE}, given 'a/b'."),
        ('name: "a\\tb"', rf"name: expected {NAME_RULE}, given 'a\tb'."),
        ("format: 0", "format: expected 1, given 0."),
    ],
)
def test_a_wrong_setting_is_refused_with_file_line_key_expectation_and_value(setting: str, sentence: str) -> None:
    assert refusal(BASE + setting) == f"run.yaml, line 2: {sentence}"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("seed: 1", "run.yaml: dataset: this key is missing."),
        ("dataset: {}", "run.yaml, line 1: dataset.plugin: this key is missing."),
        ("dataset: {plugin: 1}", "run.yaml, line 1: dataset.plugin: expected a text, given 1; in quotes it is a text."),
        (
            "dataset: {plugin: x, tokenizer: {src: words}}",
            "run.yaml, line 1: dataset.tokenizer.src: expected auto, whitespace, characters, subword or "
            "subword_unigram, given 'words'.",
        ),
        (
            "dataset: {plugin: x, tokenizer: {src: subword, tgt: characters, shared: true}}",
            "run.yaml, line 1: dataset.tokenizer.shared: expected the same subwords for both sides, or none, "
            "given src: subword and tgt: characters.",
        ),
        (
            "dataset: {plugin: x, tokenizer: {src: subword, tgt: subword_unigram, shared: true}}",
            "run.yaml, line 1: dataset.tokenizer.shared: expected the same subwords for both sides, or none, "
            "given src: subword and tgt: subword_unigram.",
        ),
        (
            "dataset: {plugin: x, tokenizer: {src: subword, tgt: subword, min_frequency: 2}}",
            "run.yaml, line 1: dataset.tokenizer.min_frequency: expected 1 where src and tgt are subwords, "
            "which are never rare, given 2.",
        ),
        (
            "dataset: {plugin: x, tokenizer: words}",
            "run.yaml, line 1: dataset.tokenizer: expected auto or keys such as {src: subword, tgt: subword}, given "
            "'words'.",
        ),
        ("- 1", "run.yaml: expected settings as `key: value` lines, given [1]."),
    ],
)
def test_a_document_that_is_not_a_run_config_is_refused(text: str, sentence: str) -> None:
    assert refusal(text) == sentence


def test_only_the_first_error_is_reported() -> None:
    assert refusal(BASE + "model: {d_model: x, d_ff: y}") == (
        "run.yaml, line 2: model.d_model: expected a whole number, given 'x'."
    )


@pytest.mark.parametrize(
    ("text", "overrides", "sentence"),
    [
        ("modle: {}\nseed: x\n", (), "run.yaml, line 2: modle: unknown key; did you mean model?"),
        ("training: {max_steps: x}\nmodel: {d_model: x}\n", (), "run.yaml, line 2: training.max_steps: expected a"),
        ("model: {d_ff: y, d_model: x}\n", (), "run.yaml, line 2: model.d_ff: expected a whole number"),
        ("training: {max_steps: x}\nmodel: {d_model: 7}\n", (), "run.yaml, line 2: training.max_steps: expected a"),
        ("model: {num_heads: 3}\ntraining: {max_steps: x}\n", (), "run.yaml, line 2: model.num_heads: must divide"),
        ("training: {max_steps: x}\n", ("model.d_model=x",), "run.yaml, line 2: training.max_steps: expected a"),
        ("", ("training.seed=1", "model.d_model=x"), "--set training.seed=1: training.seed: unknown key"),
    ],
)
def test_the_first_error_in_the_file_is_reported(text: str, overrides: tuple[str, ...], sentence: str) -> None:
    assert refusal(BASE + text, *overrides).startswith(sentence)


def test_a_missing_key_is_reported_after_the_errors_in_the_file() -> None:
    assert refusal("datset: {plugin: copy_task}\n") == "run.yaml, line 1: datset: unknown key; did you mean dataset?"


@pytest.mark.parametrize(
    ("text", "overrides", "location"),
    [
        ("model: {d_model: 8, num_heads: 4}", ("model.d_model=10",), "--set model.d_model=10: model.num_heads: must"),
        ("model: {d_model: 8, num_heads: 4}", ("model.num_heads=3",), "--set model.num_heads=3: model.num_heads: must"),
        ("model: {d_model: 7, num_heads: 4}", ("model.dropout=0.5",), "run.yaml, line 2: model.num_heads: must divide"),
        (
            "dataset: {plugin: x, tokenizer: {src: subword, tgt: subword, shared: true}}",
            ("dataset.tokenizer.src=whitespace",),
            "--set dataset.tokenizer.src=whitespace: dataset.tokenizer.shared: expected the same subwords",
        ),
        (
            "dataset: {plugin: x, tokenizer: {src: subword, min_frequency: 2}}",
            ("dataset.tokenizer.tgt=subword",),
            "--set dataset.tokenizer.tgt=subword: dataset.tokenizer.min_frequency: expected 1 where",
        ),
        ("training: {batch_size: 8}", ("training.batch_size=null",), "--set training.batch_size=null: training.batch"),
    ],
)
def test_a_broken_rule_is_reported_at_the_setting_that_breaks_it(
    text: str, overrides: tuple[str, ...], location: str
) -> None:
    assert refusal(text if text.startswith("dataset") else BASE + text, *overrides).startswith(location)


def test_a_long_value_is_shortened_in_the_error() -> None:
    assert len(refusal(BASE + f"seed: {'9' * 4000}")) < 150


def test_batch_tokens_replace_the_default_batch_size() -> None:
    assert read(BASE + "training: {batch_tokens: 400}").training.batch_size is None


def test_a_file_is_read_and_named_in_errors(tmp_path: Path) -> None:
    file = tmp_path / "run.yaml"
    file.write_text(BASE + "seed: 3\n", encoding="utf-8")
    assert read_config(file).seed == 3
    file.write_text(BASE + "sed: 3\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"run.yaml, line 2: sed: unknown key; did you mean seed\?"):
        read_config(file)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2),
)
KEYS = st.sampled_from(
    ["seed", "model", "model.d_model", "training.optimizer", "training.optimizer.betas", "dataset.tokenizer", "name"]
)


@given(key=KEYS, value=VALUES)
def test_any_value_is_accepted_or_refused_in_one_line(key: str, value: object) -> None:
    text = f"{key}={yaml.safe_dump(value, default_flow_style=True, width=10_000)}"
    try:
        config = read(BASE, text)
    except UserError as error:
        assert str(error).startswith("--set ")
    else:
        assert read(config_to_yaml(config)) == config


def test_a_whole_number_may_be_in_scientific_notation() -> None:
    options = "dataset: {plugin: copy_task, options: {num_symbols: 1e1}}\ntraining: {batch_tokens: 2.5e4}\n"
    config = read(options, "training.max_steps=1e3", "training.optimizer.learning_rate=1e0", "decoding.max_length=2e1")
    training = config.training
    assert [repr(one) for one in (training.max_steps, training.batch_tokens)] == ["1000", "25000"]
    assert repr(training.optimizer.learning_rate) == "1.0" and config.decoding.max_length == 20
    assert repr(config.dataset.options["num_symbols"]) == "10"
    for written, shown in (("1.5e0", "1.5"), ("1000.0", "1000.0")):
        sentence = f"training.max_steps: expected a whole number, given {shown}."
        assert refusal(BASE, f"training.max_steps={written}") == f"--set training.max_steps={written}: {sentence}"
        assert refusal(f"{BASE}training: {{max_steps: {written}}}") == f"run.yaml, line 2: {sentence}"
    assert refusal(BASE, "name=1e3").endswith("given 1000; in quotes it is a text.")
