"""Declares every setting of a run once: its default, range, help, and when a change takes effect."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from core.errors import UserError
from core.file_format import FORMAT, require_known_format
from core.user_input.errors import first_error
from core.user_input.quoting import format_value
from core.user_input.strict_yaml import Document, read_yaml_file, write_yaml

Effect = Literal["now", "reset"]
Auto = Literal["auto"]
PositiveInt = Annotated[int, Field(ge=1)]
MAX_LENGTH = 100_000
Length = Annotated[int, Field(ge=1, le=MAX_LENGTH)]  # in tokens
SubwordSize = Annotated[int, Field(ge=5, le=200_000)]
AUTO_SIZE = 8000
"""The number of subwords for `auto`, unless the texts give fewer."""
NUM_SEEDS = 2**32
_MAX_NAME_LENGTH = 100
_NOT_IN_NAMES = r"/\\\x00-\x1f"  # characters of a regular expression
SubwordName = Literal["subword", "subword_unigram"]
TokenizerName = Literal["whitespace", "characters", SubwordName]
Side = Literal["src", "tgt"]
_SUBWORDS = "Subwords are pieces of words: merged from frequent pairs (BPE), or chosen by a unigram model."


def setting(
    default: Any, label: str, help: str, *, effect: Effect = "reset", expected: str | None = None, **limits: Any
) -> Any:
    """Declare one key: its default, the texts for the form and the reference page, and when a change takes effect.

    `expected` is the text for an error if the type alone does not tell what to write.
    """
    extra: dict[str, Any] = {"effect": effect} | ({"expected": expected} if expected else {})
    if isinstance(default, type) and issubclass(default, BaseModel):
        return Field(default_factory=default, title=label, description=help, json_schema_extra=extra)
    return Field(default, title=label, description=help, json_schema_extra=extra, **limits)


class Settings(BaseModel):
    """A group of keys: frozen, strict about types, refusing unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class TokenizerConfig(Settings):
    """How texts become tokens."""

    src: Literal[Auto, TokenizerName] = setting(
        "auto", "Source", f"How source texts are cut into tokens; auto: as the plugin says. {_SUBWORDS}"
    )
    tgt: Literal[Auto, TokenizerName] = setting(
        "auto", "Target", f"How target texts are cut into tokens; auto: as the plugin says. {_SUBWORDS}"
    )
    size: Auto | SubwordSize = setting(
        "auto",
        "Subword size",
        "Number of subwords, including the four special tokens; fewer on a side whose texts yield fewer. "
        f"auto: {AUTO_SIZE:,}, or as many as the texts yield.",
    )
    shared: bool = setting(False, "Shared vocabulary", "One vocabulary for source and target.")
    min_frequency: int = setting(
        1, "Minimum frequency", "Tokens that are rarer in the train split become <unk>.", ge=1, le=10_000
    )

    @property
    def subwords(self) -> dict[Side, SubwordName]:
        """The kind of subwords of each side that is cut into them; a side that is auto is not included."""
        sides: list[tuple[Side, Auto | TokenizerName]] = [("src", self.src), ("tgt", self.tgt)]
        return {side: name for side, name in sides if name == "subword" or name == "subword_unigram"}

    @property
    def shares_subwords(self) -> bool:
        """Whether one set of subwords is learned from the texts of both sides."""
        return self.shared and bool(self.subwords)

    @model_validator(mode="after")
    def _subwords_go_with_the_rest(self) -> Self:
        if self.shares_subwords and self.src != self.tgt and "auto" not in (self.src, self.tgt):
            raise ValueError(
                f"shared: expected the same subwords for both sides, or none, given src: {self.src} and tgt: {self.tgt}"
            )
        if self.min_frequency > 1 and len(self.subwords) == 2:
            raise ValueError(
                "min_frequency: expected 1 where src and tgt are subwords, which are never rare, "
                f"given {self.min_frequency}"
            )
        return self


