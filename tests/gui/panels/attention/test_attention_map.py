"""The large map: drawn from the probe at the playhead, read by mouse and keyboard."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from core.events import ProbeDone
from core.history import History
from core.probes import Probe
from gui.heads.head_picture import DIVERGED, HeadPicture, alignment_help, chosen_head
from gui.main_window import MainWindow
from gui.panels.attention.attention_map import AttentionMap, MapCanvas
from gui.panels.attention.colour_bar import paint_colour_bar
from gui.pictures.colour_map import attention_table
from gui.sentences.selection import Selection
from gui.theme import Theme
from tests.gui.builders import aligned_sentence, diverged, sentence
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none
from tests.gui.waiting import wait_for

Stage = Callable[[QWidget, int, int], None]


@pytest.fixture
def panel(stage: Stage, theme: Theme) -> AttentionMap:
    """The panel on the screen, still empty."""
    made = AttentionMap(theme, Selection())
    stage(made, 700, 420)
    return made


def colour_at(panel: AttentionMap, row: int, column: int) -> QColor:
    """The colour in the middle of a cell."""
    centre = cell(panel, row, column).center().toPoint()
    return panel.canvas.grab().toImage().pixelColor(centre)


def cell(panel: AttentionMap, row: int, column: int) -> QRectF:
    return panel.canvas._layout(picture_of(panel)).cell(row, column)


def picture_of(panel: AttentionMap) -> HeadPicture:
    return not_none(panel.canvas.picture)


def test_a_weight_has_its_colour_and_is_read_out(panel: AttentionMap, history: History, qtbot: QtBot) -> None:
    panel.show_step(history, 300)
    assert panel.title_label.text() == "Cross-attention, layer 2 head 1, teacher-forced · step 300"
    weights = picture_of(panel).weights
    for row, column in ((0, 0), (0, 1), (2, 0)):
        expected = QColor(int(attention_table("light")[round(float(weights[row, column]) * 255)]))
        assert colour_at(panel, row, column) == expected
    qtbot.mouseMove(panel.canvas, cell(panel, 1, 2).center().toPoint())
    assert panel.canvas.readout() == f"i → want  reads from  <eos>  with weight {float(weights[1, 2]):.3f}"
    assert panel.canvas.readout() in [label.text() for label in panel.findChildren(QLabel)]


def test_arrow_keys_read_the_weights_and_wrap_around(panel: AttentionMap, history: History, qtbot: QtBot) -> None:
    panel.show_step(history, 300)
    qtbot.keyClick(panel.canvas, Qt.Key.Key_Down)
    assert panel.canvas.readout().startswith("i → want  reads from  ich")
    qtbot.keyClick(panel.canvas, Qt.Key.Key_Up)
    qtbot.keyClick(panel.canvas, Qt.Key.Key_Left)
    assert panel.canvas.readout().startswith("<bos> → i  reads from  <eos>")
    assert panel.canvas.accessibleDescription() == panel.canvas.readout()


def test_it_shows_the_newest_probe_at_or_before_the_playhead(panel: AttentionMap, history: History) -> None:
    for step, shown in ((400, 300), (299, 100), (0, 0)):
        panel.show_step(history, step)
        assert panel.title_label.text().endswith(f"step {shown}")


def test_without_a_probe_it_says_so(panel: AttentionMap, history: History) -> None:
    panel.show_step(history, 300)
    assert panel.title_label.toolTip()
    panel.show_step(History(), 0)
    assert panel.empty_label.isVisible() and panel.empty_label.text() == panel.empty_sentence
    assert not panel.title_label.toolTip(), "it would explain a map that is not shown"


def test_masked_cells_are_hatched_and_read_out_as_masked(panel: AttentionMap, history: History, qtbot: QtBot) -> None:
    panel._selection.choose(kind="decoder_self")
    panel.show_step(history, 300)
    qtbot.keyClick(panel.canvas, Qt.Key.Key_Right)
    assert panel.canvas.readout() == "<bos> → i  may not see  i: it comes later"
    image, area = panel.canvas.grab().toImage(), cell(panel, 0, 2).toRect().adjusted(4, 4, -4, -4)
    colours = {image.pixel(x, y) for x in range(area.left(), area.right()) for y in range(area.top(), area.bottom())}
    assert len(colours) > 1
    allowed = cell(panel, 2, 0).toRect().adjusted(4, 4, -4, -4)
    plain = {image.pixel(x, allowed.center().y()) for x in range(allowed.left(), allowed.right())}
    assert len(plain) == 1


def test_gold_alignments_are_outlined(panel: AttentionMap, history: History, theme: Theme) -> None:
    aligned = replace(sentence(), alignment=((1, 0),))
    history.probes._recent.put(300, Probe(step=300, sentences=(aligned,)))
    panel.show_step(history, 300)
    image, area = panel.canvas.grab().toImage(), cell(panel, 0, 1).toRect()
    edge = {
        image.pixelColor(x, y).name()
        for x in range(area.left(), area.right())
        for y in range(area.top(), area.top() + 4)
    }
    assert theme.colours.validation in edge


def test_the_legend_gives_the_alignment_score_of_the_head(panel: AttentionMap, history: History) -> None:
    for step, reads in ((310, (0, 0, 0)), (320, (1, 0, 2)), (330, (1, 0, 2))):
        history.apply(ProbeDone(probe=Probe(step=step, sentences=(aligned_sentence(reads),))))
    for head, step, score in ((2, 310, "0.50"), (2, 330, "1.00 since step 320"), (1, 330, "0.00")):
        panel._selection.choose(head=head)
        panel.show_step(history, step)
        rows = f"Rows: token → prediction. Dashed: alignment; this head {score}."
        assert panel.canvas.legend() == f"Columns: read from. {rows}"
        assert panel.canvas.legend() in [label.text() for label in panel.findChildren(QLabel)]
        assert panel.readout.toolTip().endswith(alignment_help("this head"))
    for choice in ({"pooled": "mean"}, {"pooled": "", "free_running": True}):
        panel._selection.choose(**choice)
        panel.show_step(history, 330)
        assert "this head" not in panel.canvas.legend() + panel.readout.toolTip()


def test_a_narrow_map_says_nothing_of_its_columns_rather_than_cut_its_score(
    panel: AttentionMap, history: History, qtbot: QtBot
) -> None:
    history.apply(ProbeDone(probe=Probe(step=310, sentences=(aligned_sentence(),))))
    panel.show_step(history, 310)

    def begins_with(text: str) -> bool:
        return panel.readout.text().startswith(text)

    for width, beginning in ((460, "Rows:"), (700, "Columns: read from. Rows:")):
        panel.resize(width, panel.height())
        wait_for(qtbot, begins_with, beginning)
        assert panel.readout.fontMetrics().horizontalAdvance(panel.readout.text()) < panel.readout.width()
        assert panel.canvas.legend() in panel.readout.toolTip()


def test_gold_alignments_are_visible_on_every_colour_of_a_difference(stage: Stage, theme: Theme) -> None:
    """Drawn in two colours, neither of them the orange that means more."""
    canvas = MapCanvas(theme)
    stage(canvas, 600, 400)
    gold = ((0, 0), (0, 1), (1, 1))
    weights = np.array([[1.0, -1.0], [1.0, 0.0]], np.float32)
    picture = HeadPicture(weights, ("a → b", "c → d"), ("x", "y"), is_causal=False, alignment=gold, baseline="step 3")
    canvas.show_picture(picture)
    image = canvas.grab().toImage()
    for row, column in np.ndindex(2, 2):
        area = canvas._layout(picture).cell(row, column).toRect()
        seen = {image.pixelColor(x, area.top() + y).name() for x in range(area.left(), area.right()) for y in range(4)}
        assert ({theme.colours.muted, theme.colours.surface} <= seen) == ((row, column) in gold)
        assert theme.colours.validation not in seen
    assert canvas.legend().endswith("Orange: more than step 3; blue: less. Dashed: the dataset's alignment.")


def test_nothing_is_read_out_of_a_diverged_head_but_why_it_is_blank(
    panel: AttentionMap, history: History, qtbot: QtBot
) -> None:
    panel.show_step(history, 300)
    qtbot.keyClick(panel.canvas, Qt.Key.Key_Down)
    assert panel.canvas.readout() != ""
    history.apply(ProbeDone(probe=Probe(step=310, sentences=(diverged(sentence()),))))
    panel.show_step(history, 310)
    assert panel.readout.text().endswith(DIVERGED) and panel.canvas.accessibleDescription() == ""


def test_a_smaller_head_clears_the_readout_of_a_cell_it_lacks(
    panel: AttentionMap, history: History, qtbot: QtBot
) -> None:
    panel._selection.choose(sentence="du willst bier")
    panel.show_step(history, 300)
    qtbot.mouseMove(panel.canvas, cell(panel, 0, 3).center().toPoint())
    assert "bier" in panel.canvas.readout() or "<eos>" in panel.canvas.readout()
    panel._selection.choose(sentence="ich will")
    panel.show_step(history, 300)
    assert panel.canvas.readout() == ""


def test_the_theme_can_be_switched(panel: AttentionMap, history: History, theme: Theme) -> None:
    panel.show_step(history, 300)
    theme.set_mode("dark")
    corner = panel.canvas.grab().toImage().pixelColor(QPoint(1, 1))
    assert corner.lightness() < 64
    weight = float(picture_of(panel).weights[0, 0])
    assert colour_at(panel, 0, 0) == QColor(int(attention_table("dark")[round(weight * 255)]))


def test_the_map_shows_the_chosen_head_of_the_probe(window: MainWindow, qtbot: QtBot) -> None:
    panel, selection = window.train_view.attention_map, window.context.selection
    probe = not_none(window.context.bridge.history.probes.at(0))
    qtbot.waitUntil(lambda: panel.canvas.picture is not None, timeout=WAIT_MS)
    for kind in ("encoder_self", "decoder_self", "cross"):
        selection.choose(kind=kind, head=1)
        expected = chosen_head(probe.sentences[0], selection)
        wait_for(qtbot, lambda weights: np.array_equal(picture_of(panel).weights, weights), expected.weights)
        assert picture_of(panel).rows == expected.rows
        assert picture_of(panel).is_causal == (kind == "decoder_self")


def test_the_highest_number_of_the_scale_is_whole_beside_a_map_without_labels(theme: Theme) -> None:
    """Such a map, of a long sentence, begins at the upper edge."""

    def ink(top: float) -> int:
        image = QImage(120, 240, QImage.Format.Format_RGB32)
        image.fill(QColor("white"))
        with QPainter(image) as painter:
            painter.setFont(theme.font())
            paint_colour_bar(painter, QRectF(10, top, 12, 150), "light", QColor("black"), square_root=False)
        beside = ((x, y) for x in range(26, 120) for y in range(int(top) + 20))
        return sum(image.pixelColor(x, y).lightness() < 128 for x, y in beside)

    assert ink(0.0) >= 0.8 * ink(40.0) > 0


@pytest.mark.parametrize("square_root", [False, True])
def test_the_scale_beside_the_map_runs_from_0_to_1(panel: AttentionMap, history: History, square_root: bool) -> None:
    panel._selection.choose(square_root=square_root)
    panel.show_step(history, 300)
    image, grid = panel.canvas.grab().toImage(), panel.canvas._layout(picture_of(panel)).grid.toRect()
    table, x = attention_table("light"), grid.right() + 22  # in the middle of the bar
    for y, expected in ((grid.bottom() - 2, table[1]), (grid.top() + 2, table[254])):
        assert abs(image.pixelColor(x, y).lightness() - QColor(int(expected)).lightness()) <= 4
    quarter = range(grid.bottom() - grid.height() // 4 - 3, grid.bottom() - grid.height() // 4 + 4)
    ink = {image.pixelColor(x, y).name() for x in range(grid.right() + 30, image.width()) for y in quarter}
    assert (len(ink) > 1) == (not square_root)  # 0.25 is written there, or at half the height
