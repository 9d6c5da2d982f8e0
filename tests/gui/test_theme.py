"""The theme's range of zoom, its fonts, and its grid."""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontDatabase
from PySide6.QtWidgets import QFormLayout, QGridLayout, QLayout, QStackedLayout
from pytestqt.qtbot import QtBot

from gui.main_window import MainWindow
from gui.theme import GRID, Theme
from gui.views.setup import SECTIONS
from tests.gui.test_legible import scenes


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


def distances(layout: QLayout) -> list[int]:
    """The margins of a layout and, if it has several parts, the spacing between them; in pixels."""
    margins, spacing = layout.contentsMargins(), [layout.spacing()]
    if isinstance(layout, QFormLayout | QGridLayout):
        spacing = [layout.horizontalSpacing(), layout.verticalSpacing()]
    return [margins.left(), margins.top(), margins.right(), margins.bottom(), *(spacing if layout.count() > 1 else [])]


def test_distances_lie_on_a_grid_of_8_pixels_or_halfway(window: MainWindow) -> None:
    for name in SECTIONS:
        window.setup_drawer.forms.form(name)
    assert GRID == 8 and list(scenes(window))  # which builds all views
    ignored = (window.layout(), *window.findChildren(QStackedLayout))  # they ignore their own
    laid_out = [one for one in window.findChildren(QLayout) if one not in ignored]
    assert len(laid_out) > 200
    assert [(one.parentWidget(), distances(one)) for one in laid_out if any(at % 4 for at in distances(one))] == []
