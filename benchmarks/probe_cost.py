"""What a probe of four sentences costs on the medium model, in training steps.

`python -m benchmarks.probe_cost` times steps, probes, and probes written to the run's folder in turns, in each number
format, and prints medians and quartiles. The weights that are saved along with some probes are not counted.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks.speed.data import prepare
from benchmarks.speed.ours import make_trainer, training
from benchmarks.speed.rounds import Contender, Entry, Seconds, ratio, spread, take_turns
from benchmarks.speed.sizes import MEDIUM, Precision

ROUNDS = 9
BOUND = 2.0
STEP, PROBE, WRITTEN = Entry("step"), Entry("probe"), Entry("probe, written")


def report(precision: Precision) -> bool:
    """Print the rows of one format; returns whether both are within the bound."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = prepare(MEDIUM, folder)
        trainer = make_trainer(MEDIUM, data, folder / "run", precision=precision, probe_every=1, snapshot_budget_mb=0)
        step = training(trainer)
        everyone = {
            STEP: step,
            PROBE: Contender(run=trainer.probe, threads=step.threads, before=step.before),
            # A step's probe is what is due after it.
            WRITTEN: Contender(run=step.before, threads=step.threads, before=step.run),
        }
        seconds = take_turns(everyone, rounds=ROUNDS)
    is_within = [_report(precision, entry, seconds) for entry in (PROBE, WRITTEN)]
    return all(is_within)


def _report(precision: Precision, entry: Entry, seconds: Seconds) -> bool:
    taken, of_step = (1000 * spread(seconds[one]).median for one in (entry, STEP))
    steps = ratio(seconds, entry, STEP)
    is_within = steps.median < BOUND
    print(
        f"{precision:9} {entry.name:15} {taken:6.1f} ms, of a step's {of_step:6.1f} ms {steps.median:.2f} "
        f"({steps.low:.2f}–{steps.high:.2f})   {'kept' if is_within else 'MISSED'}",
        flush=True,
    )
    return is_within


def main() -> int:
    """Report both number formats."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    kept = [report("float32"), report("bfloat16")]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    raise SystemExit(main())
