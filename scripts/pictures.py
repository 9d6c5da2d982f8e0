"""Takes the pictures of README and docs: `make pictures`.

Trains the German-English preset in the real window, offscreen, and photographs every view at 1600 x 1000 and
1280 x 720, light and dark, into docs/pictures. The pictures show what a person sees: only the moment is chosen.
Three runs that differ in their seed, and one with far too low a learning rate, are trained for what they show.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from core.answers.head_ablation import HeadId
from core.config import RunConfig
from core.engine import Engine
from core.requests import Pause
from core.settings.presets import read_preset
from gui.bridge import EngineBridge
from gui.context import make_context
from gui.frame.transport import PACES
from gui.heads.attention_comparison import Baseline
from gui.main_window import VIEWS, MainWindow
from gui.panel import Panel
from gui.panels.anatomy.dot_product import DotProductTopic
from gui.panels.anatomy.label_smoothing import LabelSmoothingTopic
from gui.panels.anatomy.masks import MasksTopic
from gui.panels.anatomy.noam import NoamTopic
from gui.panels.anatomy.positions import PositionsTopic
from gui.theme import Theme
from gui.view import View

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
PRESET = "toy_german_english"
STEPS = 400
EARLIER_STEP = 100  # the step to compare STEPS with, at which translations are still wrong
SEEDS = (0, 1, 2)
# For the runs that differ in their seed.
SMALL_RUN = ("model.d_model=32", "model.d_ff=64", "training.validate_every=20")
SMALL_STEPS = 200
LOW_RATE = ("training.optimizer.learning_rate=1e-8", "training.schedule.warmup_steps=20")
LOW_RATE_STEPS = 120  # rules are silent for the first tenth of a run
SIZES = ((1600, 1000), (1280, 720))
SETTLE_SECONDS = 1.0
TIMEOUT_SECONDS = 300.0
# Beside the pointer, which is near the offscreen screen's corner, and would highlight a button of the rail.
WINDOW_POSITION = (100, 100)


def wait_for(app: QApplication, happened: Callable[[], bool]) -> None:
    """Process the window's events until something has happened."""
    end = time.monotonic() + TIMEOUT_SECONDS
    while not happened():
        app.processEvents()
        time.sleep(0.005)
        if time.monotonic() > end:
            raise SystemExit("The window did not get where the pictures are taken.")


def unready_panels(window: MainWindow) -> list[str]:
    """The visible panels that are still to be drawn, and what those say that are empty."""
    panels = [panel for panel in window.findChildren(Panel) if panel.isVisible()]
    dirty = [f"{panel.title}: still to be drawn" for panel in panels if panel.is_dirty]
    return dirty + [f"{panel.title}: {panel.empty_label.text()}" for panel in panels if panel.is_empty]


def settle(app: QApplication, window: MainWindow) -> None:
    """Wait until everything visible is drawn and stays so."""
    last_unready = time.monotonic()

    def is_settled() -> bool:
        nonlocal last_unready
        if unready_panels(window):
            last_unready = time.monotonic()
        return time.monotonic() - last_unready > SETTLE_SECONDS

    try:
        wait_for(app, is_settled)
    except SystemExit:
        raise SystemExit("\n".join(["These panels have nothing to show:", *unready_panels(window)])) from None


def wait_until_drawn(app: QApplication, window: MainWindow) -> None:
    """Wait for a moment, while the model trains, at which everything visible is drawn."""
    watching = window.status_bar.watching_label
    wait_for(app, lambda: bool(watching.text()) and not unready_panels(window) and shows_one_step(window))


def shows_one_step(window: MainWindow) -> bool:
    """Whether transport and loss curve name the same step: after being drawn, each rests for a time of its own."""
    step = f"step {window.context.playhead.live_step:,}"
    state_text, title = window.transport.state_label.text(), window.train_view.curves.title_label.text()
    return f"{step} of" in state_text and f"{step}:" in title


def photograph(app: QApplication, window: MainWindow, theme: Theme, name: str) -> None:
    """Photograph one view, in both sizes and both modes."""
    for width, height in SIZES:
        window.resize(width, height)
        for mode in ("light", "dark"):
            theme.set_mode(mode)
            if window.context.bridge.state == "learning":
                wait_until_drawn(app, window)
            else:
                settle(app, window)
            window.grab().save(str(FOLDER / f"{name}_{width}x{height}_{mode}.png"))


class Scene(NamedTuple):
    """Something else that a view shows, and how to get there and back."""

    name: str
    begin: Callable[[], object]
    end: Callable[[], object] = int  # does nothing


