"""What was written in the place of each reference symbol: two sequences side by side, by the fewest edits."""

from __future__ import annotations

from collections.abc import Sequence

from core.events import ValidatedSentence

Written = tuple[str | None, str | None]  # a reference symbol and what stands for it; None: nothing was to be, or is

_EOS = "<eos>"


def symbols_of(sentence: ValidatedSentence) -> tuple[list[str], list[str]]:
    """Reference and hypothesis cut alike: into the run's tokens where those join to the reference, else into words."""
    tokens = [token for token in sentence.tokens if token != _EOS]
    is_characters = "".join(tokens) == sentence.reference and " ".join(tokens) != sentence.reference
    cut = list if is_characters else str.split
    return cut(sentence.reference), cut(sentence.hypothesis)


def side_by_side(reference: Sequence[str], hypothesis: Sequence[str]) -> list[Written]:
    """Both sequences in order, with the fewest substitutions, omissions and additions (Levenshtein 1966)."""
    if reference == hypothesis:
        return [(symbol, symbol) for symbol in reference]
    costs = _costs(reference, hypothesis)
    row, column = len(reference), len(hypothesis)
    pairs: list[Written] = []
    while row or column:
        here = costs[row][column]
        is_other = row and column and reference[row - 1] != hypothesis[column - 1]
        if row and column and here == costs[row - 1][column - 1] + is_other:
            row, column = row - 1, column - 1
            pairs.append((reference[row], hypothesis[column]))
        elif row and here == costs[row - 1][column] + 1:
            row -= 1
            pairs.append((reference[row], None))
        else:
            column -= 1
            pairs.append((None, hypothesis[column]))
    return pairs[::-1]


def _costs(reference: Sequence[str], hypothesis: Sequence[str]) -> list[list[int]]:
    """[len(reference) + 1][len(hypothesis) + 1] fewest edits from one beginning to the other."""
    rows = [list(range(len(hypothesis) + 1))]
    for number, wanted in enumerate(reference, 1):
        above, row = rows[-1], [number]
        for column, got in enumerate(hypothesis):
            row.append(min(above[column] + (wanted != got), above[column + 1] + 1, row[column] + 1))
        rows.append(row)
    return rows
