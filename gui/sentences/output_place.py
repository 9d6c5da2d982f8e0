"""The place in an output that is looked at: what stands before it has been written, what comes after it not yet."""

from __future__ import annotations

from collections.abc import Hashable

from PySide6.QtCore import QObject, Signal


class OutputPlace(QObject):
    """A place among `count` tokens. Whoever looks at the last one goes on looking at the last of the next output.

    `is_chosen`: somebody went to a place of this sentence's outputs, were it the one that was looked at before.
    """

    moved = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.place = self.count = 0
        self.is_chosen = False
        self._sentence: Hashable = None

    @property
    def is_last(self) -> bool:
        """Whether the whole output is looked at."""
        return self.place >= self.count - 1

    def take(self, count: int, sentence: Hashable) -> None:
        """Another output, of so many tokens; `sentence` is what it was asked of."""
        self.is_chosen, self._sentence = self.is_chosen and sentence == self._sentence, sentence
        self.place, self.count = count - 1 if self.is_last else min(self.place, count - 1), count
        self.moved.emit()

    def go_to(self, place: int) -> None:
        """Look at this place, or at the nearest there is."""
        place = min(max(place, 0), self.count - 1)
        if self.count and (place != self.place or not self.is_chosen):
            self.place, self.is_chosen = place, True
            self.moved.emit()

    def go_to_last(self) -> None:
        self.go_to(self.count - 1)
