"""Which attention heads a person has switched off, to see what the model does without them."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from core.answers.left_out import HeadPlace
from core.events import Prepared
from gui.bridge import EngineBridge


class HeadsOff(QObject):
    """The heads that are off; nothing of the run itself changes. Another model begins with all heads on."""

    changed = Signal()

    def __init__(self, bridge: EngineBridge) -> None:
        super().__init__()
        self.places: frozenset[HeadPlace] = frozenset()
        bridge.prepared.connect(self._begin_anew)

    def toggle(self, place: HeadPlace) -> None:
        """Switch one head off, or on again."""
        self._take(self.places ^ {place})

    def switch_off(self, places: Iterable[HeadPlace]) -> None:
        """Switch these off too."""
        self._take(self.places.union(places))

    def all_on(self) -> None:
        """Switch all heads on again."""
        self._take(frozenset())

    def _begin_anew(self, _: Prepared) -> None:
        self.all_on()

    def _take(self, places: frozenset[HeadPlace]) -> None:
        if places != self.places:
            self.places = places
            self.changed.emit()
