"""Which settings a branch of a run may change, and what of the run goes on with them."""

from __future__ import annotations

from collections.abc import Iterable

from core.settings.fields import setting_effect

Changes = tuple[tuple[str, object], ...]

_MAKES_THE_MODEL = (
    *("dataset", "model.d_model", "model.num_encoder_layers", "model.num_decoder_layers", "model.d_ff"),
    *("model.norm_first", "model.positions", "model.bias", "model.tie_embeddings"),
    *("model.num_heads", "model.activation"),  # no weights of their own, but with others these give other outputs
)
_BEGINS_ANEW = (
    *("seed", "training.optimizer.name", "training.batch_size", "training.batch_tokens"),
    *("training.accumulate_steps", "training.ema_decay"),
)


def first_unfit(keys: Iterable[str]) -> str | None:
    """The first key that needs other weights than the run has kept; None where all go with them.

    With all others the weights of the steps before give what they gave.
    """
    return next((key for key in keys if _is_within(key, _MAKES_THE_MODEL)), None)


def leave_weights_alone(keys: Iterable[str]) -> bool:
    """Whether optimizer, random numbers and order of the data are of no use with these changed."""
    return any(_is_within(key, _BEGINS_ANEW) for key in keys)


def that_act(changes: Changes) -> Changes:
    """Those between two steps."""
    return tuple((key, value) for key, value in changes if setting_effect(key) == "now")


def that_reset(changes: Changes) -> Changes:
    """Those that a run begins with."""
    return tuple((key, value) for key, value in changes if setting_effect(key) == "reset")


def _is_within(key: str, groups: tuple[str, ...]) -> bool:
    return any(f"{key}.".startswith(f"{group}.") for group in groups)