def scenes_of(window: MainWindow) -> dict[View, list[Scene]]:
    """The scenes of each view, beyond what it shows first."""
    train, attention, translate = window.train_view, window.attention_view, window.translate_view
    anatomy, runs, disabled_heads = window.anatomy_view, window.runs_view, window.attention_view.disabled_heads
    playhead = window.context.playhead
    topics = {PositionsTopic: "positions", MasksTopic: "masks", DotProductTopic: "dot_product"}
    topics |= {LabelSmoothingTopic: "label_smoothing", NoamTopic: "noam"}

    def compare_steps(against: Baseline | None) -> None:
        attention.more_button.click()
        attention.comparison.compare_with(against)

    return {
        train: [Scene("learned", train.more_button.click, train.more_button.click)],
        attention: [
            Scene("lines", attention.chooser.lines_box.click, attention.chooser.lines_box.click),
            Scene("head_off", partial(disabled_heads.toggle, HeadId("cross", 1, 0)), disabled_heads.enable_all),
            Scene("difference", partial(compare_steps, Baseline(step=EARLIER_STEP)), partial(compare_steps, None)),
        ],
        translate: [
            Scene("beam", translate.pages.buttons[2].click),
            Scene("tracks", partial(playhead.view, EARLIER_STEP), playhead.go_live),
            Scene("two_weights", translate.pages.buttons[3].click, translate.pages.buttons[0].click),
        ],
        anatomy: [Scene(name, partial(anatomy.choose, topic)) for topic, name in topics.items()],
        runs: [
            Scene("compared", runs.table.selectAll),
            Scene("compared_attention", partial(runs.comparison_pages.show_page, 1)),
            Scene("compared_translations", partial(runs.comparison_pages.show_page, 2)),
        ],
    }


def take_all(app: QApplication, window: MainWindow, theme: Theme) -> None:
    """Train for a while, then visit every view."""
    bridge, workbench = window.context.bridge, window.context.workbench
    window.setup_drawer.choose_preset(PRESET)
    wait_for(app, lambda: bridge.state == "ready")
    photograph(app, window, theme, "untrained")
    window.rail.setup_button.setChecked(True)
    photograph(app, window, theme, "setup")
    window.rail.setup_button.setChecked(False)
    workbench.learn(STEPS)
    wait_for(app, lambda: bridge.state == "paused")
    scenes = scenes_of(window)
    for index, view in enumerate(window.views):
        window.show_view(index)
        photograph(app, window, theme, view.icon)
        for scene in scenes.get(view, []):
            scene.begin()
            photograph(app, window, theme, scene.name)
            scene.end()


def learn(app: QApplication, window: MainWindow, config: RunConfig, steps: int) -> Path:
    """Train a new run, paused after so many steps."""
    bridge, workbench = window.context.bridge, window.context.workbench
    workbench.replace_draft(config)
    workbench.prepare()
    wait_for(app, lambda: bridge.state == "ready")
    workbench.learn(steps)
    wait_for(app, lambda: bridge.state == "paused")
    assert workbench.run is not None
    return workbench.run


def take_run_pictures(app: QApplication, window: MainWindow, theme: Theme) -> None:
    """Photograph what shows while the model trains, and what only other runs can show."""
    bridge, workbench, runs = window.context.bridge, window.context.workbench, window.runs_view
    window.show_view(VIEWS.index(type(window.train_view)))
    window.transport.pace_slider.setValue(PACES.index(10))  # so that it still trains when all pictures are taken
    workbench.learn()
    wait_for(app, lambda: bridge.state == "learning")
    photograph(app, window, theme, "learning")
    bridge.ask(Pause())
    wait_for(app, lambda: bridge.state == "paused")
    window.transport.pace_slider.setValue(PACES.index(None))
    seeds = [learn(app, window, read_preset("copy_task", (*SMALL_RUN, f"seed={seed}")), SMALL_STEPS) for seed in SEEDS]
    window.show_view(VIEWS.index(type(runs)))
    wait_for(app, lambda: {*seeds} <= {row.path for row in runs.table.rows})
    runs.comparison_pages.show_page(0)
    runs.table.select_rows(seeds)
    photograph(app, window, theme, "seeds")
    learn(app, window, read_preset(PRESET, LOW_RATE), LOW_RATE_STEPS)
    window.show_view(VIEWS.index(type(window.train_view)))
    notices = window.train_view.curves.notices
    wait_for(app, lambda: bool(notices.notices))
    notices.chip.click()
    photograph(app, window, theme, "notice")


def main() -> None:
    """Open the window, take the pictures, close it."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    app = QApplication([])
    app.setStyle("Fusion")
    theme = Theme("light")
    theme.apply()
    with tempfile.TemporaryDirectory() as home:
        os.environ["HOME"] = os.environ["USERPROFILE"] = home  # no picture shows whose machine it was taken on
        window = MainWindow(make_context(EngineBridge(Engine()), theme, Path(home) / "runs"))
        window.move(*WINDOW_POSITION)
        window.show()
        take_all(app, window, theme)
        take_run_pictures(app, window, theme)
        window.shut_down()


if __name__ == "__main__":
    main()
