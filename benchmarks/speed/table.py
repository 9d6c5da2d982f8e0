"""Results as a table to be read, and as JSON to be kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.speed.rounds import Entry, Seconds, Spread, fastest, ratio, spread


@dataclass(frozen=True)
class Comparison:
    """One part of a benchmark: what was timed, and of each contender how long it took, or why it could not."""

    title: str
    ours: str
    seconds: Seconds
    missing: Mapping[str, str]

    def ratios(self) -> dict[Entry, Spread]:
        """How many times as fast we are as each contender under its fastest setting; 1 for ourselves."""
        best = fastest(self.seconds)
        return {entry: ratio(self.seconds, entry, best[self.ours]) for entry in best.values()}


def lines(comparison: Comparison) -> Iterator[str]:
    """The comparison as text: milliseconds, and the ratio with its quartiles."""
    yield comparison.title
    yield f"  {'':42} {'ms':>9}   {'ours is faster by':17}  fastest setting"
    for entry, faster in comparison.ratios().items():
        milliseconds = 1000 * spread(comparison.seconds[entry]).median
        by = f"{faster.median:5.2f} ({faster.low:.2f}–{faster.high:.2f})" if entry.name != comparison.ours else ""
        yield f"  {entry.name:42} {milliseconds:9.2f}   {by:17}  {entry.setting}".rstrip()
    for name, reason in comparison.missing.items():
        yield f"  {name:42} {'–':>9}   {reason}"


def as_record(comparison: Comparison) -> dict[str, Any]:
    """Everything that was measured, as plain data."""
    return {
        "title": comparison.title,
        "ratios": {entry.name: faster._asdict() for entry, faster in comparison.ratios().items()},
        "seconds": [
            {"name": entry.name, "setting": entry.setting, "rounds": taken}
            for entry, taken in comparison.seconds.items()
        ],
        "missing": dict(comparison.missing),
    }