class DatasetConfig(Settings):
    """Where the pairs of source and target text come from."""

    plugin: str = Field(title="Dataset", description="The plugin that makes the pairs.", min_length=1)
    options: dict[str, Any] = Field(default={}, title="Options", description="The plugin's own options.")
    seed: int = setting(
        0, "Data seed", "Decides the data and its splits, whatever the run's own seed.", ge=0, lt=NUM_SEEDS
    )
    tokenizer: Auto | TokenizerConfig = setting(
        "auto", "Tokenizer", "auto: as the plugin says.", expected="keys such as {src: subword, tgt: subword}"
    )
    max_src_length: Auto | Length = setting(
        "auto",
        "Longest source",
        "In tokens, <eos> counted; longer pairs are left out. auto: twice the longest in the data, so that a longer "
        "one can be typed.",
    )
    max_tgt_length: Auto | Length = setting(
        "auto",
        "Longest target",
        "In tokens, <eos> counted; longer pairs are left out. auto: the longest in the data.",
    )


class ModelConfig(Settings):
    """The Transformer's shape."""

    d_model: int = setting(128, "d_model", "Width of every token's vector.", ge=2, le=8192)
    num_heads: int = setting(4, "Heads", "Attention heads of each layer; must divide d_model.", ge=1, le=128)
    num_encoder_layers: int = setting(2, "Encoder layers", "Layers that read the source.", ge=1, le=64)
    num_decoder_layers: int = setting(2, "Decoder layers", "Layers that write the target.", ge=1, le=64)
    d_ff: int = setting(512, "d_ff", "Width inside the feed-forward block.", ge=1, le=65_536)
    dropout: float = setting(0.1, "Dropout", "Share of values zeroed after embeddings and sublayers.", ge=0.0, lt=1.0)
    attention_dropout: float = setting(0.0, "Attention dropout", "Share of attention weights zeroed.", ge=0.0, lt=1.0)
    norm_first: bool = setting(True, "Pre-norm", "LayerNorm before each sublayer (steadier) or after it (the paper).")
    positions: Literal["sinusoidal", "learned"] = setting(
        "sinusoidal", "Positions", "How the model knows a token's position."
    )
    activation: Literal["relu", "gelu"] = setting("relu", "Activation", "The feed-forward block's nonlinearity.")
    bias: bool = setting(True, "Biases", "Whether linear layers and LayerNorms add a bias.")
    tie_embeddings: Literal["none", "decoder", "all"] = setting(
        "none",
        "Tied embeddings",
        "decoder: target embedding and output projection share weights; all: the source embedding too, which needs a "
        "shared vocabulary.",
    )

    @model_validator(mode="after")
    def _heads_divide(self) -> Self:
        if self.d_model % self.num_heads:
            raise ValueError(f"num_heads: must divide d_model = {self.d_model}, given {self.num_heads}")
        if self.positions == "sinusoidal" and self.d_model % 2:
            raise ValueError(f"d_model: must be even for sinusoidal positions, given {self.d_model}")
        return self


class OptimizerConfig(Settings):
    """The rule that turns gradients into updates."""

    name: Literal["adam", "adamw", "sgd"] = setting("adam", "Optimizer", "adam, adamw (decoupled decay) or sgd.")
    learning_rate: float = setting(
        1e-3, "Learning rate", "The peak rate; the schedule scales it.", effect="now", gt=0.0, le=100.0
    )
    betas: Annotated[tuple[float, float], Field(strict=False)] = setting(
        (0.9, 0.98), "Betas", "Adam's two decay rates.", expected="two numbers such as [0.9, 0.98]"
    )
    eps: float = setting(
        1e-9,
        "Epsilon",
        "Adam's guard against division by zero.",
        ge=1e-45,  # less is zero in float32, and a step without a gradient 0 / 0
        le=1.0,
    )
    weight_decay: float = setting(
        0.0, "Weight decay", "Pull of every weight towards zero.", effect="now", ge=0.0, le=10.0
    )
    momentum: float = setting(0.0, "Momentum", "SGD's memory of earlier gradients.", ge=0.0, lt=1.0)

    @model_validator(mode="after")
    def _betas_in_range(self) -> Self:
        if not all(0.0 <= beta < 1.0 for beta in self.betas):
            raise ValueError(f"betas: must be at least 0 and below 1, given {list(self.betas)}")
        return self


