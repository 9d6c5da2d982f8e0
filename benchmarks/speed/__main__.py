"""`python -m benchmarks.speed [PART ...]`: how fast everyone trains and decodes, in tables. docs/performance.md."""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.chosen_names import add_names
from benchmarks.speed.agreement import Disagreement
from benchmarks.speed.machine import machine
from benchmarks.speed.parts import PARTS, Conditions, why_not_here
from benchmarks.speed.table import as_record, lines
from core.machine.cores import usable_cores


def main() -> None:
    """Measure, and print each part as soon as it is done."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    add_names(parser, "PART", PARTS)
    parser.add_argument("--rounds", type=int, default=12, help="turns that everyone takes")
    parser.add_argument("--json", type=Path, help="write everything that was measured to this file")
    arguments = parser.parse_args()
    print(*(f"{name} {value}" for name, value in machine().items()), sep=", ", end="\n\n", flush=True)
    records: dict[str, Any] = {"machine": machine()}
    for name in arguments.names:
        if reason := why_not_here(name):
            print(f"{name}: {reason}", end="\n\n", flush=True)
            continue
        try:
            with tempfile.TemporaryDirectory() as folder:
                comparison = PARTS[name](Conditions(Path(folder), arguments.rounds, usable_cores()))
        except Disagreement as different:
            print(f"{name}: not compared. {different}", end="\n\n", flush=True)
            continue
        print("\n".join(lines(comparison)), end="\n\n", flush=True)
        records[name] = as_record(comparison)
    if arguments.json:
        arguments.json.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
