"""The lines of metrics.jsonl: what is plotted over steps, as text and as records.

There are three kinds of line, each with `step`, `time` and its own checksum: a training step (`train/...` metrics), a
validation (`valid/...` metrics, the plugin's own, and `is_best`), and a changed setting (`setting` and `value`). A
value that is not finite is null.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.events import SettingChanged
from core.run_files.checked_lines import checked_line

Record = dict[str, Any]
Arrays = Mapping[str, NDArray[np.float64]]
VALIDATION_MARK, SETTING_MARK = b', "is_best": ', b', "setting": '
"""What only the line of a validation, or of a changed setting, has in it."""
_NOT_METRICS = frozenset({"step", "time", "is_best", "checksum"})


# -- as text -----------------------------------------------------------------------------------------------------------


def step_lines(first_step: int, arrays: Arrays) -> bytes:
    """One line for each step from `first_step` on; `arrays` has the values of all steps for each name."""
    rows = zip(*([_finite(value) for value in values.tolist()] for values in arrays.values()), strict=True)
    return b"".join(
        checked_line({"step": step} | dict(zip(arrays, row, strict=True))) for step, row in enumerate(rows, first_step)
    )


def validation_line(step: int, time: float, metrics: Mapping[str, float], is_best: bool) -> bytes:
    """The line for a validation."""
    return checked_line({"step": step, "time": time, "is_best": is_best} | {k: _finite(v) for k, v in metrics.items()})


def setting_line(time: float, changed: SettingChanged) -> bytes:
    """The line for a setting changed during the run."""
    return checked_line({"step": changed.step, "time": time, "setting": changed.key, "value": changed.value})


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


# -- as records --------------------------------------------------------------------------------------------------------


def columns(records: Sequence[Record]) -> tuple[NDArray[np.int64], dict[str, NDArray[np.float64]]]:
    """The steps, and an array for each metric, NaN where a line does not have it."""
    steps = np.fromiter((record["step"] for record in records), np.int64, len(records))
    return steps, {name: column(records, name) for name in _names(records)}


def column(records: Sequence[Record], name: str) -> NDArray[np.float64]:
    """One metric of the records, NaN where a line does not have it."""
    return np.array([record.get(name) for record in records], dtype=np.float64)


def metrics_of(record: Record) -> dict[str, float]:
    """The metrics of one line."""
    return {k: math.nan if v is None else v for k, v in record.items() if k not in _NOT_METRICS}


def settings_of(records: Sequence[Record]) -> list[SettingChanged]:
    """The lines of changed settings as events."""
    return [SettingChanged(step=record["step"], key=record["setting"], value=record["value"]) for record in records]


def is_metrics(record: Record) -> bool:
    """Whether this is a line that was written here, of any kind."""
    values = (value for key, value in record.items() if key not in _NOT_METRICS)
    is_setting = isinstance(record.get("setting"), str) and "value" in record
    return type(record.get("step")) is int and (is_setting or all(type(v) in (float, int, NoneType) for v in values))


def _names(records: Iterable[Record]) -> list[str]:
    names: dict[str, None] = {}
    for record in records:
        names |= dict.fromkeys(record)
    return [name for name in names if name not in _NOT_METRICS or name == "time"]
