"""Sequences of ids in one flat array."""

from itertools import chain
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.data.special_tokens import BOS_ID, EOS_ID
from core.data.token_arrays import TokenArrays, source_arrays, target_arrays, token_writer
from tests.core.data.conftest import flat_ids

SEQUENCES = st.lists(st.lists(st.integers(4, 99), max_size=7), min_size=1, max_size=9)


def rows(arrays: TokenArrays) -> list[list[int]]:
    return [arrays[index].tolist() for index in range(len(arrays))]


@given(SEQUENCES)
def test_every_sequence_gets_bos_and_eos(sequences: list[list[int]]) -> None:
    flat, lengths = flat_ids(sequences), list(map(len, sequences))
    assert rows(source_arrays(flat, lengths)) == [[*one, EOS_ID] for one in sequences]
    assert rows(target_arrays(flat, lengths)) == [[BOS_ID, *one, EOS_ID] for one in sequences]


@given(SEQUENCES, st.data())
def test_padding_is_zero_and_masked_and_tokens_stay(sequences: list[list[int]], data: st.DataObject) -> None:
    arrays = source_arrays(flat_ids(sequences), list(map(len, sequences)))
    indices = data.draw(st.lists(st.integers(0, len(sequences) - 1), min_size=1))
    ids, mask = arrays.padded(np.array(indices))
    for row, row_mask, index in zip(ids, mask, indices, strict=True):
        assert row[row_mask].tolist() == [*sequences[index], EOS_ID]
        assert not row[~row_mask].any()
    assert mask.any(axis=0).all(), "a column has only padding"


@given(SEQUENCES, st.data())
def test_selecting_keeps_the_order(sequences: list[list[int]], data: st.DataObject) -> None:
    arrays = source_arrays(flat_ids(sequences), list(map(len, sequences)))
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=len(arrays), max_size=len(arrays))))
    kept = arrays.selected(keep)
    assert rows(kept) == [row for row, is_kept in zip(rows(arrays), keep, strict=True) if is_kept]
    assert kept.selected_ids.tolist() == list(chain.from_iterable(rows(kept)))


def test_mapped_arrays_equal_those_written(tmp_path: Path) -> None:
    parts = [source_arrays(flat_ids([[4, 5], [], [6]]), [2, 0, 1]), source_arrays(flat_ids([[7], [8, 9]]), [1, 2])]
    with token_writer(tmp_path / "train.src") as add:
        for part in parts:
            add(part)
    assert rows(TokenArrays.map(tmp_path / "train.src")) == rows(parts[0]) + rows(parts[1])
