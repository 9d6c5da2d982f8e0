"""Five million pairs: `python -m benchmarks.scale DATA` prepares and trains on them; time and memory of each stage.

DATA/multi30k (train.de, train.en, val.de and val.en) is repeated, with two neighbouring words of each text swapped, and
trained on by the real command line, in a temporary folder. Memory is the process's own (RssAnon: pages mapped from
files belong to the system's cache) beyond that of a process that has only imported torch. Linux only.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.command_line import headlight

NUM_PAIRS = 5_000_000
MIN_PAIRS_PER_SECOND = 100_000  # the goal for drawing, tokenising and numbering together
MAX_MEGABYTES = 1000.0  # the most, beyond torch's own
FILES = {"train_source": "train.de", "train_target": "train.en", "valid_source": "val.de", "valid_target": "val.en"}
STEPS = 10
NUM_HELD_OUT = 100
SAMPLE_SECONDS = 0.02
MIN_ROW_SECONDS = 0.05
_TICKS = os.sysconf("SC_CLK_TCK")
_IMPORTS_TORCH = "import torch; print(open('/proc/self/status').read())"


def settings(folder: Path) -> dict[str, Any]:
    """The run, as JSON, which is YAML."""
    return {
        "format": 1,
        "dataset": {
            "plugin": "parallel_text",
            "options": {"folder": str(folder), **FILES},
            "tokenizer": {"src": "whitespace", "tgt": "whitespace", "min_frequency": 2},
        },
        "training": {"batch_tokens": 2048, "max_steps": STEPS, "validate_every": STEPS},
    }


def make_corpus(texts: Path, folder: Path, num_pairs: int) -> None:
    """Write `num_pairs` perturbed pairs to train on, and some held-out ones as they are."""
    for side in ("de", "en"):
        with (texts / f"val.{side}").open("rb") as held_out:
            (folder / f"val.{side}").write_bytes(b"".join(islice(held_out, NUM_HELD_OUT)))
        lines = (texts / f"train.{side}").read_text(encoding="utf-8").split("\n")[:-1]
        with (folder / f"train.{side}").open("w", encoding="utf-8") as file:
            file.writelines(islice(_perturbed(lines), num_pairs))


def _perturbed(lines: list[str]) -> Iterator[str]:
    """The lines again and again, each time with other neighbours swapped."""
    draw = random.Random(0).random
    sentences = [line.split() for line in lines]
    while True:
        for words in sentences:
            index = int(draw() * (len(words) - 1))
            yield " ".join([*words[:index], *reversed(words[index : index + 2]), *words[index + 2 :]]) + "\n"


@dataclass
class Stage:
    """A stage, between two events that name stages: its time, and that of the application and the plugin's process."""

    name: str
    began: float
    processor: tuple[float, float]  # seconds that each had used before
    done: int = 0
    seconds: float = 0.0
    used: tuple[float, float] = (0.0, 0.0)
    peak: float = 0.0  # private megabytes of the application

    def end(self, processor: tuple[float, float]) -> None:
        """Record what was used since it began."""
        self.seconds = time.monotonic() - self.began
        self.used = (processor[0] - self.processor[0], processor[1] - self.processor[1])


@dataclass
class WatchedTraining:
    """A training by the real command line, and the stages it went through."""

    process: subprocess.Popen[str]
    stages: list[Stage] = field(default_factory=list)

    def follow(self) -> None:
        """Follow it until it has ended."""
        self._enter_stage("starting")
        ended = threading.Event()
        looking = threading.Thread(target=self._sample_memory, args=(ended,))
        looking.start()
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._handle_event(json.loads(line))
        ended.set()
        looking.join()

    def _handle_event(self, event: dict[str, Any]) -> None:
        match event["event"]:
            case "progress":
                self._enter_stage(event["stage"])
                self.stages[-1].done = event["done"]
            case "prepared":
                self._enter_stage("training")
            case "run_finished":
                self._enter_stage("ending")

    def _enter_stage(self, name: str) -> None:
        if not self.stages or self.stages[-1].name != name:
            now = self._processor_seconds()
            if self.stages:
                self.stages[-1].end(now)
            self.stages.append(Stage(name, time.monotonic(), now))

    def _sample_memory(self, ended: threading.Event) -> None:
        while not ended.wait(SAMPLE_SECONDS):
            stage = self.stages[-1]
            status = Path(f"/proc/{self.process.pid}/status").read_text()
            stage.peak = max(stage.peak, private_megabytes(status))

    def _processor_seconds(self) -> tuple[float, float]:
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return _seconds_of(self.process.pid), sum(map(_seconds_of, map(int, children)))


