"""The real window as a process: it takes the settings named on the command line and learns until it is stopped."""

import sys

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from core.config import config_from_document
from core.engine import Engine
from core.machine.torch_import import stub_out_tracing
from core.settings.overriding import override
from core.settings.presets import preset_or_file
from gui import app
from gui.main_window import MainWindow

stub_out_tracing()
application, timer = QApplication(sys.argv[:1]), QTimer()


def learn() -> None:
    """Learn as soon as the window exists."""
    for window in application.topLevelWidgets():
        if isinstance(window, MainWindow):
            timer.stop()
            document = override(preset_or_file(sys.argv[1]), tuple(sys.argv[2:]))
            window.context.workbench.replace_draft(config_from_document(document))
            window.context.workbench.learn()


timer.timeout.connect(learn)
timer.start(50)
with Engine() as engine:
    sys.exit(app.run(sys.argv[:1], engine))
