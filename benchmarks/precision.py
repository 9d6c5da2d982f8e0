"""What bfloat16 costs in quality: `python -m benchmarks.precision [PRESET]...` trains each preset in both formats.

Prints a Markdown row for each preset and seed: what its best checkpoint reaches in float32 and in bfloat16.
`--data FOLDER` holds the corpora, in the folders that docs/quality.md names; a preset whose corpus is missing is
skipped with a message. `--steps N` trains each run for only so many steps: whole trainings of the corpora take hours.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.check_quality import TASKS, missing_folder, train
from benchmarks.chosen_names import add_names
from benchmarks.command_line import evaluate, set_options

TEACHING = ("copy_task", "phonetic_to_letter", "toy_german_english", "reverse", "sort", "dates")
TASKS_BY_PRESET = {task.preset: task for task in TASKS if "long" not in task.name}
SEEDS = (0, 1)
FORMATS = ("float32", "bfloat16")


@dataclass(frozen=True)
class Comparison:
    """A preset, the arguments to train it, the options of `evaluate`, and the figure to compare along with the loss."""

    preset: str
    command: list[str]
    evaluation: tuple[str, ...]
    metric: str

    def row(self, seed: int, steps: int | None, runs_dir: Path) -> str:
        """Train in each format, and give figure and loss of both."""
        cells = [self.preset, str(seed), self.metric]
        settings = [f"seed={seed}", *([f"training.max_steps={steps}"] if steps is not None else [])]
        for precision in FORMATS:
            run = runs_dir / f"{self.preset} {seed} {precision}"
            given = set_options([*settings, f"training.precision={precision}"])
            train([*self.command, *given], run, math.inf)
            record = evaluate(run, *self.evaluation)
            cells += [f"{record[self.metric]:.4f}", f"{record['loss']:.4f}"]
        return f"| {' | '.join(cells)} |"


def comparisons(presets: list[str], data: Path | None) -> Iterator[Comparison]:
    """The presets that need no corpus, or have it; for every other, prints why it is left out."""
    for preset in presets:
        if preset in TEACHING:
            yield Comparison(preset, ["train", preset], ("--split", "test"), "exact_match")
            continue
        task = TASKS_BY_PRESET[preset]
        if missing := missing_folder(task, data):
            print(missing, file=sys.stderr)
        else:
            command = task.command((data or Path()).resolve())
            yield Comparison(preset, command, task.evaluations[0], task.promises[0].metric)


def main() -> None:
    """Print a table of the presets named, or of all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_names(parser, "PRESET", [*TEACHING, *TASKS_BY_PRESET])
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="the folder with the corpora")
    parser.add_argument("--steps", type=int, metavar="N", help="train each run for so many steps, not the preset's")
    arguments = parser.parse_args()
    print("| preset | seed | metric | float32 | loss | bfloat16 | loss |")
    print("|---|---:|---|---:|---:|---:|---:|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for one in comparisons(arguments.names, arguments.data):
            for seed in SEEDS:
                print(one.row(seed, arguments.steps, Path(folder)), flush=True)


if __name__ == "__main__":
    main()
