"""Which settings a branch may change, and how much of the run's state it keeps with them."""

from __future__ import annotations

from collections.abc import Iterable

from core.settings.fields import setting_effect

Changes = tuple[tuple[str, object], ...]

_MODEL_KEYS = (
    *("dataset", "model.d_model", "model.num_encoder_layers", "model.num_decoder_layers", "model.d_ff"),
    *("model.norm_first", "model.positions", "model.bias", "model.tie_embeddings"),
    *("model.num_heads", "model.activation"),  # no weights of their own, but the same weights give other outputs
)
_FRESH_STATE_KEYS = (
    *("seed", "training.optimizer.name", "training.batch_size", "training.batch_tokens"),
    *("training.accumulate_steps", "training.ema_decay"),
)


def first_incompatible(keys: Iterable[str]) -> str | None:
    """The first key with whose change the run's weights are of no use; None if there is no such key.

    With any other change, the weights of earlier steps give the outputs they gave before.
    """
    return next((key for key in keys if _is_within(key, _MODEL_KEYS)), None)


def need_fresh_state(keys: Iterable[str]) -> bool:
    """Whether the state of optimizer, random numbers and data order is of no use with these keys changed."""
    return any(_is_within(key, _FRESH_STATE_KEYS) for key in keys)


def immediate_changes(changes: Changes) -> Changes:
    """The changes that take effect between two steps."""
    return tuple((key, value) for key, value in changes if setting_effect(key) == "now")


def reset_changes(changes: Changes) -> Changes:
    """The changes that take effect only when a run begins."""
    return tuple((key, value) for key, value in changes if setting_effect(key) == "reset")


def _is_within(key: str, groups: tuple[str, ...]) -> bool:
    return any(f"{key}.".startswith(f"{group}.") for group in groups)
