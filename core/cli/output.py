"""Prints results on standard output: JSON lines, tables, and events as JSON."""

from __future__ import annotations

import csv
import json
import math
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from pydantic import BaseModel

from core.cli.one_line import one_line
from core.events import Event, ProbeDone, ValidationDone


def print_json(record: Mapping[str, Any], file: TextIO | None = None) -> None:
    """Print one object on a line of its own and flush; to standard output unless `file` is given."""
    print(json.dumps(json_value(record), ensure_ascii=False, allow_nan=False), file=file, flush=True)


def print_lines(record: Mapping[str, Any]) -> None:
    """Print a line for each entry, for people, except for None, False and empty texts."""
    for name, value in record.items():
        if value is not None and value is not False and value != "":
            print(name, _formatted(value))


def _formatted(value: object) -> str:
    if isinstance(value, tuple):
        return one_line(", ".join(map(str, value)))
    return f"{value:.6g}" if isinstance(value, float) else one_line(str(value))


def print_records(records: Sequence[Mapping[str, Any]], *, as_csv: bool) -> None:
    """Print records for other programs: an object on each line, or a CSV table with the columns of the first record."""
    if not as_csv:
        for record in records:
            print_json(record)
        return
    writer = csv.DictWriter(sys.stdout, fieldnames=list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(json_value(record) for record in records)


def warn(sentence: str) -> None:
    """Print a warning for readers of the results, on standard error."""
    print(f"warning: {sentence}", file=sys.stderr)


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """A line for each row, with aligned cells."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def print_means(mean: Mapping[str, float], deviation: Mapping[str, float]) -> None:
    """Print each metric's mean over several runs ± its standard deviation, one a line."""
    for name, value in mean.items():
        print(f"{name} {value:.6g} ± {deviation[name]:.2g}")


def event_record(event: Event) -> dict[str, Any]:
    """An event as the object that `--json` prints: only step and texts of a probe, no sentences of a validation."""
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", type(event).__name__).lower()
    if isinstance(event, ProbeDone):
        sentences = [{"source": one.source, "output": one.output} for one in event.probe.sentences]
        return {"event": name, "step": event.probe.step, "sentences": sentences}
    left_out = "sentences" if isinstance(event, ValidationDone) else None
    return {"event": name} | {one.name: getattr(event, one.name) for one in fields(event) if one.name != left_out}


def json_value(value: Any) -> Any:
    """A value in JSON's types; NaN and infinities become None."""
    if isinstance(value, BaseModel):
        return json_value(value.model_dump(mode="json"))
    if isinstance(value, Mapping):
        return {str(key): json_value(one) for key, one in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return json_value(value.tolist())
    if isinstance(value, list | tuple):
        return [json_value(one) for one in value]
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