class ScheduleConfig(Settings):
    """How the learning rate changes with the step."""

    name: Literal["noam", "inverse_sqrt", "cosine", "linear", "constant"] = setting(
        "inverse_sqrt", "Schedule", "noam is the paper's and sets its own rate; the others scale the learning rate."
    )
    warmup_steps: int = setting(400, "Warm-up steps", "Steps in which the rate rises from zero.", ge=0, le=10_000_000)
    factor: float = setting(
        1.0, "Noam factor", "Scales the rate of noam; the other schedules ignore it.", effect="now", gt=0.0, le=1000.0
    )


class EarlyStoppingConfig(Settings):
    """End the run when validation no longer improves."""

    patience: int = setting(
        10,
        "Patience",
        "Validations without a better best_metric before the run ends; if it is continued, the count restarts.",
        effect="now",
        ge=1,
        le=100_000,
    )


class TrainingConfig(Settings):
    """The loop: how it steps, what it keeps, where it runs."""

    optimizer: OptimizerConfig = setting(OptimizerConfig, "Optimizer", "The rule that turns gradients into updates.")
    schedule: ScheduleConfig = setting(ScheduleConfig, "Schedule", "How the learning rate changes with the step.")
    label_smoothing: float = setting(
        0.1, "Label smoothing", "Share of the target probability spread over all tokens.", effect="now", ge=0.0, lt=1.0
    )
    batch_size: PositiveInt | None = setting(
        32, "Batch size", "Sentences in a batch; or set batch_tokens.", le=1_000_000
    )
    batch_tokens: PositiveInt | None = setting(
        None,
        "Batch tokens",
        "Target tokens in a batch, including padding; sentences are grouped by length. Or set batch_size.",
        le=100_000_000,
    )
    accumulate_steps: int = setting(
        1, "Accumulate", "Batches whose gradients are accumulated for one step.", ge=1, le=10_000
    )
    max_steps: int = setting(
        1000, "Steps", "Optimizer updates until the run is finished.", effect="now", ge=1, le=1_000_000_000
    )
    max_grad_norm: float | None = setting(
        1.0,
        "Gradient clipping",
        "Gradients with a larger norm are scaled down to it; without a value, none are.",
        effect="now",
        gt=0.0,
    )
    validate_every: int = setting(
        100, "Validate every", "Steps between validations.", effect="now", ge=1, le=1_000_000_000
    )
    best_metric: str = setting(
        "valid/loss",
        "Best metric",
        "The validation metric that chooses the best checkpoint: the lowest value if its name ends in loss, "
        "perplexity, error or error_rate, otherwise the highest.",
        effect="now",
    )
    early_stopping: EarlyStoppingConfig | None = setting(
        None, "Early stopping", "End when best_metric no longer improves.", effect="now"
    )
    checkpoint_every: int = setting(
        500, "Checkpoint every", "Steps between checkpoints.", effect="now", ge=1, le=1_000_000_000
    )
    keep_checkpoints: int = setting(
        3, "Keep checkpoints", "How many to keep besides best and last.", effect="now", ge=0, le=10_000
    )
    average_checkpoints: int = setting(
        0,
        "Average checkpoints",
        "`--checkpoint last` is the mean of this many checkpoints: the last, and those of checkpoint_every before it. "
        "0: the last alone.",
        ge=0,
        le=1000,
    )
    ema_decay: float | None = setting(
        None,
        "EMA decay",
        "Decay of the moving average of the weights; if set, validations, probes, kept weights and translations use "
        "the average.",
        gt=0.0,
        lt=1.0,
    )
    probe_every: Auto | PositiveInt = setting(
        "auto",
        "Probe every",
        "Steps between probes; at first also at 1 2 3 5 8 13 ... auto: about a hundred probes.",
        effect="now",
    )
    snapshot_budget_mb: float = setting(
        200.0,
        "Snapshot budget",
        "Megabytes of weights kept for viewing earlier steps.",
        effect="now",
        ge=0.0,
        le=1_000_000_000,
    )
    device: str = setting(
        "auto",
        "Device",
        "auto, cpu, cuda, cuda:1 or mps.",
        expected="auto, cpu, cuda, cuda:1 or mps",
        pattern=r"^(auto|cpu|cuda(:(0|[1-9][0-9]*))?|mps)$",  # torch takes no other numbers
    )
    precision: Literal["auto", "float32", "bfloat16"] = setting(
        "auto", "Precision", "Number format of the matrix products; auto measures which is faster on this machine."
    )
    num_threads: Auto | PositiveInt = setting(
        "auto", "Threads", "Processor threads that torch uses; auto: one for a small model, otherwise one per core."
    )

    @model_validator(mode="before")
    @classmethod
    def _batch_tokens_alone(cls, given: Any) -> Any:
        # Someone who writes only batch_tokens means it to replace batch_size's default.
        if isinstance(given, dict) and given.get("batch_tokens") is not None and "batch_size" not in given:
            return {**given, "batch_size": None}
        return given

    @model_validator(mode="after")
    def _one_kind_of_batch(self) -> Self:
        if (self.batch_size is None) == (self.batch_tokens is None):
            raise ValueError(
                "batch_size: expected either batch_size or batch_tokens, given "
                + ("neither" if self.batch_size is None else "both")
            )
        return self


