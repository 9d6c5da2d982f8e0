"""`python -m benchmarks.growth_processes SIZE N`: a training step of one size, its batch shared by N processes.

The real command line trains, under torchrun if N is more than one. The answer is growth_point's, except that bytes are
all that the largest process holds at its peak.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

import yaml

from benchmarks.command_line import MAIN, run_quietly
from benchmarks.speed.settings import PLUGINS, document
from benchmarks.speed.sizes import Size
from core.run_folder import RunFolder
from core.torchrun import torchrun_command

STEPS, TIMED = 16, 8
"""Of so many steps, the last ones are timed: the first are interrupted by probes of the untrained model."""


def measure(size: Size, num_processes: int, folder: Path) -> dict[str, float]:
    """The median time between two steps, with what `auto` picks."""
    settings, run = folder / "settings.yaml", folder / "run"
    settings.write_text(yaml.safe_dump(document(size, max_steps=STEPS)), encoding="utf-8")
    python = torchrun_command(num_processes) if num_processes > 1 else [sys.executable]
    train = [str(MAIN), "train", str(settings), "--run-dir", str(run), "--plugins-dir", str(PLUGINS)]
    run_quietly([*python, *train])
    times = [record["time"] for record in RunFolder.open(run).metrics_file.read().steps[-TIMED - 1 :]]
    return {
        "seconds": statistics.median(after - before for before, after in pairwise(times)),
        "bytes": 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("size", type=json.loads, metavar="SIZE")
    parser.add_argument("num_processes", type=int, metavar="N")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        print(json.dumps(measure(Size(**given.size), given.num_processes, Path(name))))
