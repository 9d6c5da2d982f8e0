"""Named arrays in a safetensors file that carries a checksum of what it holds. Reading executes nothing."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from core.errors import UserError
from core.run_files.documents import damaged

Arrays = Mapping[str, NDArray[Any]]


def tensor_bytes(arrays: Arrays, record: Mapping[str, Any]) -> bytes:
    """A file of arrays and a record of plain values (kept as JSON in the file's metadata)."""
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    text = json.dumps(record, ensure_ascii=False, allow_nan=False)
    return save(whole, {"headlight": text, "checksum": _checksum(whole, text)})


def read_tensors(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Read what `tensor_bytes` made. Raises UserError that names a file that is damaged or missing."""
    try:
        with safe_open(path, framework="numpy") as file:
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (it is no dict)
            metadata = file.metadata() or {}
        text = metadata["headlight"]
        if metadata["checksum"] != _checksum(arrays, text):
            raise damaged(path, "its checksum does not match")
        return arrays, json.loads(text)
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such file.") from None
    except (SafetensorError, KeyError, ValueError, TypeError) as error:
        raise damaged(path, str(error) or type(error).__name__) from None


def _checksum(arrays: Arrays, text: str) -> str:
    value = zlib.crc32(text.encode())
    for name in sorted(arrays):
        value = zlib.crc32(f"{name} {arrays[name].dtype} {arrays[name].shape}".encode(), value)
        value = zlib.crc32(np.ascontiguousarray(arrays[name]), value)
    return f"{value:08x}"
