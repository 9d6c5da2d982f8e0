"""The experiments that notices offer: each is one change of the current settings, or None if none is left."""

from __future__ import annotations

from core.config import NUM_SEEDS, OptimizerConfig, RunConfig
from core.notices.notice import Experiment
from core.settings.lower_rate import lower_rate, rate_setting

_HIGH_RATE = 3e-3  # for Adam: from here on, lower is the likelier cure; the presets' highest
_HIGH_RATE_SGD = 0.1
_RATE_FACTOR = 3.0
_WARMUP_FACTOR = 4
_DROPOUTS = (0.1, 0.3, 0.5, 0.7)
_MAX_WARMUP = 10_000_000  # that the settings allow


def lower_learning_rate(config: RunConfig) -> Experiment:
    """A tenth of the learning rate."""
    key, value = lower_rate(config.training)
    return Experiment(f"a tenth of the rate ({value:g})", key, value)


def different_learning_rate(config: RunConfig) -> Experiment:
    """Three times the learning rate, or a tenth if it is already high."""
    training = config.training
    key, value = rate_setting(training)
    high = _HIGH_RATE_SGD if training.optimizer.name == "sgd" else _HIGH_RATE
    if value > (1.0 if training.schedule.name == "noam" else high):
        return lower_learning_rate(config)
    return _rate_experiment(key, _RATE_FACTOR * value, "three times the rate")


def default_learning_rate(config: RunConfig) -> Experiment | None:
    """The default learning rate; if it is that already, the schedule has run out, and a constant rate is left."""
    (key, value), schedule = rate_setting(config.training), config.training.schedule
    usual = 1.0 if schedule.name == "noam" else OptimizerConfig().learning_rate
    if value != usual:
        return _rate_experiment(key, usual, "the usual rate")
    return None if schedule.name == "constant" else Experiment("a constant rate", "training.schedule.name", "constant")


def stabler_start(config: RunConfig) -> Experiment | None:
    """Pre-norm, with which deep models need no warm-up (Xiong et al. 2020); with pre-norm already, a longer warm-up."""
    if not config.model.norm_first:
        return Experiment("pre-norm", "model.norm_first", True)
    longer = _WARMUP_FACTOR * max(config.training.schedule.warmup_steps, 100)
    if longer > _MAX_WARMUP:
        return None
    return Experiment(f"{longer:,} warm-up steps", "training.schedule.warmup_steps", longer)


def more_dropout(config: RunConfig) -> Experiment | None:
    """The next larger dropout rate, which makes single pairs and neighbouring tokens harder to rely on."""
    larger = next((share for share in _DROPOUTS if share > config.model.dropout), None)
    return None if larger is None else Experiment(f"dropout {larger:g}", "model.dropout", larger)


def fewer_heads(config: RunConfig) -> Experiment:
    """Half the heads, each twice as wide; if they cannot be halved, other initial weights."""
    heads = config.model.num_heads
    if heads % 2:
        seed = (config.seed + 1) % NUM_SEEDS
        return Experiment(f"seed {seed}", "seed", seed)
    words = "one head, twice as wide" if heads == 2 else f"{heads // 2} heads, each twice as wide"
    return Experiment(words, "model.num_heads", heads // 2)


def _rate_experiment(key: str, value: float, words: str) -> Experiment:
    return Experiment(f"{words} ({value:g})", key, float(f"{value:.6g}"))
