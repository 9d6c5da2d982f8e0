"""The viewed position in an output: tokens up to it count as written, those after it as still to come."""

from __future__ import annotations

from collections.abc import Hashable

from PySide6.QtCore import QObject, Signal


class OutputPosition(QObject):
    """A position among `count` tokens. If it is the last one, it stays the last when the output changes.

    `is_chosen` says whether the user went to a position in an output of this sentence, even to the one shown already.
    Only then `moved` is emitted: another output is drawn whole, with its position.
    """

    moved = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.index = self.count = 0
        self.is_chosen = False
        self._sentence: Hashable = None

    @property
    def is_last(self) -> bool:
        """Whether the whole output counts as written."""
        return self.index >= self.count - 1

    def set_output(self, count: int, sentence: Hashable) -> None:
        """Take another output, of `count` tokens, of this sentence."""
        self.is_chosen, self._sentence = self.is_chosen and sentence == self._sentence, sentence
        self.index, self.count = count - 1 if self.is_last else min(self.index, count - 1), count

    def go_to(self, index: int) -> None:
        """Go to this position, or to the nearest that exists."""
        index = min(max(index, 0), self.count - 1)
        if self.count and (index != self.index or not self.is_chosen):
            self.index, self.is_chosen = index, True
            self.moved.emit()

    def go_to_last(self) -> None:
        self.go_to(self.count - 1)
