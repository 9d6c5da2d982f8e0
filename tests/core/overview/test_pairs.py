"""Reading pairs as tokens, and searching for pairs that contain a text."""

from __future__ import annotations

import pytest

from core.data.prepared_data import PreparedData
from core.overview import pairs as module
from core.overview.pairs import Found, PairRow, find_pairs, read_rows


def test_rows_mark_unknown_tokens_and_left_out_pairs(data: PreparedData) -> None:
    assert read_rows(data, "valid", [2], (5, 9)) == [
        PairRow(index=2, src=(("the", False), ("emu", False)), tgt=(("der", False), ("emu", False)), is_left_out=False)
    ]
    assert [row.is_left_out for row in read_rows(data, "train", [0, 3], (5, 9))] == [False, True]
    assert [row.is_left_out for row in read_rows(data, "train", [0, 2], (9, 3))] == [False, True]


def test_a_text_is_found_on_either_side_in_any_case(data: PreparedData) -> None:
    assert [found.indices for found in find_pairs(data, "train", "DOG")][-1] == (0, 1)
    assert [found.indices for found in find_pairs(data, "train", "SCHLÄFT")][-1] == (3,)
    assert [found.indices for found in find_pairs(data, "train", "emu")][-1] == ()


def test_a_search_reports_its_progress_and_its_end(data: PreparedData, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK", 3)
    monkeypatch.setattr(module, "MAX_FOUND", 3)
    assert list(find_pairs(data, "train", "e")) == [
        Found(indices=(0, 1, 2), num_searched=3, is_done=True),
    ]
    assert list(find_pairs(data, "train", "cat")) == [
        Found(indices=(2,), num_searched=3, is_done=False),
        Found(indices=(2, 3), num_searched=4, is_done=False),
        Found(indices=(2, 3), num_searched=4, is_done=True),
    ]
