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
from core.overview.records import DataOverview, Limits, limits_of
from core.requests import LocateData
from gui.bridge import EngineBridge
from gui.piecemeal import Piecemeal

WAITING = "Preparing the data …"
NOTHING = "No data are prepared: choose a dataset in Setup, or drop your own files here."
NOT_AT_HAND = (
    "This run's pairs are not available: it was shared without them, or its dataset's plugin now gives different pairs."
)


class DataLook(QObject):
    """Maps the files that the engine prepared, and makes an overview of them while it is watched.

    Files are read beside the GUI thread, without torch. `data` includes the pairs that are too long to train on.
    """

    opened = Signal()  # other data were opened, or there are none now
    changed = Signal()  # `overview` has changed
    aged = Signal()  # `is_outdated` may have changed

    def __init__(self, bridge: EngineBridge) -> None:
        super().__init__()
        self.data: PreparedData | None = None
        self.config: RunConfig | None = None  # of `data`, with every `auto` resolved
        self.overview: DataOverview | None = None
        self.note = NOTHING if bridge.state == "empty" else WAITING  # why there are no data
        self._bridge = bridge
        self._key: object = None  # identifies what was opened last
        self._is_watched = self._is_known = False  # `_is_known`: the engine was asked where the current data are
        self._is_of_before = False
        self._looking = Piecemeal[DataOverview](bridge, self._take_overview)
        bridge.state_changed.connect(self._follow)

    @property
    def limits(self) -> Limits:
        """The longest source and target that the run trains on, in tokens."""
        assert self.config is not None
        return limits_of(self.config)

    @property
    def is_outdated(self) -> bool:
        """Whether other data have been asked for since these were opened."""
        return self.data is not None and self._is_of_before

    def watch(self, is_watched: bool) -> None:
        """Read only while this is True: nobody sees the data otherwise."""
        self._is_watched = is_watched
        self._looking.watch(is_watched)
        self._locate()

    def _follow(self, change: StateChanged) -> None:
        if change.state in ("preparing", "empty"):
            self._is_known = False
            self._age(True)
        if change.state == "empty":
            self._forget(NOTHING)
        self._locate()

    def _locate(self) -> None:
        has_data = self._bridge.state not in ("starting", "preparing", "empty")
        prepared = self._bridge.history.prepared
        if self._is_watched and has_data and not self._is_known and prepared is not None:
            self._is_known = True
            self._bridge.ask(LocateData(), partial(self._open, prepared.config), self._miss)

    def _open(self, config: RunConfig, folder: Path | None) -> None:
        key = folder, config.dataset, config.training, config.seed
        if key == self._key:
            self._age(False)
        if folder is None:
            self._forget(NOT_AT_HAND)
        elif key != self._key:
            self._key = key
            take, fail = partial(self._take, key, config), partial(self._fail, key)
            self._bridge.run_in_background(partial(_opened, folder, config), take, fail)

    def _take(self, key: object, config: RunConfig, opened: tuple[PreparedData, Iterator[DataOverview]]) -> None:
        if key == self._key:
            self.data, looking = opened
            self.config, self.overview = config, None
            self._age(False)
            self._looking.begin(looking)
            self.opened.emit()

    def _miss(self, error: Exception) -> None:
        """The engine no longer has these data: ask again once the next are ready."""
        self._is_known = False
        if not isinstance(error, UserError):
            self._bridge.report(error)

    def _fail(self, key: object, error: Exception) -> None:
        if key == self._key:  # else other data are being opened by now
            self._bridge.report(error)
            self._forget(NOTHING)

    def _forget(self, note: str) -> None:
        self._key, self.note = None, note
        self.data = self.config = self.overview = None
        self._looking.begin(None)
        self.opened.emit()

    def _age(self, is_of_before: bool) -> None:
        self._is_of_before = is_of_before
        self.aged.emit()

    def _take_overview(self, overview: DataOverview) -> None:
        self.overview = overview
        self.changed.emit()


def _opened(folder: Path, config: RunConfig) -> tuple[PreparedData, Iterator[DataOverview]]:
    """Open all pairs, whatever lengths the run allows, and begin their overview."""
    whole = config.dataset.model_copy(update={"max_src_length": "auto", "max_tgt_length": "auto"})
    data = PreparedData.open(folder, whole)
    return data, summarise_data(data, config)
