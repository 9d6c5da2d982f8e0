"""Shows that the presets learn what README says, in the time it says: `make check-learning`.

Drives the real command line, one training at a time, and prints one row for each promise. Training time is the wall
time between the events `run_started` and `run_finished`, validations and probes included. No run may get a notice in
the window; `classic_phonetic` gets one, since it ignores its source, and is left out.
"""

from __future__ import annotations

import json
import math
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.chosen_names import chosen_names
from benchmarks.command_line import evaluate, headlight, set_options
from core.run_folder import RunFolder
from core.runs.followed_run import read_followed_run


@dataclass(frozen=True)
class Promise:
    """A preset, the seconds it may train, and the lowest values its metrics must reach on held-out data."""

    preset: str
    seconds: float
    min_metrics: dict[str, float]
    learned_metric: str | None = None  # the validation metric that passes 95 % once the task is learned


PROMISES = (
    Promise("copy_task", 10, {"exact_match": 0.995}, "valid/exact_match"),
    Promise("phonetic_to_letter", 15, {"letters_clean": 0.995, "letters_noisy": 0.895}, "valid/letters_clean"),
    Promise("toy_german_english", 60, {"exact_match": 0.98}, "valid/exact_match"),
    Promise("reverse", 180, {"exact_match": 0.99}),
    Promise("sort", 180, {"exact_match": 0.99}),
    Promise("addition", 180, {"exact_match": 0.99}),
    Promise("dates", 60, {"exact_match": 0.99}),
    Promise("brackets", 180, {"exact_match": 0.99}),
    Promise("roman_numerals", 180, {"exact_match": 0.99}),
    Promise("classic_three_sentences", math.inf, {"exact_match": 1.0}),
    Promise("classic_one_sentence", math.inf, {}),
    Promise("classic_annotated_copy", math.inf, {}),
    Promise("classic_copy_notebook", math.inf, {}),
    Promise("joeynmt_reverse", math.inf, {}),
)
MIN_PROBES = 25  # probes before a teaching preset passes 95 %


def train(preset: str, runs_dir: Path, *settings: str) -> tuple[str, float]:
    """Train a preset with `KEY=VALUE` set; returns its folder, and the seconds between run_started and run_finished."""
    command = headlight("train", preset, "--runs-dir", str(runs_dir), "--json", *set_options(settings))
    with tempfile.TemporaryFile("w+") as progress:  # of interest only if it fails
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=progress, text=True) as process:
            assert process.stdout is not None
            started, finished, run = 0.0, 0.0, ""
            for line in process.stdout:
                event = json.loads(line)
                if event["event"] == "run_started":
                    started = time.perf_counter()
                if event["event"] == "run_finished":
                    finished, run = time.perf_counter(), event["run"]
        if process.returncode:
            progress.seek(0)
            raise SystemExit(f"{progress.read()}training {preset} ended with exit code {process.returncode}")
    return run, finished - started


def check(promise: Promise, runs_dir: Path) -> bool:
    """Train, evaluate and print the rows of one promise; returns whether all of it was kept."""
    run, seconds = train(promise.preset, runs_dir)
    metrics = evaluate(run, "--split", "test")  # of the best checkpoint
    kept = seconds <= promise.seconds
    bound = "" if promise.seconds == math.inf else f", at most {promise.seconds:g} s"
    print(f"{promise.preset:26} trained {seconds:6.1f} s{bound}   {verdict(kept)}")
    for name, minimum in promise.min_metrics.items():
        reached = metrics[name] >= minimum
        kept &= reached
        row = f"{name} {metrics[name]:.4f} on {metrics['sentences']:,.0f} sentences, at least {minimum}"
        print(f"{'':26} {row}   {verdict(reached)}", flush=True)
    if promise.learned_metric is not None:
        probes = probes_before_learned(Path(run), promise.learned_metric)
        kept &= probes >= MIN_PROBES
        row = f"{probes} probes before {promise.learned_metric} passes 95 %, at least {MIN_PROBES}"
        print(f"{'':26} {row}   {verdict(probes >= MIN_PROBES)}", flush=True)
    for notice in notices_in(Path(run)):
        kept = False
        print(f"{'':26} noticed: {notice}   {verdict(False)}", flush=True)
    return kept


def notices_in(run: Path) -> list[str]:
    """The notices that the window would show for a run; a preset may have none."""
    history = read_followed_run(RunFolder.open(run))
    for _ in history.analyse():
        pass
    return [notice.observation for notice in history.notices.all()]


def probes_before_learned(run: Path, metric: str) -> int:
    """The number of probes up to the last validation below 95 %."""
    folder = RunFolder.open(run)
    below = [step for step, metrics in folder.validation_metrics().items() if metrics[metric] < 0.95]
    return sum(step <= max(below, default=0) for step in folder.probe_steps())


def verdict(kept: bool) -> str:
    """The word that ends a row."""
    return "kept" if kept else "MISSED"


def main() -> int:
    """Check all promises, or those of the presets named on the command line."""
    presets = chosen_names(__doc__, "PRESET", dict.fromkeys(promise.preset for promise in PROMISES))
    chosen = [promise for promise in PROMISES if promise.preset in presets]
    with tempfile.TemporaryDirectory() as folder:
        kept = [check(promise, Path(folder)) for promise in chosen]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    raise SystemExit(main())
