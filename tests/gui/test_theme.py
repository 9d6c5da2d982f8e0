"""The theme's range of zoom, and its fonts."""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontDatabase
from pytestqt.qtbot import QtBot

from gui.theme import Theme


def test_it_zooms_from_80_to_200_per_cent(qtbot: QtBot) -> None:
    theme = Theme(zoom=100)
    for zoom, end in ((theme.zoom_in, 200), (theme.zoom_out, 80)):
        for _ in range(20):
            zoom()
        assert theme.zoom == end


def test_fonts_are_the_systems_in_points_with_tabular_figures_and_families_for_all_tokens(qtbot: QtBot) -> None:
    theme, system = Theme(zoom=150), QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    for font in (theme.font(), theme.token_font()):
        assert font.families()[0] == system.family()
        assert font.pointSizeF() == 1.5 * max(system.pointSizeF(), 9.0)  # -1 if it is set in pixels
        assert font.featureValue(QFont.Tag("tnum")) == 1
    assert {"Noto Sans", "DejaVu Sans", "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei"} <= set(font.families())
