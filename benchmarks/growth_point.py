"""`python -m benchmarks.growth_point SIZE`: time and memory of a training step of one size, in a process of its own.

SIZE is JSON. The answer is JSON too: seconds of a step; bytes: what the step takes at its peak beyond what the
built trainer holds (weights, gradients and the optimizer's averages); and remembered: the part of them that the
backward pass needs of the forward pass, counted. Linux only, which tells peaks of resident memory.
"""

from __future__ import annotations

import gc
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.speed import activations
from benchmarks.speed.data import prepare
from benchmarks.speed.ours import make_trainer, training
from benchmarks.speed.sizes import Size

STEPS = 2


def measure(size: Size, folder: Path) -> dict[str, float]:
    """Some steps of the product's own trainer, the first not timed, with what `auto` picks."""
    trainer = make_trainer(size, prepare(size, folder), folder / "run")
    contender = training(trainer)
    contender.before()
    gc.collect()
    resting = _resident("RssAnon")
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    contender.run()
    seconds = []
    for _ in range(STEPS):
        contender.before()
        started = time.perf_counter()
        contender.run()
        seconds.append(time.perf_counter() - started)
    return {
        "seconds": statistics.median(seconds),
        "bytes": _resident("VmHWM") - _resident("RssFile") - resting,  # the file's pages: torch's own code
        "remembered": activations.bytes_of(size, trainer.config.training.precision),
    }


def _resident(what: str) -> int:
    """Resident memory at its peak (VmHWM), or now: of files (RssFile), or the process's own (RssAnon). In bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (kilobytes,) = (line.split()[1] for line in lines if line.startswith(f"{what}:"))
    return 1024 * int(kilobytes)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        print(json.dumps(measure(Size(**json.loads(sys.argv[1])), Path(name))))
