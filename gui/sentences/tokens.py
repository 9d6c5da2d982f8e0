"""Outputs, token by token: what a reader sees of one, and where two part."""

from __future__ import annotations


def without_eos(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """The tokens a reader sees."""
    return tokens[:-1] if tokens and tokens[-1] == "<eos>" else tokens


def first_difference(one: tuple[str, ...], other: tuple[str, ...]) -> int | None:
    """The place of the first token that differs, is missing or is too many; None where they are equal."""
    if one == other:
        return None
    pairs = zip(one, other, strict=False)
    return next((place for place, (mine, theirs) in enumerate(pairs) if mine != theirs), min(len(one), len(other)))
