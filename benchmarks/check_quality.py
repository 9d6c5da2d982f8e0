"""Compares what the presets reach on real corpora with published scores: `make check-quality DATA=folder`.

Drives the real command line, one training at a time, and writes a row for each way of decoding into docs/quality.md.
DATA holds the folders that TASKS name; a task whose folder is missing is skipped with a message. A training that is not
done after its minutes is stopped, its checkpoint saved and evaluated; the window must have no notice about the run.
`--only NAME` and `--max-minutes N` choose. `--runs-dir FOLDER` keeps the runs, and continues those that are there.
"""

from __future__ import annotations

import argparse
import json
import platform
import shlex
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.check_learning import notices_in
from benchmarks.command_line import ROOT, evaluate, headlight, set_options
from core.run_folder import RunFolder

PAGE = ROOT / "docs" / "quality.md"


@dataclass(frozen=True)
class Promise:
    """A figure of `evaluate`, and its bound: a lower one, or an upper one where less is better."""

    metric: str
    value: float
    is_upper_bound: bool = False

    def is_kept(self, reached: float) -> bool:
        """Whether this is good enough."""
        return reached <= self.value if self.is_upper_bound else reached >= self.value

    def words(self, reached: float) -> str:
        """`bleu 36.2 (at least 36: kept)`."""
        bound = f"{'at most' if self.is_upper_bound else 'at least'} {self.value:g}"
        return f"{self.metric} {reached:.4g} ({bound}: {'kept' if self.is_kept(reached) else 'MISSED'})"


@dataclass(frozen=True)
class Task:
    """A preset, its folder in DATA, the minutes it may train, and how it is measured."""

    name: str
    preset: str
    folder: str | None  # None: its plugin generates the data
    minutes: float
    evaluations: tuple[tuple[str, ...], ...]  # options of `evaluate`
    promises: tuple[Promise, ...]  # about the first evaluation; the others are only shown
    settings: tuple[str, ...] = ()

    def command(self, data: Path) -> list[str]:
        """The arguments that train it."""
        folder = [] if self.folder is None else [f"dataset.options.folder={data / self.folder}"]
        return ["train", self.preset, *set_options([*folder, *self.settings])]


GREEDY, BEAM = ("--checkpoint", "best"), ("--beam-size", "5", "--length-penalty", "1")
MINIMUM_RISK = ("--beam-size", "30", "--minimum-risk")
AVERAGED = ("--checkpoint", "last")
MULTI30K = (GREEDY, (*GREEDY, *BEAM), AVERAGED, (*AVERAGED, *BEAM))
LETTERS = (GREEDY, (*GREEDY, *BEAM))
TASKS = (
    Task(
        "reverse", "joeynmt_reverse", None, 10,
        (("--split", "test"),), (Promise("exact_match_trained_lengths", 0.98),),
    ),
    Task(
        "cmudict", "cmudict_letters", "cmudict", 60,
        LETTERS, (Promise("exact_match", 0.50), Promise("token_error_rate", 0.115, is_upper_bound=True)),
    ),
    Task(
        "multi30k", "multi30k_en_de", "multi30k/lc.norm.tok", 60,
        MULTI30K, (Promise("tokenized_bleu", 36.0),),
    ),
    Task(
        "cmudict, long", "cmudict_letters", "cmudict", 240,
        ((*GREEDY, *MINIMUM_RISK), *reversed(LETTERS)),
        (Promise("exact_match", 0.527), Promise("token_error_rate", 0.1035, is_upper_bound=True)),
        (
            "model.d_model=256", "model.d_ff=1024", "model.num_encoder_layers=4", "model.num_decoder_layers=4",
            "model.dropout=0.25", "model.positions=sinusoidal", "training.batch_tokens=2048",
            "training.optimizer.learning_rate=1e-3", "training.max_steps=18000", "training.validate_every=250",
            "training.best_metric=valid/token_error_rate",
        ),
    ),
    Task(
        "multi30k, long", "multi30k_en_de", "multi30k/lc.norm.tok", 240,
        tuple(reversed(MULTI30K)), (Promise("tokenized_bleu", 40.0),),
        (
            "training.batch_tokens=8192", "training.max_steps=8000", "training.optimizer.learning_rate=5e-3",
            "training.schedule.warmup_steps=2000", "training.validate_every=200", "training.checkpoint_every=55",
        ),
    ),
)  # fmt: skip
SHOWN = ("tokenized_bleu", "chrf", "exact_match", "token_error_rate")


@dataclass(frozen=True)
class Trained:
    """How many steps a run took, the minutes they took with validations and probes, and on what."""

    steps: int
    minutes: float
    machine: str


