"""Runs checks of plugins, one at a time, and keeps their reports until the plugins are reloaded."""

from __future__ import annotations

from concurrent.futures import Future
from functools import partial

from PySide6.QtCore import QObject, Signal

from core.answers.plugin_report import PluginReport
from core.events import Progress
from core.plugins_host.plugin_info import PluginInfo
from core.requests import CheckPlugin
from gui.bridge import EngineBridge


class PluginChecks(QObject):
    """`reports` is keyed by a plugin's origin, since two plugins may have the same name."""

    changed = Signal()

    def __init__(self, bridge: EngineBridge) -> None:
        super().__init__()
        self.reports: dict[str, PluginReport] = {}
        self.running: PluginInfo | None = None
        self.stage = ""  # what the running check is doing
        self._bridge = bridge
        self._answer: Future[PluginReport] | None = None
        bridge.progressed.connect(self._handle_progress)

    def start(self, info: PluginInfo) -> None:
        """Check this plugin, even while a run is learning; ends a check that is running."""
        self.running, self.stage = info, "starting"
        self.reports.pop(info.origin, None)
        request = CheckPlugin(plugin=info.name if info.package else info.origin)
        self._answer = self._bridge.ask(request, partial(self._handle_report, info), partial(self._handle_error, info))
        self.changed.emit()

    def stop(self) -> None:
        """End the running check without a report."""
        if self._answer is not None:
            self._answer.cancel()
            self._end()

    def clear(self) -> None:
        """Drop all reports: the plugins were reloaded, so they may no longer be true."""
        self.stop()
        self.reports.clear()
        self.changed.emit()

    def _handle_progress(self, progress: Progress) -> None:
        stage = progress.stage.rpartition(": ")[2]
        if self.running is not None and progress.stage.startswith("checking ") and stage != self.stage:
            self.stage = stage
            self.changed.emit()

    def _handle_report(self, info: PluginInfo, report: PluginReport) -> None:
        if info is self.running:  # else it was stopped, or another was started, after the engine had its report
            self.reports[info.origin] = report
            self._end()

    def _handle_error(self, info: PluginInfo, error: Exception) -> None:
        if info is self.running:
            self._bridge.show_refusal(error)
            self._end()

    def _end(self) -> None:
        self.running = self._answer = None
        self.changed.emit()
