"""What a number format costs in quality: `python -m benchmarks.precision [PRESET]...` trains each preset in both.

Prints a row a preset and seed, in Markdown: what it reaches on the test split in float32 and in bfloat16.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.check_learning import evaluate, train

PRESETS = ("copy_task", "phonetic_to_letter", "toy_german_english", "reverse", "sort", "dates")
SEEDS = (0, 1)
FORMATS = ("float32", "bfloat16")


def row(preset: str, seed: int, runs_dir: Path) -> str:
    """Exact match and loss of the best checkpoint, trained in each format."""
    cells = [preset, str(seed)]
    for precision in FORMATS:
        run, _ = train(preset, runs_dir, f"training.precision={precision}", f"seed={seed}")
        metrics = evaluate(run)
        cells += [f"{metrics['exact_match']:.4f}", f"{metrics['loss']:.4f}"]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """A table of the presets named, or of all six."""
    print("| preset | seed | float32: exact match | loss | bfloat16: exact match | loss |")
    print("|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for preset in sys.argv[1:] or PRESETS:
            for seed in SEEDS:
                print(row(preset, seed, Path(folder)), flush=True)


if __name__ == "__main__":
    main()