def train(command: list[str], run: Path, minutes: float) -> Trained:
    """Train, or continue the run, and end it once all its trainings together have had its minutes.

    It is ended by SIGTERM, since what a script starts in the background ignores Ctrl-C. Raises SystemExit if it ended
    in any other way.
    """
    spent = run.with_name(f"{run.name}.minutes")
    before = float(spent.read_text()) if spent.exists() else 0.0
    begin = ["train", "--resume", str(run)] if run.exists() else [*command, "--run-dir", str(run)]
    started: float | None = None
    is_signalled = False
    with subprocess.Popen(headlight(*begin, "--json"), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                event = json.loads(line)
                if event["event"] == "run_started":
                    started = time.monotonic()
                if event["event"] == "steps_done" and not is_signalled and _minutes_since(started) > minutes - before:
                    process.send_signal(signal.SIGTERM)
                    is_signalled = True
        finally:
            trained = before + _minutes_since(started)
            spent.write_text(str(trained))
    if process.returncode not in (0, 128 + signal.SIGTERM):
        raise SystemExit(f"{shlex.join(command)} ended with exit code {process.returncode}")
    folder = RunFolder.open(run)
    return Trained(folder.last_trained_step(), trained, folder.environment().get("gpu") or platform.machine())


def _minutes_since(started: float | None) -> float:
    """The minutes since training began; preparing the data does not count."""
    return 0.0 if started is None else (time.monotonic() - started) / 60


def check(task: Task, data: Path, minutes: float, runs_dir: Path) -> tuple[list[str], bool]:
    """Train and evaluate; returns the task's rows for the page, and whether its promises were kept."""
    rows, is_kept = [], True
    run = runs_dir / task.name
    trained = train(task.command(data), run, minutes)
    for options in task.evaluations:
        record = evaluate(run, *options)
        promises = task.promises if options == task.evaluations[0] else ()
        is_kept &= all(promise.is_kept(record[promise.metric]) for promise in promises)
        typed = shlex.join(["headlight", *task.command(Path("DATA"))])
        rows.append(row(task.name, typed, trained, options, figures(record, promises)))
        print(rows[-1], flush=True)
    for notice in notices_in(run):
        is_kept = False
        print(f"{task.name}: noticed: {notice}   MISSED", flush=True)
    return rows, is_kept


def figures(record: dict[str, Any], promises: tuple[Promise, ...]) -> str:
    """The promised figures with their bounds, and the others worth showing."""
    promised = [promise.words(record[promise.metric]) for promise in promises]
    names = {promise.metric for promise in promises}
    others = [name for name in record if name in SHOWN or name.startswith("exact_match_")]
    return ", ".join([*promised, *(f"{name} {record[name]:.4g}" for name in others if name not in names)])


def row(name: str, typed: str, trained: Trained, options: tuple[str, ...], reached: str) -> str:
    """One line of the page's table."""
    how = f"{trained.steps:,} steps, {trained.minutes:.0f} min, {trained.machine}"
    return f"| {name} | `{typed}` | {how} | `{' '.join(options)}` | {reached} |"


def with_rows(page: str, name: str, rows: list[str]) -> str:
    """The page with these rows in place of the task's previous ones, or else at the end of its first table."""
    lines, own = page.split("\n"), f"| {name} | `"
    table_end = next(index for index, line in enumerate(lines) if line.startswith("|") and not lines[index + 1]) + 1
    at = next((index for index, line in enumerate(lines) if line.startswith(own)), table_end)
    return "\n".join([*lines[:at], *rows, *(line for line in lines[at:] if not line.startswith(own))])


def missing_folder(task: Task, data: Path | None) -> str | None:
    """Why this task is skipped; None if its corpus is there, or it needs none."""
    if task.folder is None or (data and (data / task.folder).is_dir()):
        return None
    return f"{task.name}: skipped, since there is no folder {task.folder} in DATA ({data})."


def main() -> int:
    """Check the chosen tasks: 0 if everything was kept or skipped, 1 if anything was missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", type=Path, help="the folder with the corpora")
    parser.add_argument(
        "--only", choices=[task.name for task in TASKS], help="one task; default: all but the long ones"
    )
    parser.add_argument("--max-minutes", type=float, help="stop each training after so many")
    parser.add_argument("--runs-dir", type=Path, help="keep the runs here, and go on with those that are there")
    arguments = parser.parse_args()
    is_data_missing = arguments.data is None or not arguments.data.is_dir()
    if is_data_missing and arguments.only not in [task.name for task in TASKS if task.folder is None]:
        print(f"Skipped: there is no folder with the corpora ({arguments.data}). Name it: DATA=folder.")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        return 0 if all(check_all(arguments, arguments.runs_dir or Path(folder))) else 1


def check_all(arguments: argparse.Namespace, runs_dir: Path) -> list[bool]:
    """Check each chosen task that has its data, and write its rows to the page; returns whether promises were kept."""
    kept = []
    for task in TASKS:
        if task.name != (arguments.only or task.name) or (arguments.only is None and "long" in task.name):
            continue
        if missing := missing_folder(task, arguments.data):
            print(missing)
            continue
        rows, is_kept = check(
            task, (arguments.data or Path()).resolve(), arguments.max_minutes or task.minutes, runs_dir
        )
        PAGE.write_text(with_rows(PAGE.read_text(encoding="utf-8"), task.name, rows), encoding="utf-8")
        kept.append(is_kept)
    return kept


if __name__ == "__main__":
    raise SystemExit(main())
