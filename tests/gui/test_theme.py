"""The theme's range of zoom."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from gui.theme import Theme


def test_it_zooms_from_80_to_200_per_cent(qtbot: QtBot) -> None:
    theme = Theme(zoom=100)
    for zoom, end in ((theme.zoom_in, 200), (theme.zoom_out, 80)):
        for _ in range(20):
            zoom()
        assert theme.zoom == end
