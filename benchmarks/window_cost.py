"""What the window costs: gaps in its event loop while a preset trains, and its steps per second against the terminal's.

`python -m benchmarks.window_cost [PRESET ...]` trains each preset in a window whose gaps are measured, and then in the
terminal and in a window in turns, each in its own process, and prints medians and quartiles. Measuring gaps takes the
GIL from training a hundred times a second, so steps per second are those of a window that is not measured. The window
is real: all panels of the Train view at 1600 x 1000, drawn on whatever platform Qt finds (`QT_QPA_PLATFORM=offscreen`,
or an X server such as Xvfb). Without a PRESET, gaps are also measured where there is much to draw: in a run of 20,000
steps, with 6 layers of 8 heads, that goes on.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from benchmarks.chosen_names import one_of
from benchmarks.command_line import headlight, run_quietly, set_options
from core.run_folder import RunFolder
from core.settings.presets import preset_names, read_preset

ROUNDS = 3  # of gaps
PAIRS = 5  # of window and terminal; every second one in the other order
STEPS = 1000
WARM_UP = 30  # steps that are not counted
TICK_MS = 10  # of the timer that measures gaps
TURN_S = 4.0
PRESETS = ("copy_task", "phonetic_to_letter", "toy_german_english")
HEAVY_RUN = (
    "training.max_steps=20000", "training.probe_every=100", "training.validate_every=1000", "training.batch_size=8",
    "model.num_encoder_layers=6", "model.num_decoder_layers=6", "model.num_heads=8",
)  # fmt: skip


class Turn(NamedTuple):
    """When a process ran between two stops, in seconds since the epoch."""

    began: float
    ended: float

    def overlap(self, began: float, ended: float) -> float:
        """How much of the turn lies between two moments."""
        return max(0.0, min(self.ended, ended) - max(self.began, began))


def run_in_turns(commands: Sequence[list[str]]) -> list[list[Turn]]:
    """Run all commands to their ends in turns of some seconds, so that all meet the same machine.

    A shared machine has times in which everything takes twice as long, and one of two consecutive runs might meet
    those. A window begins its turn with an overdue drawing, some 40 ms that count against it.
    """
    processes = [subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True) for command in commands]
    turns: list[list[Turn]] = [[] for _ in commands]
    try:
        for process in processes:
            os.killpg(process.pid, signal.SIGSTOP)
        while any(process.poll() is None for process in processes):
            for process, own in zip(processes, turns, strict=True):
                if process.poll() is None:
                    own.append(take_turn(process))
    finally:  # a stopped process would stay for ever
        for process in processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    for process, command in zip(processes, commands, strict=True):
        if process.returncode:
            raise SystemExit(f"{' '.join(command)} ended with exit code {process.returncode}")
    return turns


def take_turn(process: subprocess.Popen[bytes]) -> Turn:
    """Let a stopped process and its group run for some seconds or to its end; its plugin host is not in the group."""
    os.killpg(process.pid, signal.SIGCONT)
    began = time.time()
    with suppress(subprocess.TimeoutExpired):
        process.wait(TURN_S)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGSTOP)
    return Turn(began, time.time())


def working_seconds(runs_dir: Path, turns: Sequence[Turn]) -> float:
    """The seconds that the only run in a folder worked in its turns, by its steps' times, validations included."""
    (run,) = runs_dir.iterdir()
    _, metrics = RunFolder.open(run).metrics()
    times = metrics["time"]
    return sum(turn.overlap(float(times[WARM_UP - 1]), float(times[-1])) for turn in turns)


def train_in_window(preset: str, runs_dir: Path, *, is_ticking: bool) -> None:
    """Train with everything on screen; if ticking, print the 99th percentile of the gaps and the longest, ms, as JSON.

    If there is a run already, continue it for a thousand steps.
    """
    from PySide6.QtCore import Qt, QTimer

    from benchmarks.real_window import real_window
    from core.events import Prepared, RunStarted

    ticks: list[float] = []
    with real_window(runs_dir) as (app, window):
        bridge, workbench = window.context.bridge, window.context.workbench
        timer = QTimer()
        timer.setTimerType(Qt.TimerType.PreciseTimer)
        timer.timeout.connect(lambda: ticks.append(time.perf_counter()))

        def learn(prepared: Prepared) -> None:
            if prepared.run is None:
                workbench.learn()

        def begin(_: RunStarted) -> None:
            if is_ticking:
                timer.start(TICK_MS)
            bridge.state_changed.connect(lambda change: change.state != "learning" and app.exit())

        bridge.run_started.connect(begin)
        if runs := list(runs_dir.iterdir()):
            workbench.continue_run(runs[0])
        else:
            bridge.prepared.connect(learn)
            workbench.replace_draft(read_preset(preset, (f"training.max_steps={STEPS}",)))
        app.exec()
        timer.stop()
    if is_ticking:
        gaps = sorted(1000 * (after - before) for before, after in pairwise(ticks))
        print(json.dumps({"p99": gaps[int(0.99 * len(gaps))], "worst": gaps[-1]}))


