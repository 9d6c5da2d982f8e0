"""Texts and tokens of the data as a reader sees them, and where two outputs differ."""

from __future__ import annotations

import math
from unicodedata import bidirectional

_LONGEST_SEARCHED = 40  # characters of a searched text: a longer one would be cut off, or widen the view
_ISOLATED = "\u2068{}\u2069"  # between First Strong Isolate and Pop Directional Isolate
# Right-to-left letters, Arabic numbers (two of them turn what is between them around), and marks that turn a text.
_REORDERING = ("R", "AL", "AN", "RLE", "RLO", "RLI")


def isolated(text: str) -> str:
    """A text of the data for use within our own: one that would reorder its neighbours, as Arabic does, is isolated."""
    return _ISOLATED.format(text) if any(bidirectional(letter) in _REORDERING for letter in text) else text


def quoted(text: str) -> str:
    """A text of the data in quotation marks, for use in one of our sentences."""
    return f"“{isolated(text)}”"


def shortened(text: str, longest: int) -> str:
    """A text cut to at most `longest` characters, the last of them an ellipsis if it was cut."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def quoted_search(text: str) -> str:
    """A searched text in quotation marks, shortened, for the sentence that nothing matches it."""
    return quoted(shortened(text, _LONGEST_SEARCHED))


def without_eos(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """The tokens a reader sees."""
    return tokens[:-1] if tokens and tokens[-1] == "<eos>" else tokens


def figure_text(figure: float, decimals: int) -> str:
    """A figure with so many decimals; a dash for NaN, of which the text beside it says that the run has diverged."""
    return "–" if math.isnan(figure) else f"{figure:z.{decimals}f}"


def probability_text(probability: float) -> str:
    """A probability with two decimals, to fit into a box; `<0.01` instead of 0.00."""
    return "<0.01" if probability < 0.005 else figure_text(probability, 2)


def first_difference(one: tuple[str, ...], other: tuple[str, ...]) -> int | None:
    """The index of the first token that differs or that only one output has; None if they are equal."""
    if one == other:
        return None
    pairs = zip(one, other, strict=False)
    return next((index for index, (mine, theirs) in enumerate(pairs) if mine != theirs), min(len(one), len(other)))
