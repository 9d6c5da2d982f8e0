"""The small curves in a table."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from gui.panels.runs.sparkline_delegate import points_of

ROOM = QRectF(10, 20, 30, 40)


def test_the_largest_value_is_at_the_top_and_zero_at_the_bottom() -> None:
    assert [(point.x(), point.y()) for point in points_of((4.0, 2.0, 0.0), ROOM)] == [(10, 20), (25, 40), (40, 60)]


def test_a_single_value_is_a_horizontal_line() -> None:
    assert [(point.x(), point.y()) for point in points_of((0.5,), ROOM)] == [(10, 20), (40, 20)]


def test_losses_of_zero_lie_at_the_bottom() -> None:
    assert {point.y() for point in points_of((0.0, 0.0), ROOM)} == {60}
