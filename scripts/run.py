"""What `make run` does once installed: opens the window, or if it cannot be opened does the main job in a terminal."""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

HEADLIGHT = [sys.executable, "main.py"]
NUM_SENTENCES = 3
NO_WINDOW = 2  # the window's exit status if it cannot be opened, which it explains


def headlight(*arguments: str, capture: bool = False) -> tuple[int, str]:
    """Exit status and standard output of one call of the command line.

    Ctrl-C reaches the command line too, which saves its run; here it is only waited for. A SIGTERM that make passes on
    reaches only this process, which passes it on.
    """
    with subprocess.Popen([*HEADLIGHT, *arguments], stdout=subprocess.PIPE if capture else None, text=True) as process:
        before = {
            signal.SIGINT: signal.signal(signal.SIGINT, signal.SIG_IGN),
            signal.SIGTERM: signal.signal(signal.SIGTERM, lambda *_: process.terminate()),
        }
        try:
            # Line by line and in short waits: Python handles a signal only between two of its own instructions, and one
            # that came just before a long read or wait would be handled at its end.
            output = "".join(process.stdout or ())
            while process.poll() is None:
                time.sleep(0.05)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
    return process.returncode, output


def train() -> tuple[int, Path]:
    """Train the copy task with its progress on the terminal; returns exit status and the run's folder."""
    status, output = headlight("train", "copy_task", "--json", capture=True)
    return status, Path(json.loads(output.splitlines()[-1])["run"]) if status == 0 else Path()


def held_out_sentences(run: Path) -> list[tuple[str, str]]:
    """Source and reference of the first sentences of the run's newest validation, on which it was not trained."""
    newest = max((run / "validations").glob("*.jsonl"))
    with newest.open(encoding="utf-8", newline="\n") as lines:
        records = [json.loads(line) for line, _ in zip(lines, range(NUM_SENTENCES), strict=False)]
    return [(record["source"], record["reference"]) for record in records]


def show_translations(run: Path) -> int:
    """Translate held-out sentences with the best weights, and print them with their references; returns the status."""
    sentences = held_out_sentences(run)
    status, output = headlight("translate", str(run), *(source for source, _ in sentences), capture=True)
    if status == 0:
        print("\nThree sequences it has never seen:")
        for (source, reference), hypothesis in zip(sentences, output.splitlines(), strict=True):
            verdict = "right" if hypothesis == reference else f"wrong, expected {reference}"
            print(f"    {source}  ->  {hypothesis}  ({verdict})")
    return status


def train_in_terminal() -> int:
    """Train, translate and say how to go on; returns the exit status of the first step that failed, or 0."""
    print("No window can be opened, so the copy task is trained here, in the terminal.\n")
    status, run = train()
    status = status or show_translations(run)
    if status == 0:
        print(f"\nThe run is kept in {run}")
        print(f'Translate with it again:   .venv/bin/python main.py translate {run.name} "1 2 3"')
        print("Look at it in the window:  make run, where there is a display, then Runs")
    return status


def main() -> int:
    """Open the window, or train in the terminal if it cannot be opened."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    status, _ = headlight()
    return train_in_terminal() if status == NO_WINDOW else status


if __name__ == "__main__":
    sys.exit(main())
