"""Validated sentences made by hand."""

from __future__ import annotations

from core.events import ValidatedSentence


def validated(reference: str, hypothesis: str, ranks: tuple[int, ...] | None = None) -> ValidatedSentence:
    """One whose tokens are its words; without `ranks` all are right fed by the reference."""
    return _of(tuple(reference.split()), reference, hypothesis, ranks)


def subwords(pieces: str, hypothesis: str, ranks: tuple[int, ...] | None = None) -> ValidatedSentence:
    """One whose tokens are these pieces, of which its reference is joined."""
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
