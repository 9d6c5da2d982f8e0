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


def track_of(name: str, feed: Feed) -> Track:
    """The track of one feed of a sentence."""
    return Track(name, feed.tgt_output, tuple(feed.output_probability.tolist()), feed.predicted)


def said_of_reference(fed: Track, free: Track) -> str:
    """What comparing the free-running output with the reference shows."""
    place = first_difference(fed.tokens, free.tokens)
    right, all_of_them = fed.num_first_choices, len(fed.tokens)
    alone = f"Teacher-forced, the model's first choice is right for {right} of {all_of_them} tokens."
    if place is None:
        return f"✓ The free run equals the reference. {alone}"
    return f"✗ {_said_of_difference(place, fed, free, 'the reference has', 'the free run')} {alone}"


def said_of_weights(above: Track, below: Track) -> str:
    """What comparing two models' outputs shows."""
    place = first_difference(above.tokens, below.tokens)
    if place is None:
        return "= Both write the same."
    return f"≠ {_said_of_difference(place, above, below, 'above comes', 'below')}"


def said_of_fed(above: Track, below: Track) -> str:
    """How probable two models find the same reference."""
    return (
        f"Teacher-forced, the loss is {_loss(above):.2f} nats a token above and {_loss(below):.2f} below; the first "
        f"choice is right for {above.num_first_choices} and {below.num_first_choices} of {len(above.tokens)} tokens."
    )


def table_of(tracks: tuple[Track, ...]) -> Table:
    """A table with a row for each token of each track."""
    rows = (
        (place, track.name, token, probability, first)
        for track in tracks
        for place, (token, probability, first) in enumerate(
            zip(track.tokens, track.probabilities, track.first_choices, strict=True), 1
        )
    )
    return [("place", "track", "token", "probability", "first choice"), *rows]


def _said_of_difference(place: int, above: Track, below: Track, has: str, other: str) -> str:
    until = f"The same up to token {place}; then" if place else "From the first token on"
    return f"{until} {has} {_at(above, place)} and {other} {_at(below, place)}."


def _loss(track: Track) -> float:
    """The track's cross-entropy in nats per token."""
    with np.errstate(divide="ignore"):  # infinite if the model gives a right token probability 0
        return float(-np.log(track.probabilities).mean())


def _at(track: Track, place: int) -> str:
    if place >= len(track.tokens):
        return "nothing more"
    return f"{quoted(track.tokens[place])} ({track.probabilities[place]:.2f})"
