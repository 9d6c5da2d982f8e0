"""Edit distances of many pairs at once, compared with the textbook algorithm."""

from __future__ import annotations

import random
from collections.abc import Sequence

from core.edit_distance import edit_distances, edit_table


def plain_edit_distance(a: Sequence[str], b: Sequence[str]) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (x != y))
    return row[-1]


def test_edit_distances_equal_the_textbook_table() -> None:
    draw = random.Random(0)
    pairs = [(draw.choices("abc", k=draw.randrange(9)), draw.choices("abcd", k=draw.randrange(9))) for _ in range(500)]
    pairs[7] = draw.choices("abc", k=40), draw.choices("abcd", k=50)  # much longer than all others
    pairs[9] = draw.choices("abc", k=60), draw.choices("abcd", k=20)  # the longest output, of a shorter reference
    found = edit_distances([h for h, _ in pairs], [r for _, r in pairs])
    assert found.tolist() == [plain_edit_distance(h, r) for h, r in pairs]


def test_the_table_has_the_distances_of_all_prefixes() -> None:
    table = edit_table("abba", "bab")
    assert table == [[plain_edit_distance("bab"[:row], "abba"[:column]) for column in range(5)] for row in range(4)]
