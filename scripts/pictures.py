"""Takes the pictures of README and docs: `make pictures`.

Trains the German-English preset in the real window, offscreen, and photographs every view at 1600 x 1000 and
1280 x 720, light and dark, into docs/pictures. What is photographed is what a person sees: only the moment is chosen.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pyqtgraph as pg
from PySide6.QtWidgets import QApplication

from core.engine import Engine
from gui.bridge import EngineBridge
from gui.context import make_context
from gui.heads.compared_attention import Against
from gui.main_window import MainWindow
from gui.panels.anatomy.dot_product import DotProductTopic
from gui.theme import Theme

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
PRESET = "toy_german_english"
STEPS = 400
EARLIER = 100  # the step that STEPS is compared with
SIZES = ((1600, 1000), (1280, 720))
SETTLE_SECONDS = 1.0
PATIENCE_SECONDS = 300.0


def wait_for(app: QApplication, happened: Callable[[], bool], patience: float = PATIENCE_SECONDS) -> None:
    """Let the window live until something has happened."""
    end = time.monotonic() + patience
    while not happened():
        app.processEvents()
        time.sleep(0.005)
        if time.monotonic() > end:
            raise SystemExit("The window did not get where the pictures are taken.")


def settle(app: QApplication) -> None:
    """Give every panel the time to be drawn."""
    end = time.monotonic() + SETTLE_SECONDS
    wait_for(app, lambda: time.monotonic() > end)


def photograph(app: QApplication, window: MainWindow, theme: Theme, name: str) -> None:
    """One view, in both sizes and both modes."""
    for width, height in SIZES:
        window.resize(width, height)
        for mode in ("light", "dark"):
            theme.set_mode(mode)
            settle(app)
            window.grab().save(str(FOLDER / f"{name}_{width}x{height}_{mode}.png"))


def take_all(app: QApplication, window: MainWindow, theme: Theme) -> None:
    """Train for a while, then visit every view."""
    bridge, workbench = window.context.bridge, window.context.workbench
    window.setup_drawer.choose_preset(PRESET)
    wait_for(app, lambda: bridge.state == "ready")
    photograph(app, window, theme, "untrained")
    window.setup_drawer.show()
    photograph(app, window, theme, "setup")
    window.setup_drawer.hide()
    workbench.learn(STEPS)
    wait_for(app, lambda: bridge.state == "paused")
    for index, view in enumerate(window.views):
        window.show_view(index)
        photograph(app, window, theme, view.name)
        if view is window.train_view:
            window.train_view.more_button.click()
            photograph(app, window, theme, "learned")
            window.train_view.more_button.click()
        if view is window.attention_view:
            window.attention_view.more_button.click()
            window.attention_view.compared.compare(Against(step=EARLIER))
            photograph(app, window, theme, "difference")
            window.attention_view.compared.compare(None)
            window.attention_view.more_button.click()
        if view is window.runs_view:
            window.runs_view.table.selectAll()
            photograph(app, window, theme, "compared")
        if view is window.translate_view:
            window.translate_view.page_buttons[2].click()
            photograph(app, window, theme, "beam")
        if view is window.anatomy_view:
            window.anatomy_view.choose(DotProductTopic)
            photograph(app, window, theme, "dot_product")


def main() -> None:
    """Open the window, take the pictures, close it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    app = QApplication([])
    app.setStyle("Fusion")
    pg.setConfigOptions(imageAxisOrder="row-major")
    theme = Theme("light")
    theme.apply()
    with tempfile.TemporaryDirectory() as home:
        os.environ["HOME"] = os.environ["USERPROFILE"] = home  # no picture shows whose machine took it
        window = MainWindow(make_context(EngineBridge(Engine()), theme, Path(home) / "runs"))
        window.show()
        take_all(app, window, theme)
        window.close_down()


if __name__ == "__main__":
    main()
