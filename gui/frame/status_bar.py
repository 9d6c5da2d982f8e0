"""The status bar: the run's name, epoch, speed, device, what watching costs, and for some seconds a message."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame

from core.events import Prepared, Progress, StateChanged
from gui.context import Context
from gui.frame.time_left import TimeLeft
from gui.theme import GRID
from gui.widgets.dynamic_labels import ElidedLabel, NumberLabel, text_width
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.labels import plain_label

REFRESH_MS = 500
MESSAGE_MS = 10_000  # long enough to read a path
TERSE_WIDTH, NARROW_WIDTH = 720, 620  # pixels at 100 %: below, figures are shortened; the device gives way to a name
_NAME_ALLOWANCE = 180  # added to `TERSE_WIDTH` where a run is named
_NAME_WIDTH, _SHORT_NAME_WIDTH = 280, 120  # the widest that its name may be, and on a terse line
_WATCHING_HELP = (
    "The recent cost of watching, as a share of the time: one processor core reads and draws what is shown, and the "
    "model answers the open view's questions while it learns. Pauses between drawings and between answers, ten seconds "
    "at most, keep the cost under 5 %. It is higher if a single drawing or answer takes long, for a moment after you "
    "ask or choose something, and at a slow pace, where new results are drawn every second."
)
_SIZES_HELP = "Trained numbers in the model, and tokens in the two vocabularies"
_DEVICE_HELP = "Where the model is trained, and the number format of its matrix products"


class StatusBar(QFrame):
    """One line of figures, updated twice a second."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.setObjectName("status")
        self.context = context
        self.stage_label = plain_label()
        self.stage_label.hide()
        self.run_label = _BoundedLabel()
        self.run_label.setObjectName("run")
        self.run_label.hide()
        self.epoch_label = _figure_label("How many times training has gone through the data")
        self.speed_label = _figure_label("Target tokens a second, counting <eos> but not padding")
        self.device_label = _figure_label(_DEVICE_HELP)
        self.size_label = _figure_label(_SIZES_HELP)
        self.watching_label = _figure_label(_WATCHING_HELP)
        self.message_label = _BoundedLabel()
        self.message_label.hide()
        self._hidden_by_message = (self.size_label, self.device_label)  # they rarely change
        figures = (self.epoch_label, self.speed_label, *self._hidden_by_message)
        layout = FlowLayout(self, 3 * GRID)
        layout.setContentsMargins(2 * GRID, GRID // 2, 2 * GRID, GRID // 2)
        for label in (self.run_label, self.stage_label, *figures):
            layout.addWidget(label)
        layout.add_stretching(self.message_label)
        layout.addWidget(self.watching_label)
        self._time_left = TimeLeft()
        self._timer = QTimer(self, interval=REFRESH_MS)
        self._timer.timeout.connect(self.refresh)
        self._timer.start()
        self._message_timer = QTimer(self, singleShot=True, interval=MESSAGE_MS)  # until the message has been read
        self._message_timer.timeout.connect(partial(self._set_message_visible, False))
        self._is_run_message = False  # the message, which then ends when the run is left, or learns
        self._connect()

    def _connect(self) -> None:
        theme, bridge = self.context.theme, self.context.bridge
        theme.changed.connect(self.refresh)
        bridge.prepared.connect(self.refresh)
        bridge.shown_changed.connect(self.refresh)
        bridge.progressed.connect(self._show_progress)
        bridge.state_changed.connect(self._handle_state)
        bridge.message.connect(self._show_message)
        bridge.run_message.connect(self._show_run_message)
        bridge.prepared.connect(self._hide_run_message)
        bridge.run_forgotten.connect(self._hide_run_message)

    def show_run(self, name: str) -> None:
        """Show the name of the viewed run, or none if it is empty."""
        self.run_label.setText(name)
        self.run_label.setVisible(bool(name))
        self.refresh()

    def refresh(self) -> None:
        """Show the newest figures."""
        self._fit()
        history = self.context.bridge.shown
        if history.prepared is not None:
            self._show_prepared(history.prepared)
        else:
            self.size_label.setText("")
            self.device_label.setText("")
        epoch, speed = history.curve("train/epoch")[1], history.curve("train/target_tokens_per_second")[1]
        self.epoch_label.setText(f"epoch {epoch[-1]:.1f}" if len(epoch) else "epoch 0")
        self.speed_label.setText(f"{compact(float(speed[-1]))} target tok/s" if len(speed) else "")
        self.speed_label.setVisible(bool(len(speed)))
        self._show_watching()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.refresh()

    def _fit(self) -> None:
        px, label = self.context.theme.px, self.run_label
        label.set_preferred_width(min(label.needed_width, px(_SHORT_NAME_WIDTH if self._is_terse else _NAME_WIDTH)))
        is_narrow = bool(label.text()) and self.width() < px(NARROW_WIDTH)
        self.device_label.setHidden(is_narrow or not self.message_label.isHidden())

    @property
    def _is_terse(self) -> bool:
        """Whether figures are shortened, as a second line would push the view up; their tooltips have the rest."""
        return self.width() < self.context.theme.px(TERSE_WIDTH + _NAME_ALLOWANCE * bool(self.run_label.text()))

    def _show_run_message(self, sentence: str) -> None:
        self._show_message(sentence)
        self._is_run_message = True

    def _hide_run_message(self, *_: object) -> None:
        if self._is_run_message:
            self._set_message_visible(False)

    def _show_message(self, sentence: str) -> None:
        self._is_run_message = False
        if not self.message_label.isVisible():
            left, right = self.size_label.geometry(), self.device_label.geometry()
            self.message_label.set_preferred_width(
                (left if self.device_label.isHidden() else left.united(right)).width()
            )
        self.message_label.setText(sentence)
        self._set_message_visible(True)
        self._message_timer.start()

    def _set_message_visible(self, is_shown: bool) -> None:
        self.message_label.setVisible(is_shown)
        for label in self._hidden_by_message:
            label.setVisible(not is_shown)
        self._fit()

    def _show_watching(self) -> None:
        """Show what watching takes from training, if a run is learning and something was drawn."""
        is_slow, watching = self.context.workbench.pace is not None, self.context.redraw_scheduler.watching_share
        is_known = self.context.bridge.state == "learning" and watching > 0
        share = f"watching {100 * watching:.0f} %{' at this pace' if is_slow and not self._is_terse else ''}"
        self.watching_label.setText(share if is_known else "")
        self.watching_label.setVisible(is_known)

    def _show_prepared(self, prepared: Prepared) -> None:
        training = prepared.config.training
        threads = f" {training.num_threads} thread{'s' * (training.num_threads != 1)}"
        device = training.device.upper() + (threads if training.device == "cpu" else "")
        is_known = training.device != "auto"  # it is not known before torch is loaded
        self._show(self.device_label, device if is_known else "", training.precision, _DEVICE_HELP, prepared.picked)
        sizes = f"{len(prepared.src_tokens):,} → {len(prepared.tgt_tokens):,} tokens"
        self._show(self.size_label, f"{compact(prepared.num_parameters)} parameters", sizes, _SIZES_HELP)

    def _show(self, label: NumberLabel, figure: str, more: str, *meaning: str) -> None:
        """Show a figure, followed by `more` if there is room; the tooltip has `meaning`."""
        whole = f"{figure} · {more}" if figure else ""
        label.setText(figure if self._is_terse else whole)
        label.setToolTip("\n".join(filter(None, [whole if self._is_terse else "", *meaning])))

    def _show_progress(self, progress: Progress) -> None:
        if self.context.bridge.state != "preparing":  # a plugin's check: the Plugins view shows its progress
            return
        counted = f" {progress.done:,}" if progress.done else ""  # a stage done in one go has no count
        share = f" {100 * progress.done // progress.total} %" if progress.total else counted
        seconds = self._time_left.estimate(progress)
        left = "" if seconds is None else f" · {rough_time(seconds)} left"
        self.stage_label.setText(progress.stage.capitalize() + share + left)
        self.stage_label.show()

    def _handle_state(self, change: StateChanged) -> None:
        if change.state == "preparing":  # its first stage may be the one in which the last attempt was broken off
            self._time_left = TimeLeft()
        else:
            self.stage_label.hide()
        if change.state == "learning":
            self._hide_run_message()
        self._show_watching()


class _BoundedLabel(ElidedLabel):
    """Has a preferred width, whatever its text needs; it may be given more that is free on its line."""

    def __init__(self) -> None:
        super().__init__()
        self._width = 0

    @property
    def needed_width(self) -> int:
        """Pixels for all of its text."""
        return text_width(self.fontMetrics(), self.text())

    def set_preferred_width(self, width: int) -> None:
        """Set the preferred width in pixels."""
        if width != self._width:
            self._width = width
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(self._width, super().sizeHint().height())


def rough_time(seconds: float) -> str:
    """`20 s`, `3 min`, `2.5 h`: no more precise than can be promised."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"


def compact(number: float) -> str:
    """`11.9k`, `931k`, `4.2M`."""
    number = float(f"{number:.3g}")  # first, or 999,600 would be 1e+03k
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= size:
            return f"{number / size:.3g}{unit}"
    return f"{number:.3g}"


def _figure_label(meaning: str) -> NumberLabel:
    label = NumberLabel()
    label.setToolTip(meaning)
    return label
