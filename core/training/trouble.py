"""The messages for a run that cannot go on by itself, and for a plugin metric that is not finite."""

from __future__ import annotations

from core.config import RunConfig, TrainingConfig
from core.data.prepared_data import PreparedData
from core.errors import UserError
from core.events import Trouble
from core.faults import note
from core.plugins_host.host import PluginHost
from core.settings.lower_rate import lower_rate
from core.settings.smaller_batch import SHORTEN_ADVICE, smaller_batch
from core.training import memory


def diverged(step: int, what: str, training: TrainingConfig, *, can_continue: bool) -> Trouble:
    """Something of this step was not a finite number: `what` says which tensor."""
    sentence = f"Training diverged: at step {step:,} {what} was not a finite number. Nothing of that step is kept."
    if not can_continue:
        advice = f"No checkpoint from before it diverged is kept: {restart_advice(training)}."
        return Trouble(sentence=sentence, advice=advice, until_prepared=True)
    advice = f"Continue from the last checkpoint with {_lower_rate_advice(training)}."
    return Trouble(sentence=sentence, advice=advice, offer="lower_rate", until_prepared=True)


def restart_advice(training: TrainingConfig) -> str:
    """The advice for a run that would diverge again from every checkpoint."""
    return f"start a new run with {_lower_rate_advice(training)}"


def _lower_rate_advice(training: TrainingConfig) -> str:
    key, rate = lower_rate(training)
    if training.max_grad_norm is not None:
        return f"{key} = {rate:g}, or warm up for more steps"
    return f"{key} = {rate:g}, warm up for more steps, or set training.max_grad_norm to 1.0"


def out_of_memory(step: int, error: RuntimeError, config: RunConfig, data: PreparedData) -> Trouble:
    """The next step, or a probe or validation of this one, needed more memory than the device has."""
    return Trouble(
        sentence=f"The memory of {config.training.device} was not enough after step {step:,}. "
        f"{memory.describe_memory(config, data)}",
        advice=_less_memory_advice(config),
        details=str(error),
    )


def out_of_memory_error(config: RunConfig, data: PreparedData) -> UserError:
    """Something other than a step needed more memory than the device has."""
    sentence = f"The memory of {config.training.device} was not enough. {memory.describe_memory(config, data)}"
    return UserError(sentence, _less_memory_advice(config))


def metric_not_finite(metric: str, value: float, data: PreparedData, host: PluginHost) -> Trouble:
    """A plugin metric is not finite: only a note, since one of many validations is no reason to end a run."""
    what = f"failed: metrics() gives {metric!r} as {value}; expected a finite number"
    return note(
        host.method_warning(data.dataset.plugin, data.options, "metrics", what),
        f"It is recorded as missing: the curve of valid/{metric} has a gap there, and such a step is never the best by "
        "it. Return 0.0 where there is nothing to count.",
    )


def _less_memory_advice(config: RunConfig) -> str:
    if not smaller_batch(config):
        return f"The longest sentence is a whole batch: {SHORTEN_ADVICE}, or make the model smaller."
    batch = "batch_size" if config.training.batch_tokens is None else "batch_tokens"
    return f"Lower training.{batch} and raise training.accumulate_steps by as much, or make the model smaller."
