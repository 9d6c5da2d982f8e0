"""What looking inside costs: a probe of four sentences on the medium model, in steps of its training.

`python -m benchmarks.probe_cost` times steps, probes, and probes written to the run's folder in turns, in either number
format, and prints medians and quartiles. The weights that some probes keep beside them are not counted.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.speed.data import prepare
from benchmarks.speed.ours import make_trainer, training
from benchmarks.speed.rounds import Contender, Entry, ratio, spread, take_turns
from benchmarks.speed.sizes import MEDIUM, Precision

ROUNDS = 9
BOUND = 2.0
STEP, PROBE, KEPT = Entry("step"), Entry("probe"), Entry("probe, written")


def report(precision: Precision) -> bool:
    """Print the rows of a format; whether both are within the bound."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = prepare(MEDIUM, folder)
        trainer = make_trainer(MEDIUM, data, folder / "run", precision=precision, probe_every=1, snapshot_budget_mb=0)
        step = training(trainer)
        everyone = {
            STEP: step,
            PROBE: Contender(trainer.probe, step.threads, step.before),
            KEPT: Contender(step.before, step.threads, step.run),
        }
        seconds = take_turns(everyone, rounds=ROUNDS)
    is_kept = True
    for entry in (PROBE, KEPT):
        steps = ratio(seconds, entry, STEP)
        is_kept &= steps.median < BOUND
        print(
            f"{precision:9} {entry.name:15} {1000 * spread(seconds[entry]).median:6.1f} ms, of a step's "
            f"{1000 * spread(seconds[STEP]).median:6.1f} ms {steps.median:.2f} ({steps.low:.2f}–{steps.high:.2f})   "
            f"{'kept' if steps.median < BOUND else 'MISSED'}",
            flush=True,
        )
    return is_kept


def main() -> int:
    """Report both number formats."""
    kept = [report("float32"), report("bfloat16")]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    raise SystemExit(main())
