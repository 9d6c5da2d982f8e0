"""Array files that are written piece by piece."""

from pathlib import Path

import numpy as np
import pytest

from core.data import array_file
from core.data.array_file import array_writer, map_values, read_blocks


def test_the_file_equals_that_of_numpy(tmp_path: Path) -> None:
    values = np.arange(1000, dtype=np.int32)
    np.save(tmp_path / "whole.npy", values)
    with array_writer(tmp_path / "pieces.npy", np.int32) as add:
        for start in range(0, 1000, 300):
            add(values[start : start + 300].astype(np.int64))
    assert (tmp_path / "pieces.npy").read_bytes() == (tmp_path / "whole.npy").read_bytes()


def test_values_are_replaced_block_by_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(array_file, "BLOCK_SIZE", 4)
    file, by = tmp_path / "ids.npy", np.array([7, 5, 6], dtype=np.int32)
    values = np.array([0, 1, 2, 1, 2, 0, 0, 1, 2, 2], dtype=np.int32)
    np.save(file, values)
    assert list(map_values(file, by)) == [(4, 10), (8, 10), (10, 10)]
    assert np.array_equal(np.load(file), by[values])
    assert [(block.tolist(), total) for block, total in read_blocks(file)] == [
        ([7, 5, 6, 5], 10),
        ([6, 7, 7, 5], 10),
        ([6, 6], 10),
    ]
