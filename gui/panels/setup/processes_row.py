"""The row in Setup for the number of training processes: no setting of the run, which can go on with any number."""

from __future__ import annotations

from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.requests import SetProcesses
from core.torchrun import max_processes
from gui.bridge import EngineBridge
from gui.theme import GRID, Theme
from gui.widgets.labels import plain_label
from gui.widgets.spin_boxes import IntegerSpinBox

HELP = (
    "Train in this many processes on this machine, started by torchrun. Without dropout the losses are the same for "
    "any number. The number is not part of the run, which can continue with another. It takes effect with the next "
    "Learn."
)


class ProcessesRow(QWidget):
    """Tells the engine each number that is typed; the next Learn begins with it."""

    def __init__(self, theme: Theme, bridge: EngineBridge) -> None:
        super().__init__()
        self._bridge = bridge
        self.spin = _NoWheelSpinBox(theme)
        self.spin.setRange(1, max_processes())
        self.spin.setAccessibleName("Processes")
        self.spin.setAccessibleDescription(HELP)
        self.spin.setToolTip("torchrun --nproc-per-node")  # as other fields show their key in files
        help_label = plain_label(HELP, role="muted", wraps=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID // 2)
        for widget in (plain_label("Processes"), self.spin, help_label):
            layout.addWidget(widget)
        self.spin.valueChanged.connect(self._tell_engine)

    def _tell_engine(self, num_processes: int) -> None:
        self._bridge.ask(SetProcesses(num_processes=num_processes))


class _NoWheelSpinBox(IntegerSpinBox):
    """Leaves the mouse wheel to the form around it, which scrolls."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()