def _seconds_of(pid: int) -> float:
    """User and system time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def private_megabytes(status: str) -> float:
    """A process's private memory, from the text of /proc/PID/status; 0 once it has ended."""
    return sum(int(line.split()[1]) * 1024 / 1e6 for line in status.splitlines() if line.startswith("RssAnon:"))


def watch_training(folder: Path) -> WatchedTraining:
    """Train on the corpus in `folder`."""
    (folder / "run.yaml").write_text(json.dumps(settings(folder)), encoding="utf-8")
    command = headlight("train", str(folder / "run.yaml"), "--runs-dir", str(folder / "runs"), "--json")
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        watching = WatchedTraining(process)
        watching.follow()
    if process.returncode:
        sys.exit(process.returncode)
    return watching


def rows(stages: list[Stage]) -> Iterator[str]:
    """A Markdown table of the stages that took a noticeable time."""
    yield "| stage | seconds | a second | processor seconds: application | plugin | peak of private memory, MB |"
    yield "|---|---:|---:|---:|---:|---:|"
    for stage in stages:
        if stage.seconds < MIN_ROW_SECONDS:
            continue
        speed = f"{stage.done / stage.seconds:,.0f}" if stage.done else ""
        used = f"{stage.used[0]:.1f} | {stage.used[1]:.1f}"
        yield f"| {stage.name} | {stage.seconds:.1f} | {speed} | {used} | {stage.peak:.0f} |"


def verdict(stages: list[Stage], torch_megabytes: float, num_pairs: int) -> Iterator[tuple[str, bool]]:
    """What was reached of each goal, in words, and whether that is enough."""
    preparing = [stage for stage in stages if stage.done and stage.name != "measuring speed"]  # which counts steps
    speed = num_pairs / sum(stage.seconds for stage in preparing)
    used = sum(sum(stage.used) for stage in preparing)
    yield (
        f"prepared {speed:,.0f} pairs a second (goal: {MIN_PAIRS_PER_SECOND:,}), "
        f"{1e6 * used / num_pairs:.1f} µs of processor time a pair",
        speed >= MIN_PAIRS_PER_SECOND,
    )
    beyond = max(stage.peak for stage in stages) - torch_megabytes
    yield (
        f"{beyond:,.0f} MB beyond torch's own {torch_megabytes:.0f} (goal: {MAX_MEGABYTES:,.0f})",
        beyond < MAX_MEGABYTES,
    )


def main() -> int:
    """Print a table and what was reached; 1 if a goal was missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", type=Path, default=Path(), help="the folder with the corpora")
    parser.add_argument("--pairs", type=int, default=NUM_PAIRS)
    given = parser.parse_args()
    texts = given.data / "multi30k"
    if missing := [name for name in FILES.values() if not (texts / name).is_file()]:
        print(f"Skipped, since there is no multi30k/{missing[0]} in DATA ({given.data}).")
        return 0
    status = subprocess.run([sys.executable, "-c", _IMPORTS_TORCH], check=True, capture_output=True, text=True).stdout
    with tempfile.TemporaryDirectory() as name:
        make_corpus(texts, Path(name), given.pairs)
        stages = watch_training(Path(name)).stages[:-1]
    print(*rows(stages), "", sep="\n")
    reached = list(verdict(stages, private_megabytes(status), given.pairs))
    for sentence, is_kept in reached:
        print(f"{sentence}: {'kept' if is_kept else 'MISSED'}")
    return 0 if all(is_kept for _, is_kept in reached) else 1


if __name__ == "__main__":
    sys.exit(main())
