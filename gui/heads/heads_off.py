"""Which attention heads the user has switched off, to see what the model does without them."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from core.answers.head_ablation import HeadId
from gui.bridge import EngineBridge

_NOT_HERE = "Heads can be switched off only in this window's own model: stop following the other run in Runs first"


class HeadsOff(QObject):
    """The heads that are off. The run itself is not changed; another model begins with all heads on.

    They belong to this window's own model: while another run is followed, none of the shown heads is off.
    """

    changed = Signal()  # `places` has changed

    def __init__(self, bridge: EngineBridge) -> None:
        super().__init__()
        self._bridge = bridge
        self._own: frozenset[HeadId] = frozenset()
        self._told = self._own
        bridge.prepared.connect(self.all_on)
        bridge.shown_changed.connect(self._tell)

    @property
    def why_not(self) -> str:
        """Why the shown heads cannot be switched, and what to do; empty if they can."""
        return _NOT_HERE if self._bridge.followed is not None else ""

    @property
    def places(self) -> frozenset[HeadId]:
        """The heads of the shown model that are off."""
        return frozenset() if self.why_not else self._own

    def toggle(self, place: HeadId) -> None:
        """Switch one head off, or on again."""
        self._take(self._own ^ {place})

    def switch_off(self, places: Iterable[HeadId]) -> None:
        """Switch these off too."""
        self._take(self._own.union(places))

    def all_on(self) -> None:
        """Switch all heads on again."""
        self._take(frozenset())

    def _take(self, places: frozenset[HeadId]) -> None:
        self._own = places
        self._tell()

    def _tell(self) -> None:
        if self.places != self._told:
            self._told = self.places
            self.changed.emit()
