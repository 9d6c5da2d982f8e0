"""The dataset plugins known to the window: the model behind Setup's choice of dataset and the Plugins view."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from core.events import Prepared
from core.new_plugin import require_new_name, write_plugin
from core.plugins_host.discovery import user_plugins_dir
from core.plugins_host.errors import PluginError
from core.plugins_host.host import PluginHost
from core.plugins_host.plugin_info import PluginInfo
from core.requests import ReloadPlugins
from gui.bridge import EngineBridge, OnDone, OnError


class PluginCatalogue(QObject):
    """Reads the plugins beside the GUI thread, in its own plugin process, so that no run is disturbed.

    When the window opens, the engine's plugin process lists them; ours is started only when it is first needed.
    """

    changed = Signal()  # `infos` has changed
    busy_changed = Signal()  # `is_reading` may have changed
    faults_changed = Signal()  # `faults` has changed
    reloaded = Signal()  # the files were read again; the next preparation uses their code

    def __init__(self, bridge: EngineBridge) -> None:
        super().__init__()
        self.host = PluginHost()
        self.folder = user_plugins_dir()
        self.infos: list[PluginInfo] = []
        self.faults: dict[str, str] = {}  # name of a plugin -> why its data could not be prepared
        self.is_reading = True
        self._bridge = bridge
        bridge.run_in_background(self._read_first, self._handle_read, self._handle_error)
        bridge.prepared.connect(self._handle_prepared)

    def reload(self) -> None:
        """Read the plugin files again. A run that has begun keeps the code it began with."""
        self.is_reading = True
        self._bridge.ask(ReloadPlugins())
        self._bridge.run_in_background(self._reread, self._handle_reread, self._handle_error)
        self.busy_changed.emit()

    def write_new(self, name: str, on_done: OnDone[Path], on_error: OnError) -> None:
        """Write a new plugin of this name into the user's folder, and list it."""

        def on_written(path: Path) -> None:
            self.reload()
            on_done(path)

        self._bridge.run_in_background(partial(self._write, name), on_written, on_error)

    def record_fault(self, name: str, sentence: str) -> None:
        """Note why a plugin's data could not be prepared, until they can be or the plugins are reloaded."""
        self.faults[name] = sentence
        self.faults_changed.emit()

    def close(self) -> None:
        """End our plugin process for good."""
        self.host.close()

    def _read_first(self) -> list[PluginInfo]:
        try:
            return self._bridge.engine.plugins()
        except PluginError:  # another request to the engine interrupted its plugin host
            return self.host.plugins()

    def _reread(self) -> list[PluginInfo]:
        self.host.reset()
        return self.host.plugins()

    def _write(self, name: str) -> Path:
        require_new_name(name, self.host.plugins())
        return write_plugin(name, self.folder)[0]

    def _handle_read(self, infos: list[PluginInfo]) -> None:
        self.is_reading = False
        if infos != self.infos:
            self.infos = infos
            self.changed.emit()
        self.busy_changed.emit()

    def _handle_prepared(self, prepared: Prepared) -> None:
        if self.faults.pop(prepared.config.dataset.plugin, None) is not None:
            self.faults_changed.emit()

    def _handle_reread(self, infos: list[PluginInfo]) -> None:
        self.faults.clear()
        self._handle_read(infos)
        self.reloaded.emit()

    def _handle_error(self, error: Exception) -> None:
        self.is_reading = False
        self.busy_changed.emit()
        self._bridge.report(error)
