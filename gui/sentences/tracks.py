"""Compares two outputs for one sentence token by token, and describes the difference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.probes import Feed
from gui.panel import Table
from gui.sentences.tokens import first_difference, quoted


@dataclass(frozen=True)
class Track:
    """One output: T tokens, the probability of each, and the model's own first choice at each position."""

    name: str
    tokens: tuple[str, ...]
    probabilities: tuple[float, ...]
    first_choices: tuple[str, ...]

    @property
    def num_first_choices(self) -> int:
        """How many of its tokens are the model's first choice."""
        return sum(token == first for token, first in zip(self.tokens, self.first_choices, strict=True))


def track_from_feed(name: str, feed: Feed) -> Track:
    """The track of one feed of a sentence."""
    return Track(name, feed.tgt_output, tuple(feed.output_probability.tolist()), feed.predicted)


def describe_reference_difference(teacher_forced: Track, free_running: Track) -> str:
    """What comparing the free-running output with the reference shows."""
    index = first_difference(teacher_forced.tokens, free_running.tokens)
    right, all_of_them = teacher_forced.num_first_choices, len(teacher_forced.tokens)
    alone = f"Teacher-forced, the model's first choice is right for {right} of {all_of_them} tokens."
    if index is None:
        return f"✓ The free run equals the reference. {alone}"
    return f"✗ {_describe_difference(index, teacher_forced, free_running, 'the reference has', 'the free run')} {alone}"


def describe_weights_difference(above: Track, below: Track) -> str:
    """What comparing two models' outputs shows."""
    index = first_difference(above.tokens, below.tokens)
    if index is None:
        return "= Both write the same."
    return f"≠ {_describe_difference(index, above, below, 'above comes', 'below')}"


def describe_reference_losses(above: Track, below: Track) -> str:
    """How probable two models find the same reference."""
    return (
        f"Teacher-forced, the loss is {_loss(above):z.2f} nats a token above and {_loss(below):z.2f} below; the first "
        f"choice is right for {above.num_first_choices} and {below.num_first_choices} of {len(above.tokens)} tokens."
    )


def tracks_table(tracks: tuple[Track, ...]) -> Table:
    """A table with a row for each token of each track."""
    rows = (
        (index, track.name, token, probability, first)
        for track in tracks
        for index, (token, probability, first) in enumerate(
            zip(track.tokens, track.probabilities, track.first_choices, strict=True), 1
        )
    )
    return [("place", "track", "token", "probability", "first choice"), *rows]


def _describe_difference(index: int, above: Track, below: Track, has: str, other: str) -> str:
    until = f"The same up to token {index}; then" if index else "From the first token on"
    return f"{until} {has} {_token_text(above, index)} and {other} {_token_text(below, index)}."


def _loss(track: Track) -> float:
    """The track's cross-entropy in nats per token."""
    with np.errstate(divide="ignore"):  # infinite if the model gives a right token probability 0
        return float(-np.log(track.probabilities).mean())


def _token_text(track: Track, index: int) -> str:
    if index >= len(track.tokens):
        return "nothing more"
    return f"{quoted(track.tokens[index])} ({track.probabilities[index]:.2f})"
