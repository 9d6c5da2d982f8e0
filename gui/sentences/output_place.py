"""The place in an output that is looked at: what stands before it has been written, what comes after it not yet."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal


class OutputPlace(QObject):
    """A place among `count` tokens. Whoever looks at the last one goes on looking at the last of the next output."""

    moved = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.place = self.count = 0

    @property
    def is_last(self) -> bool:
        """Whether the whole output is looked at."""
        return self.place >= self.count - 1

    def take(self, count: int) -> None:
        """Another output, of so many tokens."""
        self.place, self.count = count - 1 if self.is_last else min(self.place, count - 1), count
        self.moved.emit()

    def go_to(self, place: int) -> None:
        """Look at this place, or at the nearest there is."""
        place = min(max(place, 0), self.count - 1)
        if self.count and place != self.place:
            self.place = place
            self.moved.emit()

    def go_to_last(self) -> None:
        self.go_to(self.count - 1)