class DecodingConfig(Settings):
    """How outputs are decoded free-running."""

    beam_size: int = setting(
        1, "Beam size", "Hypotheses kept; 1 is greedy decoding, which probes always use.", effect="now", ge=1, le=100
    )
    length_penalty: float = setting(
        0.6,
        "Length penalty",
        "Exponent of the length penalty of Wu et al. 2016, which favours longer outputs of a beam; 0: none.",
        effect="now",
        ge=0.0,
        le=10.0,
    )
    max_length: Auto | Length = setting(
        "auto", "Longest output", "In tokens, <eos> counted; auto: the longest target.", effect="now"
    )


class RunConfig(Settings):
    """One run, complete: the same config, seed and machine give the same weights to the bit, on a CPU."""

    format: Literal[1] = Field(default=FORMAT, title="Format", description="Version of this file's layout.")
    name: str = setting(
        "",
        "Name",
        "Names the run's folder.",
        expected=f"a text of at most {_MAX_NAME_LENGTH} characters without /, \\ and control characters such as a tab",
        max_length=_MAX_NAME_LENGTH,
        pattern=rf"^[^{_NOT_IN_NAMES}]*$",
    )
    seed: int = setting(0, "Seed", "Decides initial weights, dropout and the order of the data.", ge=0, lt=NUM_SEEDS)
    dataset: DatasetConfig = Field(title="Dataset", description="Where the pairs of source and target text come from.")
    model: ModelConfig = setting(ModelConfig, "Model", "The Transformer's shape.")
    training: TrainingConfig = setting(
        TrainingConfig, "Training", "The loop: how it steps, what it keeps, where it runs."
    )
    decoding: DecodingConfig = setting(DecodingConfig, "Decoding", "How outputs are decoded free-running.")

    @model_validator(mode="before")
    @classmethod
    def _named_after_its_dataset(cls, given: Any) -> Any:
        dataset = given.get("dataset") if isinstance(given, dict) else None
        if not isinstance(dataset, dict) or not isinstance(dataset.get("plugin"), str):
            return given
        if not str(given.get("name") or "").strip():  # a blank name is none; runs of earlier versions may have one
            # A path, say, is refused as what it is, a plugin that nobody has: not as a name that nobody wrote.
            return {**given, "name": re.sub(rf"[{_NOT_IN_NAMES}]", "_", dataset["plugin"])[:_MAX_NAME_LENGTH]}
        return given


def config_from_document(document: Document) -> RunConfig:
    """Validate a YAML document. Raises UserError: one line with file, line, key, what was expected and given."""
    if not isinstance(document.value, dict):
        raise UserError(
            f"{document.name}: expected settings as `key: value` lines, given {format_value(document.value)}."
        )
    require_known_format(document.value.get("format"), document.where(("format",)))
    try:
        return RunConfig.model_validate(document.value)
    except ValidationError as error:
        path, sentence = first_error(error, RunConfig, document)
        where = document.where(path)
        raise UserError(f"{where}: {sentence}" if where else sentence) from None


def read_config(path: Path) -> RunConfig:
    """Read a YAML file."""
    return config_from_document(read_yaml_file(path))


def config_to_yaml(config: RunConfig) -> str:
    """The config as YAML that `read_config` reads back equal."""
    return write_yaml(config.model_dump(mode="json"))
