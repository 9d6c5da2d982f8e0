"""The main window: lays out rail, strip and views, and connects them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pyqtgraph as pg
from PySide6.QtCore import QElapsedTimer, Qt
from PySide6.QtGui import QCloseEvent, QKeyEvent, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QVBoxLayout, QWidget

from core.errors import Offer
from core.events import Prepared, StateChanged
from core.first_look import read_first_look
from core.run_files.archive import SUFFIX
from core.run_folder import RunFolder
from core.settings.presets import FIRST_PRESET, read_preset
from gui.context import Context
from gui.frame.closing import Closing
from gui.frame.drop_target import DropTarget
from gui.frame.focus_frame import FocusFrame
from gui.frame.help_sheet import HelpSheet
from gui.frame.rail import Rail
from gui.frame.resume_banner import ResumeBanner, interrupted_run
from gui.frame.run_title import RunTitle
from gui.frame.shortcut_priority import ShortcutPriority
from gui.frame.status_bar import StatusBar
from gui.frame.tour import Tour, tour_steps
from gui.frame.transport import Transport
from gui.frame.trouble_strip import TroubleStrip
from gui.frame.view_pages import ViewPages
from gui.panels.learning.time_strip import TimeStrip
from gui.panels.setup.restart_button import restart_text
from gui.view import View
from gui.views.anatomy import AnatomyView
from gui.views.attention import AttentionView
from gui.views.data import DataView
from gui.views.plugins import PluginsView
from gui.views.runs import RunsView
from gui.views.setup import SETTINGS_KINDS, SetupDrawer
from gui.views.train import TrainView
from gui.views.translate import TranslateView
from gui.widgets.tab_order import release_focus

VIEWS: tuple[type[View], ...] = (TrainView, AttentionView, TranslateView, DataView, AnatomyView, RunsView, PluginsView)
REPEATING_SHORTCUTS = ("[", "]", "Ctrl++", "Ctrl+=", "Ctrl+-")  # shortcuts that repeat while held; the others act once
IGNORE_SPACE_MS = 1_000  # Space pressed this soon after the end was meant as Pause


class MainWindow(QMainWindow):
    """The frame around all views. When it is closed, `closing` saves everything first."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.context = context
        self._since_run_end = QElapsedTimer()  # since a run's last step
        self.resize(1600, 1000)
        self.setMinimumSize(960, 600)
        with context.theme.without_stylesheet():
            self.time_strip = TimeStrip(context.theme, context.playhead, context.replay)
            # First: the playhead is drawn before the panels that follow it.
            context.redraw_scheduler.add(self.time_strip)
            self.pages = ViewPages(context, self._connect_view)
            self.train_view = self.pages.view(TrainView)
            self.trouble_strip = TroubleStrip(context.theme)
            self.closing = Closing(context, self, self.trouble_strip)
            self.resume_banner = ResumeBanner(context.theme)
            self.transport = Transport(context)
            self.status_bar = StatusBar(context)
            self.run_title = RunTitle(context, self, self.status_bar)
            self.setup_drawer = SetupDrawer(context)
            self.setup_drawer.hide()
            self.rail = Rail(context.theme, VIEWS)
            self.drop_target = DropTarget(self)
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
        self.rail.select(index)
        release_focus(self.pages)
        self.pages.open(VIEWS[index])
        self.time_strip.setVisible(VIEWS[index].has_time_strip)
        self.context.redraw_scheduler.draw_soon()

    def start(self) -> None:
        """Fill the window before the user can click, and before torch is loaded, which leaves little time to draw."""
        self.context.bridge.emit_recorded(read_first_look(read_preset(FIRST_PRESET)))
        self.context.redraw_scheduler.draw_round()
        self.setup_drawer.choose_preset(FIRST_PRESET)
        look = partial(interrupted_run, self.context.runs_directory.path, self.resume_banner.refused_at)
        self.context.bridge.run_in_background(look, self._offer_interrupted)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Do not close yet: first the run is saved."""
        event.ignore()
        self.closing.save_or_warn()

    def focusNextPrevChild(self, next: bool) -> bool:
        """Take the focus of a part that was just hidden: Qt would give it to the next button, for Space to press."""
        focused = self.focusWidget()
        if focused is not None and not focused.isVisible():
            self.setFocus()
            return True
        return super().focusNextPrevChild(next)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space is Learn or Pause unless the focused control uses it.

        Just after a run's last step it is ignored: the user meant Pause, not a thousand more steps.
        """
        if event.key() == Qt.Key.Key_Space and self.transport.learn_button.isEnabled():
            if event.isAutoRepeat():  # held down: thirty toggles a second would end in either state by chance
                return
            if not self._since_run_end.isValid() or self._since_run_end.hasExpired(IGNORE_SPACE_MS):
                self.context.workbench.toggle()
        else:
            super().keyPressEvent(event)

    def shut_down(self) -> None:
        """Stop the window's timers and threads, the engine's included, and wait for them."""
        self.context.redraw_scheduler.stop()
        self.context.follower.stop()
        self.context.workbench.stop()
        self.context.replay.stop()
        self.context.bridge.background.cancel()
        self.context.plugins.close()  # before the bridge, which waits for a listing under way
        self.context.bridge.close()
        self.hide()
        for plot in self.findChildren(pg.PlotWidget):
            plot.getPlotItem().close()  # its menu is a window of its own

    def _offer_interrupted(self, left: RunFolder | None) -> None:
        """Offer the interrupted run, unless a run has begun or was opened meanwhile, as can happen on a slow disk."""
        if not self.context.workbench.has_run:
            self.resume_banner.offer(left)

    def _advance(self) -> None:
        self.context.playhead.advance(self.context.bridge.shown.last_step)

    def _handle_prepared(self, prepared: Prepared) -> None:
        """Another run was prepared or opened: rewind the playhead, unless a followed run is shown."""
        if prepared.run is not None:
            self.resume_banner.hide()  # the user has chosen what to go on with
        self._restart_playhead()

    def _restart_playhead(self) -> None:
        if self.context.bridge.followed is None:
            self.context.playhead.restart()

    def _handle_state(self, change: StateChanged) -> None:
        if change.state == "preparing":
            self.trouble_strip.drop_outdated()
        elif change.state == "learning":
            self.trouble_strip.drop_solved()

    def _point_to_waiting(self) -> None:
        """Point to Setup while it is closed and changes wait there for another run: Learn would go on without them."""
        workbench = self.context.workbench
        waits = workbench.waiting_changes and not workbench.will_replace_branch
        self.rail.setup_button.show_news(f"“{restart_text(workbench)}” waits there" if waits else "")

    def _lay_out(self) -> None:
        middle = QWidget()
        row = QHBoxLayout(middle)
        row.setContentsMargins(0, 0, 0, 0)
        column, with_setup = QVBoxLayout(), QHBoxLayout()  # Setup takes room of the views alone: Learn stays in place
        for layout in (row, column, with_setup):
            layout.setSpacing(0)
        row.addWidget(self.rail)
        row.addLayout(column, 1)
        for widget in (self.transport, self.resume_banner, self.trouble_strip):
            column.addWidget(widget)
        column.addLayout(with_setup, 1)
        with_setup.addWidget(self.setup_drawer)
        with_setup.addWidget(self.pages, 1)
        column.addWidget(self.time_strip)
        column.addWidget(self.status_bar)
        self.setCentralWidget(middle)
        steps = tour_steps(self.train_view, self.transport, self.rail)
        self.tour = Tour(self.context.theme, steps, area=self.pages, parent=middle)
        self.help_sheet = HelpSheet(self.context.theme, self.context.runs_directory, middle)

    def _connect_view(self, view: View) -> None:
        match view:
            case PluginsView():
                view.tried.connect(self._try_plugin)
            case DataView():
                view.files_chosen.connect(self._use_files)
            case RunsView():
                view.opened.connect(partial(self.show_view, 0))
                view.deleted.connect(self.resume_banner.withdraw)
                view.labelled.connect(self.run_title.update_renamed)

    def _connect(self) -> None:
        bridge = self.context.bridge
        bridge.trouble.connect(self.trouble_strip.show_trouble)
        self.trouble_strip.offer_accepted.connect(self._accept_offer)
        bridge.prepared.connect(self._handle_prepared)
        bridge.run_forgotten.connect(self._restart_playhead)
        bridge.run_finished.connect(self._note_run_end)
        bridge.state_changed.connect(self._handle_state)
        bridge.drained.connect(self._advance)
        bridge.shown_changed.connect(self._advance)
        self.resume_banner.accepted.connect(self.context.workbench.open_run)
        self.context.workbench.learn_requested.connect(self.resume_banner.hide)
        self.transport.help_button.clicked.connect(self.help_sheet.toggle)
        self.help_sheet.tour_requested.connect(self.tour.start)
        self.drop_target.dropped.connect(self._open_dropped)
        self.tour.step_shown.connect(partial(self.show_view, 0))
        self.tour.step_shown.connect(partial(self.train_view.more_button.setChecked, False))
        self.context.workbench.learn_requested.connect(self.tour.end_if_last_step)
        self.rail.chosen.connect(self.show_view)
        self.rail.setup_toggled.connect(self.setup_drawer.setVisible)
        self.train_view.curves.notices.chip_changed.connect(partial(self.rail.show_news, VIEWS.index(TrainView)))
        self.context.workbench.branched.connect(partial(self.rail.setup_button.setChecked, True))
        self.setup_drawer.restart_button.visibility_changed.connect(self.transport.set_plain)
        self.context.workbench.changed.connect(self._point_to_waiting)
        self.context.workbench.learn_requested.connect(partial(self.rail.setup_button.setChecked, False))
        self.setup_drawer.field_marked.connect(partial(self.rail.setup_button.setChecked, True))
        ShortcutPriority(self, ("Ctrl+E", "Ctrl+D"))
        FocusFrame(self)
        for keys, act in self._shortcuts():
            QShortcut(keys, self, act, autoRepeat=keys in REPEATING_SHORTCUTS)

    def _shortcuts(self) -> tuple[tuple[str, Callable[[], object]], ...]:
        theme = self.context.theme
        return (
            ("Ctrl+E", self._toggle_setup),
            *((f"Ctrl+{index + 1}", partial(self.show_view, index)) for index in range(len(VIEWS))),
            ("Ctrl+R", self.transport.reset_button.click),
            ("Ctrl+Shift+R", self.transport.reset_to_next_seed),
            ("Ctrl+B", self.transport.branch_button.click),
            ("L", self.context.playhead.go_live),
            ("P", self.context.replay.toggle),
            ("Shift+P", self.context.replay.toggle_rewind),
            ("[", partial(self._step_sentence, -1)),
            ("]", partial(self._step_sentence, 1)),
            ("Ctrl+D", theme.toggle_mode),
            ("Ctrl++", theme.zoom_in),
            ("Ctrl+=", theme.zoom_in),
            ("Ctrl+-", theme.zoom_out),
            ("Ctrl+0", lambda: theme.set_zoom(100)),
            ("Esc", self._dismiss),
            ("F1", self.help_sheet.toggle),
        )

    def _step_sentence(self, by: int) -> None:
        """Go on or back among the sentences of the shown run, whichever view is open."""
        self.context.selection.step_sentence(self.context.bridge.shown.probes.sentences, by)

    def _dismiss(self) -> None:
        if self.help_sheet.isVisible():
            self.help_sheet.toggle()
        elif self.tour.isVisible():
            self.tour.end()
        else:
            self.trouble_strip.dismiss()

    def _accept_offer(self, offer: Offer) -> None:
        """Do what the strip's button offers: go on at a lower rate, or keep the run in another folder."""
        if offer == "lower_rate":
            self.trouble_strip.dismiss()
            self.context.workbench.continue_at_lower_rate()
            return
        run = self.context.workbench.run  # before the dialog: another run may be opened while it is up
        if (runs_dir := self.context.runs_directory.ask(self)) is not None:
            self.trouble_strip.dismiss()
            self.context.workbench.change_runs_dir(runs_dir, run)

    def _try_plugin(self, name: str) -> None:
        self.setup_drawer.choose_plugin(name)
        self.show_view(0)
        self.rail.setup_button.setChecked(True)

    def _open_dropped(self, paths: Sequence[Path]) -> None:
        """Open dropped archives of shared runs and files of settings; take all other files as texts to train on."""
        texts = []
        for path in paths:
            suffix = path.suffix.lower()
            if suffix == SUFFIX:
                self.runs_view.shared.open_file(path)
            elif suffix in SETTINGS_KINDS:
                self.setup_drawer.open_file(path)
                self.rail.setup_button.setChecked(True)
            else:
                texts.append(path)
        if texts:
            self._use_files(texts)

    def _use_files(self, paths: Sequence[Path]) -> None:
        """Take the user's own corpus; Setup says what each file was taken for.

        What was wrong with the data before would hide why these cannot be used.
        """
        self.trouble_strip.drop_outdated()
        self.setup_drawer.open_files(paths)
        self.rail.setup_button.setChecked(True)

    def _toggle_setup(self) -> None:
        """Open Setup with the focus on the drawer itself: Tab leads to its first field, and Space still learns."""
        self.rail.setup_button.toggle()
        if self.rail.setup_button.isChecked():
            self.setup_drawer.setFocus()

    def _note_run_end(self) -> None:
        self._since_run_end.start()
