"""How soon the window is alive: when it is shown, when every panel is filled, when it can train, and when it does.

`python -m benchmarks.start_up` opens the real window in fresh processes, alternating an empty cache and the one that
the previous start left, and prints medians. Times count from the start of the process; it is asked to train as soon as
it can.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time

from benchmarks.command_line import run_quietly

ROUNDS = 5
POLL_MS = 5
BOUNDS_S = {"filled": 3.0, "stepped": 4.0}  # content in every panel; the first step's event
MARKS = ("shown", "filled", "ready", "stepped")

Times = dict[str, float]


def open_window(started: float) -> Times:
    """Open the window as `main.py` does, and close it once it trains. Times are seconds after `started` (Unix time)."""
    from core.machine.torch_import import stub_out_tracing

    stub_out_tracing()
    from core.engine import Engine

    times: Times = {}
    with Engine() as engine:
        from PySide6.QtCore import QTimer

        from gui import app
        from gui.main_window import MainWindow
        from gui.panel import Panel

        start = MainWindow.start

        def watch(window: MainWindow) -> None:
            """Look every few milliseconds; what one look finds drawn is painted before the next."""
            poll_timer = QTimer(window)
            poll_timer.timeout.connect(lambda: poll(window))
            poll_timer.start(POLL_MS)
            times["shown"] = time.time() - started
            start(window)

        def poll(window: MainWindow) -> None:
            """Checks that go through a thousand widgets stop once they are done: they took a fifth of the start."""
            bridge = window.context.bridge
            if "filled" not in times and bridge.history.probes.steps and is_drawn(window):
                times["filled"] = time.time() - started
            if bridge.state == "ready" and "ready" not in times:
                times["ready"] = time.time() - started
                window.context.workbench.learn()
            if bridge.history.last_step > 0:
                times.setdefault("stepped", time.time() - started)
                window.close()

        def is_drawn(window: MainWindow) -> bool:
            return not any(panel.is_dirty for panel in window.findChildren(Panel) if panel.isVisible())

        MainWindow.start = watch  # type: ignore[method-assign, assignment]
        app.run(sys.argv[:1], engine)
    return times


def in_own_process(folder: str, runs: str) -> Times:
    """One start, with cache and settings in `folder`, and runs in its subfolder `runs`."""
    variables = {"XDG_CACHE_HOME": "cache", "XDG_CONFIG_HOME": "config", "HEADLIGHT_RUNS_DIR": runs}
    environment = os.environ | {name: f"{folder}/{variable}" for name, variable in variables.items()}
    command = [sys.executable, "-m", "benchmarks.start_up", str(time.time())]
    return dict(json.loads(run_quietly(command, environment).splitlines()[-1]))


def report(name: str, starts: list[Times]) -> bool:
    """Print a row; returns whether panels were filled and the first step taken in time."""
    medians = {mark: statistics.median(times[mark] for times in starts) for mark in MARKS}
    rounds = " ".join(f"{times['filled']:.2f}" for times in starts)
    kept = all(medians[mark] < bound for mark, bound in BOUNDS_S.items())
    print(
        f"{name:12} shown {medians['shown']:.2f} s   every panel filled {medians['filled']:.2f} s ({rounds})   "
        f"ready to learn {medians['ready']:.2f} s   first step {medians['stepped']:.2f} s   "
        f"{'kept' if kept else 'MISSED'}"
    )
    return kept


def main() -> int:
    """Report starts with an empty and a warm cache, or be one of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("started", nargs="?", type=float, help=argparse.SUPPRESS)  # this process is one of the starts
    started = parser.parse_args().started
    if started is not None:
        print(json.dumps(open_window(started)))
        return 0
    empty, warm = list[Times](), list[Times]()
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            empty.append(in_own_process(folder, "runs"))
            warm.append(in_own_process(folder, "other runs"))
    kept = [report("empty cache", empty), report("warm cache", warm)]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    raise SystemExit(main())
