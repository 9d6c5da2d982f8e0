"""Outputs, token by token: what a reader sees of one, and where two part."""

from __future__ import annotations

from unicodedata import bidirectional

_ISOLATED = "\u2068{}\u2069"  # from here to there it is a text of its own, whichever way it runs


def isolated(text: str) -> str:
    """A text of the data as it stands among words of ours: one that is read from right to left would turn round what is
    beside it, a number or an arrow."""
    return _ISOLATED.format(text) if any(bidirectional(letter) in ("R", "AL") for letter in text) else text


def quoted(text: str) -> str:
    """A text of the data in one of our sentences."""
    return f"“{isolated(text)}”"


def shortened(text: str, longest: int) -> str:
    """A text without its end where it is longer than so many characters."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def without_eos(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """The tokens a reader sees."""
    return tokens[:-1] if tokens and tokens[-1] == "<eos>" else tokens


def probability_text(probability: float) -> str:
    """Two digits, as there is room for in a box; one that would be 0.00 is not nothing."""
    return "<0.01" if probability < 0.005 else f"{probability:.2f}"


def first_difference(one: tuple[str, ...], other: tuple[str, ...]) -> int | None:
    """The place of the first token that differs, is missing or is too many; None where they are equal."""
    if one == other:
        return None
    pairs = zip(one, other, strict=False)
    return next((place for place, (mine, theirs) in enumerate(pairs) if mine != theirs), min(len(one), len(other)))
