"""How soon a long run is open, and how soon everything on screen follows its playhead.

`python -m benchmarks.long_run [RUN]` trains the German-English preset for 20,000 steps with some 200 probes in the
terminal (minutes), or takes an existing RUN; opens it in the real window, and moves the playhead to random probes in
every view that shows one: Train, with and without what is behind More; Attention, alone and with a difference and
entropies; and Translate with a sentence that the probes follow. A move ends when everything visible has been drawn and
painted, and is of the probe at the playhead. Probes whose weights are gone, where Translate shows the nearest earlier
step, are not chosen. What no probe has, such as the translation of another sentence, is up to the engine, and not
measured. Prints medians and the worst, in milliseconds.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QApplication

from benchmarks.check_learning import train
from benchmarks.real_window import real_window
from core.errors import UserError
from core.run_folder import RunFolder
from core.settings.presets import FIRST_PRESET, read_preset
from gui.heads.attention_comparison import Baseline
from gui.main_window import VIEWS, MainWindow
from gui.panel import Panel
from gui.view import View

PRESET = "toy_german_english"
STEPS, EVERY = 20_000, 100
OPENINGS, MOVES = 5, 100
OPENING_MS, MOVE_MS = 1000.0, 50.0
TIMEOUT_S = 60.0


class MeasuredWindow:
    """A window, and whether everything visible has been drawn."""

    def __init__(self, app: QApplication, window: MainWindow) -> None:
        self.app, self.window = app, window
        self._drawn = False
        self._panels = window.findChildren(Panel)
        scheduler = window.context.redraw_scheduler
        next_rest = scheduler._next_rest

        def end_round() -> float:
            self._drawn = not any(panel.is_dirty for panel in self._panels if panel.isVisible())
            return next_rest()

        scheduler._next_rest = end_round  # type: ignore[method-assign]

    def seconds(self, action: Callable[[], object], is_there: Callable[[], bool] = lambda: True) -> float:
        """The seconds from an action until its result is there, drawn and painted."""
        started = time.perf_counter()
        action()
        self._drawn = False
        while not (self._drawn and is_there()):
            self._drawn = self._drawn and is_there()  # what was drawn earlier does not count
            self.app.processEvents()
            time.sleep(0.0002)
            if time.perf_counter() - started > TIMEOUT_S:
                raise SystemExit("Nothing was drawn in a minute.")
        self.app.processEvents()
        return time.perf_counter() - started


def measure(run: Path) -> bool:
    """Print the rows of one run; returns whether every figure is within its bound."""
    with real_window(run.parent) as (app, window):
        measured = MeasuredWindow(app, window)
        return _measure_opening(measured, run) & _measure_moves(measured)


def _measure_opening(measured: MeasuredWindow, run: Path) -> bool:
    bridge, workbench = measured.window.context.bridge, measured.window.context.workbench
    seconds = []

    def open_first_preset() -> None:
        workbench.replace_draft(read_preset(FIRST_PRESET))
        workbench.prepare()

    for _ in range(OPENINGS):
        measured.seconds(open_first_preset, lambda: bridge.state == "ready" and bridge.history.last_step == 0)
        seconds.append(measured.seconds(lambda: workbench.open_run(run), lambda: bridge.history.last_step > 0))
    probes = len(bridge.history.probes.steps)
    return _report(f"opened ({bridge.history.last_step:,} steps, {probes} probes)", seconds, OPENING_MS)


def _measure_moves(measured: MeasuredWindow) -> bool:
    window, playhead = measured.window, measured.window.context.playhead
    history = window.context.bridge.history
    weights = {*history.snapshot_steps, *history.checkpoint_steps}
    shown = [step for step in history.probes.steps if step in weights or step < min(weights)]
    steps = random.Random(0).choices(shown, k=MOVES)
    kept = True
    for name, open_it, is_of in _scenes(window, steps[0]):
        playhead.view(shown[-1])
        measured.seconds(open_it, partial(is_of, shown[-1]))
        moves = [measured.seconds(partial(playhead.view, step), partial(is_of, step)) for step in steps]
        kept &= _report(f"moved, {name}", moves, MOVE_MS)
    return kept


def _scenes(window: MainWindow, other: int) -> Iterator[tuple[str, Callable[[], object], Callable[[int], bool]]]:
    """Each view by name, as it opens and with More: how to open it, and whether it shows a step."""
    train, attention, translate = window.train_view, window.attention_view, window.translate_view
    history = window.context.bridge.history

    def show(view: View) -> None:
        window.show_view(VIEWS.index(type(view)))

    def show_learned(is_more: bool) -> None:
        show(train)
        train.more_button.setChecked(is_more)

    def learned_is_of(step: int) -> bool:
        reader = train.learned_map._reader
        known = [validated for validated in reader.learned.steps if validated <= step]
        panels = (train.learned_map, train.confusion_map, train.accuracy_plots)
        is_read = len(reader.learned.steps) + len(reader.missing) == len(history.validations)
        return is_read and (not known or all(_is_of(panel, max(known)) for panel in panels))

    def show_difference() -> None:
        show(attention)
        attention.extras.entropy_box.setChecked(True)
        attention.comparison.compare_with(Baseline(step=other))

    yield "Train", partial(show_learned, False), partial(_is_of, train.attention_map)
    yield "Train, More", partial(show_learned, True), learned_is_of
    yield "Attention", partial(show, attention), partial(_is_of, attention.map)
    yield "Attention, a difference and entropy", show_difference, partial(_is_of, attention.map)
    yield "Translate", partial(show, translate), partial(_is_of, translate.map)


def _is_of(panel: Panel, step: int) -> bool:
    """Whether the panel shows this step's probe or validation."""
    return re.search(rf"step {step:,}(?![\d,])", panel.title_label.text()) is not None


def _report(name: str, seconds: list[float], bound: float) -> bool:
    median, worst = 1000 * statistics.median(seconds), 1000 * max(seconds)
    verdict = "kept" if median < bound else "MISSED"
    print(f"{name:44} median {median:6.1f} ms, worst {worst:6.1f} ms, under {bound:g} ms   {verdict}", flush=True)
    return median < bound


def main() -> int:
    """Measure the given run, or one trained for this."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", nargs="?", type=Path, metavar="RUN", help="the folder of a run; default: one is trained")
    run = parser.parse_args().run
    if run is not None:
        try:
            RunFolder.open(run)
        except UserError as error:
            parser.error(str(error))
    with tempfile.TemporaryDirectory() as folder:
        for variable in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME"):  # not the user's settings
            os.environ[variable] = folder
        if run is None:
            settings = (f"training.max_steps={STEPS}", f"training.probe_every={EVERY}")
            run, _ = train(PRESET, Path(folder) / "runs", *settings)
        return 0 if measure(Path(run).absolute()) else 1


if __name__ == "__main__":
    raise SystemExit(main())
