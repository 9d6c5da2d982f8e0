"""Earlier measurements on this machine, in a file of the user's cache; without it they are made again."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import torch
from pydantic import Field, TypeAdapter, ValidationError

from core.machine.processor import processor_name
from core.run_files.atomic import write_atomically
from core.training.auto_precision.sample import Sample
from core.training.auto_precision.timing import Seconds
from core.user_dirs import USER_DIRS

_Number = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
_ENTRIES = TypeAdapter(dict[str, tuple[_Number, _Number]])
_MAX_ENTRIES = 500


def cache_file() -> Path:
    """The file; removing it has everything measured again."""
    return USER_DIRS.user_cache_path / "measured_speed.json"


def cached_seconds(sample: Sample) -> Seconds | None:
    """The measurement of this sample on such a machine, if there is one."""
    known = _read().get(_key(sample))
    return None if known is None else Seconds(*known)


def store_seconds(sample: Sample, seconds: Seconds) -> None:
    """Store a measurement if the cache can be written; otherwise it is made again, within a second."""
    newest = list(_read().items())[1 - _MAX_ENTRIES :]
    entries = dict([*newest, (_key(sample), tuple(seconds))])
    path = cache_file()
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps(entries, indent=1).encode())


def _read() -> dict[str, tuple[float, float]]:
    try:
        return _ENTRIES.validate_json(cache_file().read_bytes())
    except (OSError, ValidationError):  # none yet, not ours to read, or damaged
        return {}


def _key(sample: Sample) -> str:
    """Machine and size."""
    machine = {"processor": processor_name(), "torch": torch.__version__}
    return json.dumps(machine | vars(sample) | {"model": sample.model.model_dump()})
