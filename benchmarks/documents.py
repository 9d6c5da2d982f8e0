"""The five documents' experiments with their own settings and with ours: `make documents` writes docs/documents.md.

Takes long: some of the documents train 44 million parameters where 90 thousand are enough. Each row is one run of the
real command line. `make documents ONLY=copy` runs the rows whose name contains a word, and only prints them.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.command_line import ROOT, evaluate, headlight, set_options

PAGE = ROOT / "docs" / "documents.md"
PAGE_BEGINS = """\
# The five documents, again

`make documents` writes this page. Each experiment of five tutorials runs twice: with the settings of the document
(`classic_*`, presets whose comments name what differs) and with ours. Seconds are for the whole command on one machine
({machine}, no GPU), including data preparation and validations. Loss is unsmoothed cross entropy in nats per target
token, `<eos>` counted, teacher-forced; the other valid figures are decoded free-running, and all valid figures are of
the last weights. The phonetic task allows a loss of 0.537 nats per token at best, and 0.904 of the noisy letters.

| experiment | document | reports | settings | steps | seconds | train loss | valid |
|---|---|---|---|---|---|---|---|
"""


@dataclass(frozen=True)
class Experiment:
    """One document's experiment: what it reports, and the two presets that repeat it."""

    name: str
    document: str
    reports: str
    classic: str  # preset with the document's settings
    ours: str  # preset with our own
    overrides: tuple[str, ...] = ()  # so that ours trains on the same data


EXPERIMENTS = (
    Experiment(
        "one sentence",
        "toy German-English notebook",
        "loss 2.00 to 0.0009 in 20 steps; the translation it shows is fed by the reference",
        "classic_one_sentence",
        "toy_german_english",
        ("dataset.options.corpus=sentences", "dataset.options.num_sentences=1", "training.max_steps=60"),
    ),
    Experiment(
        "three sentences",
        "Transformer in PyTorch, explained",
        "logits per step and greedy decoding of three sentences after 30 epochs",
        "classic_three_sentences",
        "toy_german_english",
        ("dataset.options.corpus=sentences", "training.max_steps=100"),
    ),
    Experiment(
        "copy, annotated",
        "The Annotated Transformer",
        "loss and tokens per second over 10 epochs of 20 batches; a greedy copy",
        "classic_annotated_copy",
        "copy_task",
    ),
    Experiment(
        "copy, notebook",
        "copy-task notebook",
        "a greedy copy that is wrong (1 4 3 5 2 7 6 8 9 7)",
        "classic_copy_notebook",
        "copy_task",
    ),
    Experiment(
        "phonetic to letter",
        "phonetic letters",
        "train loss 0.0855, accuracy 0.333 after 50 epochs (17 min 22 s)",
        "classic_phonetic",
        "phonetic_to_letter",
    ),
)


@dataclass(frozen=True)
class Outcome:
    """The result of one run."""

    steps: int
    seconds: float
    train_loss: float
    metrics: dict[str, float]


def run(preset: str, overrides: tuple[str, ...]) -> Outcome:
    """Train a preset on the processor, whatever the machine has, then evaluate its last weights on the valid split."""
    with tempfile.TemporaryDirectory() as runs_dir:
        settings = set_options((*overrides, "training.device=cpu"))
        command = headlight("train", preset, *settings, "--runs-dir", runs_dir, "--json")
        started = time.perf_counter()
        events = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        seconds = time.perf_counter() - started
        finished = json.loads(events.splitlines()[-1])
        evaluation = evaluate(finished["run"], "--checkpoint", "last")
        steps = max(int(path.name) for path in Path(finished["run"], "checkpoints").iterdir())
    metrics = {name: evaluation[name] for name in ("loss", "exact_match", "token_error_rate")}
    return Outcome(steps, seconds, finished["metrics"]["train/loss"], {**metrics, **evaluation["metrics"]})


def row(experiment: Experiment, settings: str, outcome: Outcome) -> str:
    """One line of the page's table."""
    figures = ", ".join(f"{name} {value:.3f}" for name, value in outcome.metrics.items())
    return (
        f"| {experiment.name} | {experiment.document} | {experiment.reports} | {settings} | {outcome.steps:,} "
        f"| {outcome.seconds:.0f} | {outcome.train_loss:.4f} | {figures} |"
    )


def page(rows: list[str], former: str) -> str:
    """The page with these rows; text below the previous rows stays."""
    below = former.rpartition("|\n")[2]
    return PAGE_BEGINS.format(machine=platform.machine()) + "\n".join(rows) + "\n" + below


def main() -> None:
    """Run all experiments and write the page, or run and print those that a word on the command line chooses."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", metavar="WORD", help="run those whose name contains this; default: all")
    word = " ".join(parser.parse_args().words)
    chosen = [experiment for experiment in EXPERIMENTS if word in experiment.name]
    if not chosen:
        parser.error(f"no name contains {word}; choose from {', '.join(known.name for known in EXPERIMENTS)}")
    rows = []
    for experiment in chosen:
        for preset, overrides in ((experiment.classic, ()), (experiment.ours, experiment.overrides)):
            rows.append(row(experiment, f"`{preset}`", run(preset, overrides)))
            print(rows[-1], flush=True)
    if not word:
        PAGE.write_text(page(rows, PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
