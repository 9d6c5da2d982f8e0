"""Files of arrays: safetensors can read them, and a damaged byte is detected."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import load

from core.errors import UserError
from core.run_files.tensors import read_tensors, tensor_bytes

ARRAYS: dict[str, NDArray[Any]] = {
    "half": np.arange(3, dtype=np.float16),  # six bytes, so that the next array needs padding to be aligned
    "single": np.linspace(0, 1, 6, dtype=np.float32).reshape(2, 3),
    "turned": np.linspace(0, 1, 6, dtype=np.float32).reshape(2, 3).T,
    "empty": np.zeros((0, 3), np.float32),
    "counts": np.arange(4),
    "ranks": np.arange(3, dtype=np.int32),
    "state": np.frombuffer(b"odd", np.uint8),
    "flags": np.array([True, False]),
}
RECORD = {"step": 3, "text": "∫ \u2028"}


def test_arrays_are_read_back_also_by_safetensors(tmp_path: Path) -> None:
    data = tensor_bytes(ARRAYS, RECORD)
    (tmp_path / "file").write_bytes(data)
    read, record = read_tensors(tmp_path / "file")
    assert record == RECORD
    for found in (read, load(data)):
        assert found.keys() == ARRAYS.keys()
        for name, array in ARRAYS.items():
            assert found[name].dtype == array.dtype
            np.testing.assert_array_equal(found[name], array)


def test_any_damaged_byte_is_detected(tmp_path: Path) -> None:
    data = tensor_bytes(ARRAYS, RECORD)
    for position in range(0, len(data), 7):
        damaged = bytearray(data)
        damaged[position] ^= 0x10
        (tmp_path / "file").write_bytes(damaged)
        try:
            read, record = read_tensors(tmp_path / "file")
        except UserError:
            continue
        assert record == RECORD and all(np.array_equal(read[name], ARRAYS[name]) for name in ARRAYS), position
    with pytest.raises(UserError, match=r"no such file\. Restore it from a copy of the run\."):
        read_tensors(tmp_path / "none")
