"""Scaled dot-product attention in six stages: the matrices that each shows, and how one number is computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.answers.anatomy import DotProduct, FloatArray
from gui.panels.anatomy.matrix_canvas import Matrix
from gui.sentences.tokens import quoted

Mark = tuple[int | None, int | None]
_MAX_TERMS = 3  # how many terms of a sum are written out
LATER = "it comes later, so its score becomes −∞"


@dataclass(frozen=True)
class Stage:
    """`matrices` gives one or two inputs and the result.

    For cell (i, j) of the result, `marked_cells` gives the cells that made it, and `explain` says how.
    """

    name: str
    about: str
    matrices: Callable[[DotProduct], tuple[Matrix, ...]]
    marked_cells: Callable[[int, int], tuple[Mark, ...]]
    explain: Callable[[DotProduct, int, int], str]


def _matrix(
    name: str,
    numbers: FloatArray,
    rows: tuple[str, ...],
    columns: tuple[str, ...],
    hidden: NDArray[np.bool_] | None = None,
    *,
    is_signed: bool = True,
) -> Matrix:
    """A matrix with its shape in the title."""
    title = f"{name}  [{numbers.shape[0]} × {numbers.shape[1]}]"
    limit = float(np.abs(numbers).max()) if is_signed else None
    return Matrix(title, numbers, rows, columns, limit=limit, hidden=hidden)


def _vectors(name: str, numbers: FloatArray, tokens: tuple[str, ...]) -> Matrix:
    return _matrix(name, numbers, tokens, ("",) * numbers.shape[1])


def _queries(seen: DotProduct) -> Matrix:
    return _vectors("Q", seen.queries, seen.query_tokens)


def _keys(seen: DotProduct) -> Matrix:
    return _vectors("K", seen.keys, seen.key_tokens)


def _values(seen: DotProduct) -> Matrix:
    return _vectors("V", seen.values, seen.key_tokens)


def _output(seen: DotProduct) -> Matrix:
    return _vectors("weights · V", seen.output, seen.query_tokens)


def _scores(seen: DotProduct) -> Matrix:
    return _matrix("Q Kᵀ", seen.scores, seen.query_tokens, seen.key_tokens)


def _scaled(seen: DotProduct) -> Matrix:
    return _matrix("Q Kᵀ / √dₖ", seen.scaled, seen.query_tokens, seen.key_tokens)


def _masked(seen: DotProduct) -> Matrix:
    return _matrix("masked", seen.scaled, seen.query_tokens, seen.key_tokens, ~seen.allowed)


def _weights(seen: DotProduct) -> Matrix:
    return _matrix("weights", seen.weights, seen.query_tokens, seen.key_tokens, ~seen.allowed, is_signed=False)


def _sum_text(terms: list[str]) -> str:
    """`a + b + c + … (32 in all)`"""
    if len(terms) <= _MAX_TERMS:
        return " + ".join(terms)
    return f"{' + '.join(terms[:_MAX_TERMS])} + … ({len(terms)} in all)"


def _explain_value(seen: DotProduct, row: int, column: int) -> str:
    key = quoted(seen.key_tokens[row])
    return f"{key} passes on {seen.values[row, column]:z.3f} in dimension {column} of its value."


def _explain_score(seen: DotProduct, row: int, column: int) -> str:
    pairs = zip(seen.queries[row].tolist(), seen.keys[column].tolist(), strict=True)
    terms = _sum_text([f"({q:z.2f} · {k:z.2f})" for q, k in pairs])
    query, key = quoted(seen.query_tokens[row]), quoted(seen.key_tokens[column])
    return f"q({query}) · k({key}) = {terms} = {seen.scores[row, column]:z.3f}"


def _explain_scaled(seen: DotProduct, row: int, column: int) -> str:
    score, scaled, d_head = seen.scores[row, column], seen.scaled[row, column], seen.queries.shape[1]
    pair = f"{quoted(seen.query_tokens[row])}, {quoted(seen.key_tokens[column])}"
    return f"{pair}: {score:z.3f} / √{d_head} = {scaled:z.3f}"


def _explain_masked(seen: DotProduct, row: int, column: int) -> str:
    pair = f"{quoted(seen.query_tokens[row])}, {quoted(seen.key_tokens[column])}"
    if not seen.allowed[row, column]:
        return f"{pair}: {LATER}."
    return f"{pair}: allowed, so {seen.scaled[row, column]:z.3f} stays."


def _explain_weight(seen: DotProduct, row: int, column: int) -> str:
    pair = f"{quoted(seen.query_tokens[row])} reads from {quoted(seen.key_tokens[column])}"
    if not seen.allowed[row, column]:
        return f"{pair} with weight 0: {LATER}, and e^−∞ = 0."
    allowed = seen.scaled[row][seen.allowed[row]]
    powers = _sum_text([f"e^{score:z.2f}" for score in allowed.tolist()])
    return f"{pair} with weight e^{seen.scaled[row, column]:z.2f} / ({powers}) = {seen.weights[row, column]:z.3f}"


def _explain_output(seen: DotProduct, row: int, column: int) -> str:
    most = np.argsort(-seen.weights[row], kind="stable")[:_MAX_TERMS]
    terms = [
        f"{seen.weights[row, key]:z.2f} · {seen.values[key, column]:z.2f} ({quoted(seen.key_tokens[key])})"
        for key in most
    ]
    more = " + …" if len(seen.key_tokens) > _MAX_TERMS else ""
    component = f"{quoted(seen.query_tokens[row])}, dimension {column}"
    return f"{component}: {' + '.join(terms)}{more} = {seen.output[row, column]:z.3f}"


STAGES = (
    Stage(
        "Project",
        "Every token that reads makes a query from its vector: what it looks for. Every token that can be read makes "
        "a key, what it can be found by, and a value, what it passes on.",
        lambda seen: (_queries(seen), _keys(seen), _values(seen)),
        lambda row, column: ((None, None), (row, None), (row, column)),
        _explain_value,
    ),
    Stage(
        "Compare",
        "Each query is multiplied with each key, number by number, and summed: a large score means that they point "
        "the same way.",
        lambda seen: (_queries(seen), _keys(seen), _scores(seen)),
        lambda row, column: ((row, None), (column, None), (row, column)),
        _explain_score,
    ),
    Stage(
        "Scale",
        "The more dimensions a head has, the larger its scores, and the softmax would put nearly all weight on the "
        "largest. Dividing by √dₖ, the root of their number, keeps scores of any width alike.",
        lambda seen: (_scores(seen), _scaled(seen)),
        lambda row, column: ((row, column), (row, column)),
        _explain_scaled,
    ),
    Stage(
        "Mask",
        "Where a token may not look, its score becomes −∞: at padding, and in the decoder's self-attention at what "
        "comes later. This sentence stands alone, so it has no padding.",
        lambda seen: (_scaled(seen), _masked(seen)),
        lambda row, column: ((row, column), (row, column)),
        _explain_masked,
    ),
    Stage(
        "Softmax",
        "Each row becomes weights that are positive and sum to 1: how much of its attention a token gives to each.",
        lambda seen: (_masked(seen), _weights(seen)),
        lambda row, column: ((row, None), (row, column)),
        _explain_weight,
    ),
    Stage(
        "Read",
        "What a token reads is the mean of the values, weighted by its row. All heads' results, side by side, are then "
        "mixed by one more matrix.",
        lambda seen: (_weights(seen), _values(seen), _output(seen)),
        lambda row, column: ((row, None), (None, column), (row, column)),
        _explain_output,
    ),
)