def train_in_terminal(preset: str, runs_dir: Path, settings: Sequence[str] = (f"training.max_steps={STEPS}",)) -> None:
    """Train with the real command line."""
    run_quietly(headlight("train", preset, "--runs-dir", str(runs_dir), *set_options(settings)))


def measure_gaps(preset: str, runs_dir: Path) -> dict[str, float]:
    """The gaps of one training in a fresh process."""
    command = command_of("--gaps", preset, str(runs_dir))
    return dict(json.loads(run_quietly(command).splitlines()[-1]))


def report_heavy_run() -> bool:
    """Print the row of a run that continues with 20,000 points and 6 x 8 heads; returns whether gaps are in bounds."""
    with tempfile.TemporaryDirectory() as folder:
        train_in_terminal("copy_task", Path(folder), HEAVY_RUN)
        gaps = [measure_gaps("copy_task", Path(folder)) for _ in range(ROUNDS)]
    text, kept = gaps_text(gaps)
    print(f"{'20,000 steps, 6 x 8 heads':26} {text}   {'kept' if kept else 'MISSED'}", flush=True)
    return kept


def gaps_text(gaps: Sequence[dict[str, float]]) -> tuple[str, bool]:
    """The gaps of some trainings in words, and whether they are within their bounds."""
    p99 = statistics.median(one["p99"] for one in gaps)
    worst = max(one["worst"] for one in gaps)
    return f"gaps: 99 of 100 under {p99:5.1f} ms, worst {worst:5.1f} ms", p99 < 33 and worst < 100


def command_of(mode: str, preset: str, folder: str) -> list[str]:
    """The command for one training in a fresh process."""
    return [sys.executable, "-m", "benchmarks.window_cost", mode, preset, folder]


MODES: dict[str, Callable[[str, Path], None]] = {
    "--terminal": train_in_terminal,
    "--window": partial(train_in_window, is_ticking=False),
    "--gaps": partial(train_in_window, is_ticking=True),
}


def window_speed_share(preset: str, *, window_first: bool) -> float:
    """The window's steps per second as a share of the terminal's, the two taking turns."""
    modes = ("--window", "--terminal") if window_first else ("--terminal", "--window")
    with tempfile.TemporaryDirectory() as window, tempfile.TemporaryDirectory() as terminal:
        folders = {"--window": window, "--terminal": terminal}
        turns = run_in_turns([command_of(mode, preset, folders[mode]) for mode in modes])
        seconds = {mode: working_seconds(Path(folders[mode]), own) for mode, own in zip(modes, turns, strict=True)}
    return seconds["--terminal"] / seconds["--window"]


def report(preset: str) -> bool:
    """Print a preset's row; returns whether every figure is within its bound."""
    gaps = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            gaps.append(measure_gaps(preset, Path(folder)))
    text, kept = gaps_text(gaps)
    shares = [window_speed_share(preset, window_first=bool(number % 2)) for number in range(PAIRS)]
    low, share, high = statistics.quantiles(shares, n=4)
    kept &= share > 0.95
    print(
        f"{preset:26} {text}   steps/s of the terminal's: {share:.0%} ({low:.0%}–{high:.0%})   "
        f"{'kept' if kept else 'MISSED'}",
        flush=True,
    )
    return kept


def main() -> int:
    """Report the presets named, or all and a run with much to draw; or do one training if a mode is given."""
    if sys.argv[1:2] and sys.argv[1] in MODES:
        MODES[sys.argv[1]](sys.argv[2], Path(sys.argv[3]))
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    help_text = f"default: {', '.join(PRESETS)}, and much to draw"
    parser.add_argument("presets", nargs="*", type=one_of(preset_names()), metavar="PRESET", help=help_text)
    given = parser.parse_args().presets
    kept = [report(preset) for preset in given or PRESETS]
    if not given:
        kept.append(report_heavy_run())
    return 0 if all(kept) else 1


if __name__ == "__main__":
    raise SystemExit(main())
