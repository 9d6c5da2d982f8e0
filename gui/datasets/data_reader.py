"""Reads the prepared data of the engine's run for the window: the model behind the Data view."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from core.config import RunConfig
from core.data.prepared_data import PreparedData
from core.errors import UserError
from core.events import StateChanged
from core.overview.overview import summarise_data
from core.overview.records import DataOverview, Limits, length_limits
from core.requests import LocateData
from gui.bridge import EngineBridge
from gui.datasets.background_iterator import BackgroundIterator

WAITING = "Preparing the data …"
NO_DATA = "No data are prepared: choose a dataset in Setup, or drop your own files here."
NOT_AVAILABLE = (
    "This run's pairs are not available: it was shared without them, or its dataset's plugin no longer gives them."
)


class DataReader(QObject):
    """Maps the files that the engine prepared, and makes an overview of them while it is watched.

    Files are read beside the GUI thread, without torch. `data` includes the pairs that are too long to train on.
    """

    opened = Signal()  # other data were opened, or there are none now
    changed = Signal()  # `overview` has changed
    outdated_changed = Signal()  # `is_outdated` may have changed

    def __init__(self, bridge: EngineBridge) -> None:
        super().__init__()
        self.data: PreparedData | None = None
        self.config: RunConfig | None = None  # of `data`, with every `auto` resolved
        self.overview: DataOverview | None = None
        self.empty_reason = NO_DATA if bridge.state == "empty" else WAITING  # why there are no data
        self._bridge = bridge
        self._key: object = None  # identifies what was opened last
        self._is_watched = self._is_located = False  # `_is_located`: the engine was asked where the current data are
        self._is_superseded = False
        self._overview_work = BackgroundIterator[DataOverview](bridge, self._handle_overview)
        bridge.state_changed.connect(self._handle_state_changed)

    @property
    def limits(self) -> Limits:
        """The longest source and target that the run trains on, in tokens."""
        assert self.config is not None
        return length_limits(self.config)

    @property
    def is_outdated(self) -> bool:
        """Whether other data have been asked for since these were opened."""
        return self.data is not None and self._is_superseded

    def watch(self, is_watched: bool) -> None:
        """Read only while this is True: nobody sees the data otherwise."""
        self._is_watched = is_watched
        self._overview_work.watch(is_watched)
        self._locate()

    def _handle_state_changed(self, change: StateChanged) -> None:
        if change.state in ("preparing", "empty"):
            self._is_located = False
            self._set_superseded(True)
        if change.state == "empty":
            self._close(NO_DATA)
        self._locate()

    def _locate(self) -> None:
        has_data = self._bridge.state not in ("starting", "preparing", "empty")
        prepared = self._bridge.history.prepared
        if self._is_watched and has_data and not self._is_located and prepared is not None:
            self._is_located = True
            on_answer, on_error = partial(self._open, prepared.config), self._handle_locate_error
            self._bridge.ask(LocateData(), on_answer, on_error, self._handle_locate_cancelled)

    def _open(self, config: RunConfig, folder: Path | None) -> None:
        key = folder, config.dataset, config.training, config.seed
        if key == self._key:
            self._set_superseded(False)
        if folder is None:
            self._close(NOT_AVAILABLE)
        elif key != self._key:
            self._key = key
            on_opened, on_error = partial(self._handle_opened, key, config), partial(self._handle_open_error, key)
            self._bridge.run_in_background(partial(_open_all_pairs, folder, config), on_opened, on_error)

    def _handle_opened(
        self, key: object, config: RunConfig, opened: tuple[PreparedData, Iterator[DataOverview]]
    ) -> None:
        if key == self._key:
            self.data, overviews = opened
            self.config, self.overview = config, None
            self._set_superseded(False)
            self._overview_work.start(overviews)
            self.opened.emit()

    def _handle_locate_error(self, error: Exception) -> None:
        """The engine no longer has these data: ask again once the next are ready."""
        self._is_located = False
        if not isinstance(error, UserError):
            self._bridge.report(error)

    def _handle_locate_cancelled(self) -> None:
        """Something else was asked of the engine: ask again once its state has changed, or somebody looks again."""
        self._is_located = False

    def _handle_open_error(self, key: object, error: Exception) -> None:
        if key == self._key:  # else other data are being opened by now
            self._bridge.report(error)
            self._close(NO_DATA)

    def _close(self, note: str) -> None:
        self._key, self.empty_reason = None, note
        self.data = self.config = self.overview = None
        self._overview_work.start(None)
        self.opened.emit()

    def _set_superseded(self, is_superseded: bool) -> None:
        self._is_superseded = is_superseded
        self.outdated_changed.emit()

    def _handle_overview(self, overview: DataOverview) -> None:
        self.overview = overview
        self.changed.emit()


def _open_all_pairs(folder: Path, config: RunConfig) -> tuple[PreparedData, Iterator[DataOverview]]:
    """Open all pairs, whatever lengths the run allows, and begin their overview."""
    whole = config.dataset.model_copy(update={"max_src_length": "auto", "max_tgt_length": "auto"})
    data = PreparedData.open(folder, whole)
    return data, summarise_data(data, config)
