"""`python -m benchmarks.growth_point SIZE`: time and memory of a training step of one size, in a process of its own.

SIZE is JSON. The answer is JSON too: seconds of a step; bytes: what the process takes at the step's peak beyond what it
takes with a built trainer (weights, gradients and the optimizer's averages), malloc's holes included; allocated: what
its tensors hold then; and remembered: the part of them that the backward pass needs of the forward pass, counted.
Linux only, which tells peaks of resident memory.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from torch.profiler import ProfilerActivity, profile

from benchmarks.speed import activations
from benchmarks.speed.data import prepare
from benchmarks.speed.ours import make_trainer, training
from benchmarks.speed.sizes import Size

STEPS = 2


def measure(size: Size, folder: Path) -> dict[str, float]:
    """Some steps of the product's own trainer, the first not timed, with what `auto` picks."""
    data = prepare(size, folder)
    trainer = make_trainer(size, data, folder / "run")
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
    peak = _resident("VmHWM") - _resident("RssFile")  # without the files' pages, torch's own code
    watched = training(make_trainer(size, data, folder / "watched"))  # last: the profiler takes memory too
    watched.before()
    precision = trainer.config.training.precision
    assert precision != "auto"  # a trainer is told what it became
    return {
        "seconds": statistics.median(seconds),
        "bytes": peak - resting,
        "allocated": _peak_of_tensors(watched.run, folder / "trace.json"),
        "remembered": activations.bytes_of(size, precision),
    }


def _peak_of_tensors(run: Callable[[], object], trace: Path) -> int:
    """Bytes that torch has allocated and not freed again, at most, since this run of the first step began."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiled:
        run()
    profiled.export_chrome_trace(str(trace))
    events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    return max(int(event["args"]["Total Allocated"]) for event in events if event.get("name") == "[memory]")


def _resident(what: str) -> int:
    """Resident memory at its peak (VmHWM), or now: of files (RssFile), or the process's own (RssAnon). In bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (kilobytes,) = (line.split()[1] for line in lines if line.startswith(f"{what}:"))
    return 1024 * int(kilobytes)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("size", type=json.loads, metavar="SIZE")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        print(json.dumps(measure(Size(**given.size), Path(name))))
