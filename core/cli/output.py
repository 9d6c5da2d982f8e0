"""Results on standard output: JSON lines, tables, and events as JSON."""

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
    """Print one object on a line of its own, at once; to standard output unless there is a file."""
    print(json.dumps(plain(record), ensure_ascii=False, allow_nan=False), file=file, flush=True)


def print_lines(record: Mapping[str, Any]) -> None:
    """Print a line for each entry, for people: none for what there is not (None, False, an empty text)."""
    for name, value in record.items():
        if value is not None and value is not False and value != "":
            print(name, _said(value))


def _said(value: object) -> str:
    if isinstance(value, tuple):
        return one_line(", ".join(map(str, value)))
    return f"{value:.6g}" if isinstance(value, float) else one_line(str(value))


def print_records(records: Sequence[Mapping[str, Any]], *, as_csv: bool) -> None:
    """Print records for another program: an object a line, or a table whose columns are the names of the first."""
    if not as_csv:
        for record in records:
            print_json(record)
        return
    writer = csv.DictWriter(sys.stdout, fieldnames=list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(plain(record) for record in records)


def warn(sentence: str) -> None:
    """Say on standard error what a reader of the results should know."""
    print(f"warning: {sentence}", file=sys.stderr)


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """A line for each row, the cells below each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def print_means(mean: Mapping[str, float], deviation: Mapping[str, float]) -> None:
    """Print a line for each metric: its mean over several runs ± its standard deviation."""
    for name, value in mean.items():
        print(f"{name} {value:.6g} ± {deviation[name]:.2g}")


def event_record(event: Event) -> dict[str, Any]:
    """An event as the object `--json` prints; of a probe its step and texts, of a validation no sentences."""
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", type(event).__name__).lower()
    if isinstance(event, ProbeDone):
        sentences = [{"source": one.source, "output": one.output} for one in event.probe.sentences]
        return {"event": name, "step": event.probe.step, "sentences": sentences}
    left_out = "sentences" if isinstance(event, ValidationDone) else None
    return {"event": name} | {one.name: getattr(event, one.name) for one in fields(event) if one.name != left_out}


def plain(value: Any) -> Any:
    """A value as JSON can say it; a number that is none becomes null."""
    if isinstance(value, BaseModel):
        return plain(value.model_dump(mode="json"))
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
