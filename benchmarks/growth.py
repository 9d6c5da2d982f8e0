"""How the cost of a training step grows: `python -m benchmarks.growth` prints step time and memory with exponents.

One thing grows at a time, starting from the medium size. The exponent is that of the growth between the last two rows:
1 is proportional growth, 2 is four times the cost for twice the size.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import NamedTuple

from benchmarks.chosen_names import chosen_names
from benchmarks.command_line import run_quietly
from benchmarks.speed.sizes import MEDIUM, Size

PARAMETERS = {
    "length": (replace(MEDIUM, batch_size=8), (16, 64, 256, 1024)),
    "batch_size": (MEDIUM, (8, 32, 128, 512)),
    "d_model": (MEDIUM, (64, 128, 256, 512)),
    "num_layers": (MEDIUM, (1, 2, 4, 8)),
    "vocab_size": (MEDIUM, (2000, 10_000, 50_000)),
    "processes": (MEDIUM, (1, 2, 4)),
}
"""The size that each thing grows from, and its values; d_ff grows with d_model, and processes share the batch."""


class Point(NamedTuple):
    """The cost of a step at one value of what grows."""

    value: int
    seconds: float
    bytes: float
    allocated: float | None = None  # peak bytes in the step's tensors
    remembered: float | None = None  # bytes of activations that the backward pass needs, by counting


def measure_point(size: Size, what: str, value: int) -> Point:
    """Measure in a separate process, so that the peak of memory is that of this step."""
    if what == "processes":
        module, arguments = "benchmarks.growth_processes", [json.dumps(asdict(size)), str(value)]
    else:
        sizes = asdict(size) | {what: value} | ({"d_ff": 4 * value} if what == "d_model" else {})
        module, arguments = "benchmarks.growth_point", [json.dumps(sizes)]
    return Point(value, **json.loads(run_quietly([sys.executable, "-m", module, *arguments])))


def exponent(points: Sequence[Point], of: str) -> float:
    """The exponent of the growth between the last two points."""
    before, last = points[-2:]
    return math.log(getattr(last, of) / getattr(before, of)) / math.log(last.value / before.value)


def lines(what: str, points: Sequence[Point]) -> Iterator[str]:
    """A table of one growing thing, in Markdown."""
    yield ""
    memory = "peak of the largest process" if what == "processes" else "memory of a step"
    yield f"| {what} | step, ms | {memory}, MB | its tensors, MB | counted activations, MB |"
    yield "|---:|---:|---:|---:|---:|"
    for point in points:
        tensors, counted = ("" if one is None else f"{one / 1e6:,.0f}" for one in (point.allocated, point.remembered))
        yield f"| {point.value:,} | {1000 * point.seconds:,.1f} | {point.bytes / 1e6:,.0f} | {tensors} | {counted} |"
    yield f"| exponent | {exponent(points, 'seconds'):.2f} | {exponent(points, 'bytes'):.2f} | | |"


def main() -> None:
    """Print a table for each thing that grows: those named, or all."""
    for what in chosen_names(__doc__, "THING", PARAMETERS):
        size, values = PARAMETERS[what]
        points = [measure_point(size, what, value) for value in values]
        print(f"{what}, else as {size}", *lines(what, points), sep="\n", end="\n\n", flush=True)


if __name__ == "__main__":
    main()
