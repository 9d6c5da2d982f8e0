"""What the window costs: gaps of its event loop while a preset trains, and its steps per second against the terminal's.

`python -m benchmarks.window_cost [PRESET ...]` trains each preset in a window whose gaps are measured, and in pairs in
the terminal and in a window, each in its own process, and prints medians and quartiles. Measuring gaps takes the GIL
from the training a hundred times a second, so the steps per second are those of a window that is left alone. The window
is real: all panels of the Train view at 1600 x 1000, drawn on whatever platform Qt finds (`QT_QPA_PLATFORM=offscreen`,
or an X server such as Xvfb).
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path

from core.run_folder import RunFolder
from core.settings.presets import read_preset

ROUNDS = 3  # of gaps
PAIRS = 7  # of window and terminal, every second one the other way round: a machine may become faster or slower
STEPS = 400
WARM_UP = 30  # steps that are not counted
TICK_MS = 10  # of the timer that measures gaps
PRESETS = ("copy_task", "phonetic_to_letter", "toy_german_english")


def steps_per_second(runs_dir: Path) -> float:
    """Of the only run in a folder, from the times its steps were done; validations and probes included."""
    (run,) = runs_dir.iterdir()
    _, metrics = RunFolder.open(run).metrics()
    times = metrics["time"]
    return float((len(times) - WARM_UP) / (times[-1] - times[WARM_UP - 1]))


def train_in_window(preset: str, runs_dir: Path, *, is_ticking: bool) -> dict[str, float]:
    """Train with everything on screen; steps per second, or the 99th of 100 gaps and the longest, ms."""
    import pyqtgraph as pg
    from PySide6.QtCore import Qt, QTimer
    from PySide6.QtWidgets import QApplication

    from core.engine import Engine
    from gui.bridge import EngineBridge
    from gui.collector import collecting_here
    from gui.context import make_context
    from gui.interpreter import quick_to_yield
    from gui.main_window import MainWindow
    from gui.theme import Theme

    app = QApplication([])
    pg.setConfigOptions(imageAxisOrder="row-major")
    theme, bridge = Theme("light"), EngineBridge(Engine())
    theme.apply()
    window = MainWindow(make_context(bridge, theme, runs_dir))
    window.show()
    ticks: list[float] = []
    timer = QTimer()
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(lambda: ticks.append(time.perf_counter()))
    workbench = window.context.workbench
    bridge.prepared.connect(lambda prepared: prepared.run is None and workbench.learn())
    if is_ticking:
        bridge.run_started.connect(lambda _: timer.start(TICK_MS))
    bridge.run_finished.connect(lambda _: app.exit())
    workbench.take(read_preset(preset, (f"training.max_steps={STEPS}",)))
    with collecting_here(bridge), quick_to_yield():
        app.exec()
        timer.stop()
        window.close_down()
    if not is_ticking:
        return {"rate": steps_per_second(runs_dir)}
    gaps = sorted(1000 * (after - before) for before, after in pairwise(ticks))
    return {"p99": gaps[int(0.99 * len(gaps))], "worst": gaps[-1]}


def train_in_terminal(preset: str, runs_dir: Path) -> dict[str, float]:
    """Train with the real command line; steps per second."""
    main = Path(__file__).resolve().parent.parent / "main.py"
    command = [sys.executable, str(main), "train", preset, "--set", f"training.max_steps={STEPS}"]
    subprocess.run([*command, "--runs-dir", str(runs_dir)], check=True, capture_output=True)
    return {"rate": steps_per_second(runs_dir)}


def in_own_process(mode: str, preset: str) -> dict[str, float]:
    """One training in a fresh process and an empty runs folder."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.window_cost", mode, preset, folder]
        result = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(result.stdout.splitlines()[-1]))


MODES: dict[str, Callable[[str, Path], dict[str, float]]] = {
    "--terminal": train_in_terminal,
    "--window": partial(train_in_window, is_ticking=False),
    "--gaps": partial(train_in_window, is_ticking=True),
}


def share_of_window(preset: str, *, window_first: bool) -> float:
    """The window's steps per second as a share of the terminal's, one after the other."""
    modes = ("--window", "--terminal") if window_first else ("--terminal", "--window")
    rates = {mode: in_own_process(mode, preset)["rate"] for mode in modes}
    return rates["--window"] / rates["--terminal"]


def report(preset: str) -> bool:
    """Print a preset's row; whether every figure is within its bound."""
    gaps = [in_own_process("--gaps", preset) for _ in range(ROUNDS)]
    p99 = statistics.median(one["p99"] for one in gaps)
    worst = max(one["worst"] for one in gaps)
    shares = [share_of_window(preset, window_first=bool(number % 2)) for number in range(PAIRS)]
    low, share, high = statistics.quantiles(shares, n=4)
    kept = p99 < 33 and worst < 100 and share > 0.95
    print(
        f"{preset:20} gaps: 99 of 100 under {p99:5.1f} ms, worst {worst:5.1f} ms   "
        f"steps/s of the terminal's: {share:.0%} ({low:.0%}–{high:.0%})   {'kept' if kept else 'MISSED'}",
        flush=True,
    )
    return kept


def main() -> int:
    """Report the presets named, or train one of them where a mode is given."""
    if sys.argv[1:2] and sys.argv[1] in MODES:
        print(json.dumps(MODES[sys.argv[1]](sys.argv[2], Path(sys.argv[3]))))
        return 0
    kept = [report(preset) for preset in sys.argv[1:] or PRESETS]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    raise SystemExit(main())
