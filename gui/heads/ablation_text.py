"""Describes a model without some of its heads: the figures, and what they mean."""

from __future__ import annotations

from math import exp

import numpy as np
from numpy.typing import NDArray

from core.answers.head_ablation import AblationResult, HeadAblation, HeadId
from core.per_cent import per_cent
from core.probes import Feed
from gui.datasets.data_reader import NOT_AVAILABLE
from gui.sentences.selection import KIND_TITLES
from gui.sentences.tokens import first_difference, without_eos

_NEGLIGIBLE = 0.005  # nats per token
_EXACT = 12  # decimals: 0.29 - 0.19 is slightly less than 0.1 in floating point
_NAMED = 2  # heads named in a title; the rest are counted
_NO_PAIRS = f"{NOT_AVAILABLE} “Continue from …” begins a run with them, if the plugin still gives them."


def head_names(heads: tuple[HeadId, ...]) -> str:
    """`cross layer 2 head 3 and encoder self layer 1 head 1`; of more than two, two and the number of the rest."""
    names = [f"{KIND_TITLES[kind]} layer {layer + 1} head {head + 1}" for kind, layer, head in heads]
    rest = len(names) - _NAMED
    return f"{', '.join(names[:_NAMED])} and {rest} more" if rest > 0 else " and ".join(names)


def describe_change(ablation: HeadAblation) -> str:
    """What the figures say of the validation pairs; if these are not available, of the reference, and why."""
    complete, without = ablation.complete, ablation.without
    if ablation.num_valid:
        return _describe_loss(ablation, "of the validation pairs", complete.valid_loss, without.valid_loss)
    of_reference = _describe_loss(ablation, "of this reference", reference_loss(complete), reference_loss(without))
    return "\n".join(filter(None, [of_reference, _NO_PAIRS]))


def _describe_loss(ablation: HeadAblation, whose: str, before: float | None, after: float | None) -> str:
    them, they = ("it", "this head") if len(ablation.heads) == 1 else ("them", "these heads")
    if before is None or after is None:
        return ""
    change = after - before
    if abs(change) < _NEGLIGIBLE:
        return f"The model does as well without {they}: the loss {whose} hardly changes."
    if change > 0:
        return f"Without {them} the right token {whose} is {per_cent(1 - exp(-change))} less probable (geometric mean)."
    return (
        f"Without {them} the right token {whose} is even {per_cent(exp(-change) - 1)} more probable (geometric mean)."
    )


def format_probability(probability: float) -> str:
    """A probability with two significant digits."""
    return f"{probability:.2f}" if probability >= 0.1 else f"{probability:.2g}"


def measurements(seen: AblationResult) -> tuple[float, float | None, float | None]:
    """The output's probability, the reference's loss and the validation loss; losses in nats per token."""
    return exp(-_nats(seen.sentence.free_running).sum()), reference_loss(seen), seen.valid_loss


def formatted_measurements(seen: AblationResult) -> list[str]:
    """`measurements` as text; an empty string for a figure that is missing."""
    probability, *losses = measurements(seen)
    return [format_probability(probability), *("" if loss is None else f"{loss:.3f}" for loss in losses)]


def reference_loss(seen: AblationResult) -> float | None:
    """The loss of the sentence's reference in nats per token; None if it has none."""
    feed = seen.sentence.by_reference
    return None if feed is None else float(_nats(feed).mean())


def _nats(feed: Feed) -> NDArray[np.float64]:
    """[T] -ln of the probability of each expected or chosen token."""
    return -np.log(np.maximum(feed.output_probability.astype(np.float64), 1e-30))


def formatted_changes(before: AblationResult, after: AblationResult) -> list[str]:
    """The change from one model to the other: in the output, its probability, and both losses."""
    wrong = first_difference(output_tokens(before), output_tokens(after))
    output = "the same" if wrong is None else f"differs from token {wrong + 1}"
    probability, *losses = (
        _difference(*pair) for pair in zip(formatted_measurements(before), formatted_measurements(after), strict=True)
    )
    assert probability is not None
    return [output, _signed(probability), *("" if loss is None else f"{loss:+z.3f}" for loss in losses)]


def _difference(before: str, after: str) -> float | None:
    """The difference of two figures as displayed, so that it matches what the reader sees; None if one is missing."""
    return round(float(after) - float(before), _EXACT) if before and after else None


def _signed(change: float) -> str:
    """A change of a probability, with the digits that `format_probability` shows."""
    return f"{change:+.2f}" if change == 0.0 or abs(change) >= 0.1 else f"{change:+.2g}"


def output_tokens(seen: AblationResult) -> tuple[str, ...]:
    """The output's tokens as a reader sees them."""
    return without_eos(seen.sentence.free_running.tgt_output)
