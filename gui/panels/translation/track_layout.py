"""Lays out tracks: one column per position, as wide as its longest token needs."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF

from gui.sentences.tracks import Track
from gui.theme import GRID, Theme

_LEAST_CELL = 56  # pixels
_WIDEST_CELL = 160


class TrackLayout:
    """Tracks below one another, with their names at the left and position numbers above. Lengths in logical pixels."""

    def __init__(self, tracks: tuple[Track, ...], theme: Theme) -> None:
        self.name_font, self.small_font, self.token_font = theme.font(), theme.token_font(0.85), theme.token_font()
        self.small_metrics, self.token_metrics = QFontMetricsF(self.small_font), QFontMetricsF(self.token_font)
        names = QFontMetricsF(self.name_font)
        self.num_positions = max(len(track.tokens) for track in tracks)
        self.left = max(names.horizontalAdvance(track.name) for track in tracks) + GRID
        self.tracks_top = self.small_metrics.height() + 2
        least, widest = theme.px(_LEAST_CELL), theme.px(_WIDEST_CELL)
        widths = [
            min(max(least, *(self._needed_width(track, index) for track in tracks)), widest)
            for index in range(self.num_positions)
        ]
        self._lefts = list(accumulate(widths, initial=self.left))
        self.box_height = self.token_metrics.height() + self.small_metrics.height() + GRID / 2
        heights = [self.box_height + (self.small_metrics.height() if _has_others(track) else 0.0) for track in tracks]
        self._tops = list(accumulate((height + GRID / 2 for height in heights), initial=self.tracks_top))

    @property
    def width(self) -> float:
        return self._lefts[-1] + 2

    @property
    def height(self) -> float:
        return self._tops[-1]

    def box(self, row: int, index: int) -> QRectF:
        """The coloured rectangle of one token."""
        left, right = self._lefts[index], self._lefts[index + 1]
        return QRectF(left, self._tops[row], right - left, self.box_height)

    def first_choice_rect(self, row: int, index: int) -> QRectF:
        """The line under the token, for the model's first choice."""
        box = self.box(row, index)
        return QRectF(box.left(), box.bottom() - 1, box.width(), self.small_metrics.height())

    def number_rect(self, index: int) -> QRectF:
        """The rectangle of a position's number."""
        return QRectF(self._lefts[index], 0, self._lefts[index + 1] - self._lefts[index], self.tracks_top)

    def compared_rect(self, index: int) -> QRectF:
        """One position across the first two tracks, which are compared."""
        left, right = self._lefts[index], self._lefts[index + 1]
        return QRectF(left, self.tracks_top, right - left, self._tops[2] - self.tracks_top - 2)

    def position_at(self, x: float) -> int | None:
        """The position at this x, or None."""
        return next(
            (index for index in range(self.num_positions) if self._lefts[index] <= x < self._lefts[index + 1]), None
        )

    def positions_within(self, left: float, right: float) -> range:
        """The positions that lie at least partly between these x."""
        first, behind = bisect_right(self._lefts, left) - 1, bisect_right(self._lefts, right)
        return range(max(first, 0), min(behind, self.num_positions))

    def _needed_width(self, track: Track, index: int) -> float:
        if index >= len(track.tokens):
            return 0.0
        other = f"✗ {track.first_choices[index]}"
        return (
            max(self.token_metrics.horizontalAdvance(track.tokens[index]), self.small_metrics.horizontalAdvance(other))
            + 2 * GRID
        )


def _has_others(track: Track) -> bool:
    return track.num_first_choices < len(track.tokens)
