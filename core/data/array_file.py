"""Writes and reads .npy files piece by piece, so that the whole array is never in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import DTypeLike, NDArray

Append = Callable[[NDArray[Any]], None]
BLOCK_SIZE = 2**20
"""Values in memory at once while a whole file is read."""


@contextmanager
def array_writer(path: Path, dtype: DTypeLike) -> Iterator[Append]:
    """Gives a function that appends values; on exit the file is, byte for byte, what `np.save` writes of them all."""
    length = 0
    with path.open("wb") as file:
        _write_header(file, dtype, length)

        def append(values: NDArray[Any]) -> None:
            nonlocal length
            file.write(np.ascontiguousarray(values, dtype).data)
            length += len(values)

        yield append
        file.seek(0)  # the header has room for the digits of any length, so that the values need not move
        _write_header(file, dtype, length)


def _write_header(file: BinaryIO, dtype: DTypeLike, length: int) -> None:
    header = {"descr": npy.dtype_to_descr(np.dtype(dtype)), "fortran_order": False, "shape": (length,)}
    npy.write_array_header_1_0(file, header)


def read_blocks(path: Path) -> Iterator[tuple[NDArray[Any], int]]:
    """The values of a file in order, a block at a time, each with the total number of values."""
    values = np.load(path, mmap_mode="r").view(np.ndarray)
    for start in range(0, len(values), BLOCK_SIZE):
        yield values[start : start + BLOCK_SIZE], len(values)


def map_values(path: Path, table: NDArray[Any]) -> Iterator[tuple[int, int]]:
    """Replace each value v by table[v] in the file itself; yields how many are done, and the total number.

    `table` must have the dtype of the file's values.
    """
    with path.open("r+b") as file:
        npy.read_magic(file)
        (total,), _, _ = npy.read_array_header_1_0(file)
        done, position = 0, file.tell()
        while block := file.read(BLOCK_SIZE * table.itemsize):
            file.seek(position)
            position += file.write(table[np.frombuffer(block, table.dtype)].data)
            done += len(block) // table.itemsize
            yield done, total
