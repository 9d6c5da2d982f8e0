"""Handmade validated sentences."""

from __future__ import annotations

from core.events import ValidatedSentence


def validated(reference: str, hypothesis: str, ranks: tuple[int, ...] | None = None) -> ValidatedSentence:
    """A sentence whose tokens are its words; without `ranks`, all are right under teacher forcing."""
    return _of(tuple(reference.split()), reference, hypothesis, ranks)


def subwords(pieces: str, hypothesis: str, ranks: tuple[int, ...] | None = None) -> ValidatedSentence:
    """A sentence whose tokens are these subwords, which joined are its reference."""
    tokens = tuple(pieces.split(" "))
    return _of(tokens, "".join(tokens).replace("▁", " ").removeprefix(" "), hypothesis, ranks)


def _of(tokens: tuple[str, ...], reference: str, hypothesis: str, ranks: tuple[int, ...] | None) -> ValidatedSentence:
    return ValidatedSentence(
        source=reference.upper(),
        reference=reference,
        hypothesis=hypothesis,
        tokens=(*tokens, "<eos>"),
        probability=(0.5,) * (len(tokens) + 1),
        rank=ranks or (0,) * (len(tokens) + 1),
    )
