"""The main window: lays out rail, strip and views, and connects them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pyqtgraph as pg
from PySide6.QtCore import QElapsedTimer, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QVBoxLayout, QWidget

from core.errors import Offer
from core.events import Prepared, StateChanged
from core.faults import as_trouble
from core.first_look import read_first_look
from core.requests import Close, Stop
from core.run_files.archive import SUFFIX
from core.run_folder import RunFolder
from core.settings.presets import FIRST_PRESET, read_preset
from gui.context import Context
from gui.frame.banner import ResumeBanner, interrupted_run
from gui.frame.dropping import Dropping
from gui.frame.help import HelpSheet
from gui.frame.keyboard_frame import KeyboardFrame
from gui.frame.rail import Rail
from gui.frame.shortcuts_first import ShortcutsFirst
from gui.frame.status_bar import StatusBar
from gui.frame.strip import Strip
from gui.frame.tour import Tour, tour_steps
from gui.frame.transport import Transport
from gui.frame.view_pages import ViewPages
from gui.panels.learning.time_strip import TimeStrip
from gui.runs.naming import name_of, shortened
from gui.view import View
from gui.views.anatomy import AnatomyView
from gui.views.attention import AttentionView
from gui.views.data import DataView
from gui.views.plugins import PluginsView
from gui.views.runs import RunsView
from gui.views.setup import SetupDrawer
from gui.views.train import TrainView
from gui.views.translate import TranslateView

VIEWS: tuple[type[View], ...] = (TrainView, AttentionView, TranslateView, DataView, AnatomyView, RunsView, PluginsView)
TITLE = "Headlight"
REPEATING = ("[", "]", "Ctrl++", "Ctrl+=", "Ctrl+-")  # shortcuts that repeat while held; the others act once
AFTER_THE_END_MS = 1_000  # Space pressed this soon after the end was meant as Pause


class MainWindow(QMainWindow):
    """The frame around all views. Closing saves everything first; `left` says when that is done.

    If saving fails, the window stays open the first time. `unsaved` is then the message for a user who leaves anyway.
    """

    left = Signal(int)  # the application may end, with this status

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.context = context
        self.unsaved = ""
        self._status: int | None = None
        self._finished = QElapsedTimer()  # since a run's last step
        self._was_warned = False  # whether the user was told that closing loses steps
        self._named: Path | None = None  # the run named in the title
        self.setWindowTitle(TITLE)
        self.resize(1600, 1000)
        self.setMinimumSize(960, 600)
        with context.theme.without_stylesheet():
            self.time_strip = TimeStrip(context.theme, context.playhead, context.replay)
            context.redraw_scheduler.add(
                self.time_strip
            )  # first: the playhead is drawn before the panels that follow it
            self.pages = ViewPages(context, self._connect_view)
            self.train_view = self.pages.view(TrainView)
            self.strip = Strip(context.theme)
            self.banner = ResumeBanner(context.theme)
            self.transport = Transport(context)
            self.status_bar = StatusBar(context)
            self.setup_drawer = SetupDrawer(context)
            self.setup_drawer.hide()
            self.rail = Rail(context.theme, VIEWS)
            self.dropping = Dropping(self)
            self._lay_out()
        self._connect()
        self.show_view(0)
        self.setFocus()  # otherwise the rail has it at first, and Space does not reach Learn

    @property
    def attention_view(self) -> AttentionView:
        return self.pages.view(AttentionView)

    @property
    def translate_view(self) -> TranslateView:
        return self.pages.view(TranslateView)

    @property
    def data_view(self) -> DataView:
        return self.pages.view(DataView)

    @property
    def anatomy_view(self) -> AnatomyView:
        return self.pages.view(AnatomyView)

    @property
    def runs_view(self) -> RunsView:
        return self.pages.view(RunsView)

    @property
    def plugins_view(self) -> PluginsView:
        return self.pages.view(PluginsView)

    @property
    def views(self) -> tuple[View, ...]:
        """All views; those not opened yet are built."""
        return tuple(map(self.pages.view, VIEWS))

    def show_view(self, index: int) -> None:
        """Open the view at this index of the rail."""
        self.rail.check(index)
        for leaving in (self.pages, self.time_strip):
            self._take_focus_from(leaving)
        self.pages.open(VIEWS[index])
        self.time_strip.setVisible(VIEWS[index].has_time_strip)
        self.context.redraw_scheduler.draw_soon()

    def begin(self) -> None:
        """Fill the window before the user can click, and before torch is loaded, which leaves little time to draw."""
        self.context.bridge.emit_recorded(read_first_look(read_preset(FIRST_PRESET)))
        while self.context.redraw_scheduler.draw():
            pass
        self.setup_drawer.choose_preset(FIRST_PRESET)
        look = partial(interrupted_run, self.context.place.path, self.banner.refused_at)
        self.context.bridge.run_in_background(look, self._offer)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Save without asking, and close once that is done; after a failed save, close in any case."""
        event.ignore()
        if self._was_warned or self.context.bridge.engine.is_closed:
            self.leave()
        elif self.isEnabled():  # not closing already
            self.setEnabled(False)
            self.context.workbench.stop()
            self.context.bridge.ask(Stop(), lambda _: self.leave(), self._stay)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space is Learn or Pause unless the focused control uses it.

        Just after a run's last step it is ignored: the user meant Pause, not a thousand more steps.
        """
        if event.key() == Qt.Key.Key_Space and self.transport.learn_button.isEnabled():
            if event.isAutoRepeat():  # held down: thirty toggles a second would end in either state by chance
                return
            if not self._finished.isValid() or self._finished.hasExpired(AFTER_THE_END_MS):
                self.context.workbench.toggle()
        else:
            super().keyPressEvent(event)

    def leave(self, status: int = 0) -> None:
        """Save, then emit `left`, even if saving fails. If called twice, the first status counts."""
        if self._status is None:
            self._status = status
            self.setEnabled(False)
            self.context.workbench.stop()
            self.context.bridge.ask(Close(), self._end, self._end_unsaved)

    def close_down(self) -> None:
        """Stop the window's timers and threads, the engine's included, and wait for them."""
        self.context.redraw_scheduler.stop()
        self.context.follower.stop()
        self.context.workbench.stop()
        self.context.replay.stop()
        self.context.bridge.cancel_background_work()
        self.context.plugins.close()  # before the bridge, which waits for a listing under way
        self.context.bridge.close()
        self.hide()
        for plot in self.findChildren(pg.PlotWidget):
            plot.getPlotItem().close()  # its menu is a window of its own

    def _offer(self, left: RunFolder | None) -> None:
        """Offer the interrupted run, unless a run has begun or was opened meanwhile, as can happen on a slow disk."""
        if not self.context.workbench.has_run:
            self.banner.offer(left)

    def _advance(self) -> None:
        self.context.playhead.advance(self.context.bridge.shown.last_step)

    def _name_itself(self) -> None:
        """Put the shown run's name into the title, since several runs can have the same curves.

        It stands in the status bar too: a full-screen window may have no title bar.
        """
        folder = self.context.bridge.shown.folder
        path = None if folder is None else folder.path
        if path != self._named:
            self._named = path
            name = "" if folder is None else name_of(folder)
            self.setWindowTitle(f"{shortened(name)} · {TITLE}" if name else TITLE)
            self.status_bar.show_run(name)

    def _name_anew(self, run: Path) -> None:
        """Update the title if this run, which was renamed, is the shown one."""
        if run == self._named:
            self._named = None
            self._name_itself()

    def _restart(self, prepared: Prepared) -> None:
        """Another run was prepared or opened: rewind the playhead, unless a followed run is shown."""
        self.banner.withdraw(prepared.run)
        self._restart_playhead()

    def _restart_playhead(self) -> None:
        if self.context.bridge.followed is None:
            self.context.playhead.restart()

    def _end(self, _: object) -> None:
        self.left.emit(self._status)

    def _end_unsaved(self, error: Exception) -> None:
        self.unsaved = f"{as_trouble(error).sentence} {self._kept()}"
        self._end(error)

    def _stay(self, error: Exception) -> None:
        """Report that the run could not be saved instead of closing, unless a signal arrived meanwhile."""
        if self._status is None:
            self._was_warned = True
            self.setEnabled(True)
            self.context.workbench.drop_cancelled_requests(error)
            trouble = as_trouble(error)
            again = "Closing again saves if possible, and quits in any case."
            self.strip.show_first(replace(trouble, advice=f"{trouble.advice} {again} {self._kept()}"))

    def _kept(self) -> str:
        """A sentence that says up to which step the run is safe on disk."""
        steps = self.context.bridge.history.checkpoint_steps
        return f"Everything up to step {steps[-1]:,} is kept." if steps else "This run has no checkpoint yet."

    def _take_state(self, change: StateChanged) -> None:
        if change.state in ("preparing", "learning"):
            self._was_warned = False  # new steps can be lost now: warn about them too
        if change.state == "preparing":
            self.strip.drop_outdated()

    def _lay_out(self) -> None:
        middle = QWidget()
        row = QHBoxLayout(middle)
        row.setContentsMargins(0, 0, 0, 0)
        column, with_setup = QVBoxLayout(), QHBoxLayout()  # Setup takes room of the views alone: Learn stays in place
        for layout in (row, column, with_setup):
            layout.setSpacing(0)
        row.addWidget(self.rail)
        row.addLayout(column, 1)
        for widget in (self.transport, self.banner, self.strip):
            column.addWidget(widget)
        column.addLayout(with_setup, 1)
        with_setup.addWidget(self.setup_drawer)
        with_setup.addWidget(self.pages, 1)
        column.addWidget(self.time_strip)
        column.addWidget(self.status_bar)
        self.setCentralWidget(middle)
        steps = tour_steps(self.train_view, self.transport, self.rail)
        self.tour = Tour(self.context.theme, steps, room=self.pages, over=middle)
        self.help_sheet = HelpSheet(self.context.theme, self.context.place, middle)

    def _connect_view(self, view: View) -> None:
        match view:
            case PluginsView():
                view.tried.connect(self._try_plugin)
            case DataView():
                view.files_chosen.connect(self._take_files)
            case RunsView():
                view.opened.connect(partial(self.show_view, 0))
                view.deleted.connect(self.banner.withdraw)
                view.labelled.connect(self._name_anew)

    def _connect(self) -> None:
        bridge = self.context.bridge
        bridge.trouble.connect(self.strip.show_trouble)
        self.strip.offer_taken.connect(self._mend)
        bridge.prepared.connect(self._restart)
        bridge.run_forgotten.connect(self._restart_playhead)
        bridge.run_finished.connect(self._note_end)
        bridge.state_changed.connect(self._take_state)
        bridge.drained.connect(self._advance)
        bridge.shown_changed.connect(self._advance)
        bridge.shown_changed.connect(self._name_itself)
        self.context.workbench.changed.connect(self._name_itself)
        self.banner.accepted.connect(self.context.workbench.open_run)
        self.context.workbench.learn_requested.connect(self.banner.hide)
        self.transport.help_button.clicked.connect(self.help_sheet.toggle)
        self.help_sheet.tour_asked.connect(self.tour.start)
        self.dropping.dropped.connect(self._take_dropped)
        self.tour.stepped.connect(partial(self.show_view, 0))
        self.tour.stepped.connect(partial(self.train_view.more_button.setChecked, False))
        self.context.workbench.learn_requested.connect(self.tour.end_if_learning_was_last)
        self.rail.chosen.connect(self.show_view)
        self.rail.setup_toggled.connect(self._show_setup)
        self.train_view.curves.notices.told.connect(partial(self.rail.mark, VIEWS.index(TrainView)))
        self.context.workbench.branched.connect(partial(self.rail.setup_button.setChecked, True))
        self.setup_drawer.restart_button.offered.connect(self.transport.leave_filling)
        self.context.workbench.learn_requested.connect(self._fold_setup)
        self.setup_drawer.marked.connect(partial(self.rail.setup_button.setChecked, True))
        ShortcutsFirst(self, ("Ctrl+E", "Ctrl+D"))
        KeyboardFrame(self)
        for keys, act in self._shortcuts():
            QShortcut(keys, self, act, autoRepeat=keys in REPEATING)

    def _shortcuts(self) -> tuple[tuple[str, Callable[[], object]], ...]:
        theme, row = self.context.theme, self.train_view.sentence_row
        return (
            ("Ctrl+E", self.rail.setup_button.toggle),
            *((f"Ctrl+{index + 1}", partial(self.show_view, index)) for index in range(len(VIEWS))),
            ("Ctrl+R", self.transport.reset_button.click),
            ("Ctrl+B", self.transport.branch_button.click),
            ("L", self.context.playhead.go_live),
            ("P", self.context.replay.toggle),
            ("Shift+P", self.context.replay.toggle_back),
            ("[", row.show_previous),
            ("]", row.show_next),
            ("Ctrl+D", theme.toggle_mode),
            ("Ctrl++", theme.zoom_in),
            ("Ctrl+=", theme.zoom_in),
            ("Ctrl+-", theme.zoom_out),
            ("Ctrl+0", lambda: theme.set_zoom(100)),
            ("Esc", self._dismiss),
            ("F1", self.help_sheet.toggle),
        )

    def _dismiss(self) -> None:
        if self.help_sheet.isVisible():
            self.help_sheet.toggle()
        elif self.tour.isVisible():
            self.tour.end()
        else:
            self.strip.dismiss()

    def _mend(self, offer: Offer) -> None:
        """Do what the strip's button offers: go on at a lower rate, or keep the run in another folder."""
        if offer == "lower_rate":
            self.strip.dismiss()
            self.context.workbench.continue_at_lower_rate()
            return
        run = self.context.workbench.run  # before the dialog: another run may be opened while it is up
        if (runs_dir := self.context.place.ask(self)) is not None:
            self.strip.dismiss()
            self.context.workbench.change_runs_dir(runs_dir, run)

    def _try_plugin(self, name: str) -> None:
        self.setup_drawer.choose_plugin(name)
        self.show_view(0)
        self.rail.setup_button.setChecked(True)

    def _take_dropped(self, paths: Sequence[Path]) -> None:
        """Open dropped archives of shared runs; take all other files as texts to train on."""
        texts = [path for path in paths if path.suffix.lower() != SUFFIX]
        for path in paths:
            if path not in texts:
                self.runs_view.shared.open_file(path)
        if texts:
            self._take_files(texts)

    def _take_files(self, paths: Sequence[Path]) -> None:
        """Take the user's own corpus; Setup says what each file was taken for."""
        self.setup_drawer.open_files(paths)
        self.rail.setup_button.setChecked(True)

    def _show_setup(self, is_shown: bool) -> None:
        self._take_focus_from(self.setup_drawer)
        self.setup_drawer.setVisible(is_shown)

    def _note_end(self) -> None:
        self._finished.start()

    def _take_focus_from(self, leaving: QWidget) -> None:
        """Take the focus from a part about to be hidden: Qt would give it to the next button, and Space press that."""
        focused = self.focusWidget()
        if focused is not None and leaving.isAncestorOf(focused):
            self.setFocus()

    def _fold_setup(self) -> None:
        self.rail.setup_button.setChecked(False)
