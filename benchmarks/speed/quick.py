"""Has it become slower? `python -m benchmarks.speed.quick` prints today's ratios to the textbook beside recorded ones.

For anyone who changes the hot path. Ratios within a run are steadier than seconds, but a busy machine moves them too:
measure a marked part again before you believe it.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.speed.machine import machine
from benchmarks.speed.ours import OURS
from benchmarks.speed.parts import PARTS, Conditions, why_not_here
from benchmarks.speed.rivals import TEXTBOOK, textbook_only
from benchmarks.speed.rounds import Spread
from core.machine.cores import usable_cores

RECORDED = Path(__file__).parents[1] / "recorded.json"
ROUNDS = {"medium-float32": 3, "medium-bfloat16": 4, "small": 2, "greedy-1": 4, "greedy-64": 3}
SLOWER_BELOW = 0.85
"""The share of the recorded ratio below which a ratio is marked."""


def against_textbook(part: str, rounds: int, threads: int) -> Spread:
    """How many times as fast as the textbook we are."""
    with tempfile.TemporaryDirectory() as folder:
        comparison = PARTS[part](Conditions(Path(folder), rounds, threads, textbook_only))
    (found,) = (faster for entry, faster in comparison.ratios().items() if entry.name == TEXTBOOK)
    return found


def line(part: str, today: Spread, recorded: float | None) -> str:
    """A row of the table."""
    figures = f"{part:18}{today.median:6.2f} ({today.low:.2f}–{today.high:.2f})"
    if recorded is None:
        return f"{figures}{'–':>10}"
    warning = "   slower than recorded" if today.median < SLOWER_BELOW * recorded else ""
    return f"{figures}{recorded:10.2f}{warning}"


def main() -> None:
    """Print the table, and record what was measured if asked to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.quick", description=__doc__)
    parser.add_argument("--record", action="store_true", help=f"write today's ratios to {RECORDED.name}")
    arguments = parser.parse_args()
    recorded = read_recorded(RECORDED)
    if recorded.get("machine", machine()) != machine():
        print(f"Recorded elsewhere, so ratios may differ: {recorded['machine']}; here: {machine()}.")
    print(f"{OURS + ' is faster by':18}{'today (quartiles)':>20}{'recorded':>10}")
    today = {}
    for part, rounds in ROUNDS.items():
        if reason := why_not_here(part):
            print(f"{part:18}{reason}", flush=True)
            continue
        ratio = against_textbook(part, rounds, usable_cores())
        today[part] = round(ratio.median, 3)
        print(line(part, ratio, recorded.get("ratios", {}).get(part)), flush=True)
    if arguments.record:
        RECORDED.write_text(json.dumps({"machine": machine(), "ratios": today}, indent=1) + "\n", encoding="utf-8")


def read_recorded(path: Path) -> Mapping[str, Any]:
    """What `--record` wrote; empty if it never did."""
    found: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


if __name__ == "__main__":
    main()
