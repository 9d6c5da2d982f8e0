"""`train --seeds`: which seeds, and how far apart the runs came out."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from core.cli_output import print_json
from core.errors import UserError
from core.events import RunFinished


def read_seeds(text: str) -> list[int]:
    """`0,1,2` as numbers. Raises UserError where it is not two or more different whole numbers."""
    words = [word.strip() for word in text.split(",")]
    seeds = [int(word) for word in words if word.isascii() and word.isdigit()]
    if len(seeds) != len(words) or len(set(seeds)) != len(seeds) or len(seeds) < 2:
        raise UserError(f"--seeds {text}: expected two or more different whole numbers, such as 0,1,2.")
    return seeds


def print_spread(runs: Sequence[RunFinished], *, json: bool) -> None:
    """Print mean and sample standard deviation of every metric that all runs have."""
    names = [name for name in runs[0].metrics if all(name in run.metrics for run in runs)]
    values = {name: [run.metrics[name] for run in runs] for name in names}
    mean = {name: statistics.fmean(given) for name, given in values.items()}
    deviation = {name: statistics.stdev(given) for name, given in values.items()}
    if json:
        folders = [run.run for run in runs]
        print_json({"event": "seeds_finished", "runs": folders, "mean": mean, "standard_deviation": deviation})
        return
    print(f"\nmean of {len(runs)} runs ± standard deviation")
    for name in names:
        print(f"{name} {mean[name]:.6g} ± {deviation[name]:.2g}")
