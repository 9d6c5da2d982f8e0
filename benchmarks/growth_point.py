"""`python -m benchmarks.growth_point SIZE`: time and memory of a training step of one size, in a process of its own.

SIZE is JSON, and so is the answer: seconds of a step; bytes: what the process uses at the step's peak beyond what it
uses with a built trainer (weights, gradients and the optimizer's averages), malloc's fragmentation included;
allocated: what its tensors hold then; and remembered: the part of those that the backward pass needs from the forward
pass, by counting. Linux only, which reports peaks of resident memory.
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

from torch.autograd.profiler import profile

from benchmarks.speed import activations
from benchmarks.speed.data import prepare
from benchmarks.speed.ours import make_trainer, training
from benchmarks.speed.sizes import Size

STEPS = 2


def measure(size: Size, folder: Path) -> dict[str, float]:
    """Time some steps of the product's own trainer, with what `auto` picks; the first is not timed."""
    data = prepare(size, folder)
    trainer = make_trainer(size, data, folder / "run")
    contender = training(trainer)
    contender.before()
    gc.collect()
    resting = _resident_bytes("RssAnon")
    seconds, peaks = [], []
    for _ in range(1 + STEPS):
        contender.before()  # may write a snapshot, for which it holds the weights once more
        Path("/proc/self/clear_refs").write_text("5")  # resets the peak
        started = time.perf_counter()
        contender.run()
        seconds.append(time.perf_counter() - started)
        peaks.append(_resident_bytes("VmHWM") - _resident_bytes("RssFile"))  # RssFile: pages of files, as torch's code
    profiled_step = training(make_trainer(size, data, folder / "watched"))  # last, since the profiler takes memory too
    profiled_step.before()
    precision = trainer.config.training.precision
    assert precision != "auto"  # resolved
    return {
        "seconds": statistics.median(seconds[1:]),
        "bytes": max(peaks) - resting,
        "allocated": _peak_tensor_bytes(profiled_step.run, folder / "trace.json"),
        "remembered": activations.bytes_of(size, precision),
    }


def _peak_tensor_bytes(run: Callable[[], object], trace: Path) -> int:
    """The peak of the bytes that torch has allocated and not freed, since this run of the first step began.

    This is the inner one of torch's two profilers: the outer one first loads torch's compilers, for two seconds.
    """
    with profile(profile_memory=True) as profiled:
        run()
    profiled.export_chrome_trace(str(trace))
    events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    return max(int(event["args"]["Total Allocated"]) for event in events if event.get("name") == "[memory]")


def _resident_bytes(what: str) -> int:
    """Resident memory in bytes: its peak (VmHWM), or now that of files (RssFile) or of the process itself (RssAnon)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (kilobytes,) = (line.split()[1] for line in lines if line.startswith(f"{what}:"))
    return 1024 * int(kilobytes)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("size", type=json.loads, metavar="SIZE")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        print(json.dumps(measure(Size(**given.size), Path(name))))
