"""Formats results as a table for people, and as JSON to keep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.speed.rounds import Entry, Seconds, Spread, fastest, ratio, spread

_HEADING = f"  {'':41}{'ms':>10}{'GFLOP/s':>9}   {'we are faster by':18}  its fastest setting"


@dataclass(frozen=True)
class Comparison:
    """One part of a benchmark: what was timed, how long each contender took, and why others could not take part."""

    title: str
    ours: str
    seconds: Seconds
    operations: int  # floating-point operations in one run's matrix products
    missing: Mapping[str, str]

    def ratios(self) -> dict[Entry, Spread]:
        """How many times as fast we are as each contender under its fastest setting; 1 for ourselves."""
        best = fastest(self.seconds)
        return {entry: ratio(self.seconds, entry, best[self.ours]) for entry in best.values()}


def lines(comparison: Comparison) -> Iterator[str]:
    """The comparison as text: milliseconds, the rate of matrix products, and the ratio with its quartiles."""
    yield f"{comparison.title}; {comparison.operations / 1e9:.3g} GFLOP in matrix products"
    yield _HEADING
    for entry, faster in comparison.ratios().items():
        seconds = spread(comparison.seconds[entry]).median
        by = "" if entry.name == comparison.ours else f"{faster.median:.2f} ({faster.low:.2f}–{faster.high:.2f})"
        rate = comparison.operations / seconds / 1e9
        yield f"  {entry.name:41}{1000 * seconds:10.2f}{rate:9.1f}   {by:18}  {entry.setting}".rstrip()
    for name, reason in comparison.missing.items():
        yield f"  {name:41}{'–':>10}{'–':>9}   not installed: {reason}"


def as_record(comparison: Comparison) -> dict[str, Any]:
    """Everything that was measured, as plain data."""
    return {
        "title": comparison.title,
        "operations": comparison.operations,
        "ratios": {entry.name: faster._asdict() for entry, faster in comparison.ratios().items()},
        "seconds": [
            {"name": entry.name, "setting": entry.setting, "rounds": taken}
            for entry, taken in comparison.seconds.items()
        ],
        "missing": dict(comparison.missing),
    }
