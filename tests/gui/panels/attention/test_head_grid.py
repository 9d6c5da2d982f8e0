"""The grid of all heads: each is drawn, and one is chosen."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor, QHelpEvent, QImage
from PySide6.QtWidgets import QApplication, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from core.events import ProbeDone
from core.history import History
from core.probes import Probe
from gui.heads.head_picture import DIVERGED
from gui.panels.attention.head_grid import HeadGrid
from gui.pictures.colour_map import attention_table
from gui.sentences.selection import Selection
from gui.theme import Theme
from gui.widgets.dynamic_labels import elided_title
from tests.gui.builders import aligned_sentence, diverged, sentence

Stage = Callable[[QWidget, int, int], None]


@pytest.fixture
def panel(stage: Stage, theme: Theme, history: History) -> HeadGrid:
    """The heads of all kinds at step 300: six rows of four."""
    made = HeadGrid(theme, Selection(), all_kinds=True)
    stage(made, 560, 420)
    made.show_step(history, 300)
    return made


def test_every_head_is_drawn_in_its_cell(panel: HeadGrid, history: History) -> None:
    probe = history.probes.at(300)
    assert probe is not None
    image = panel.canvas.grab().toImage()
    weights = probe.sentences[0].encoder_self
    for layer in range(2):
        for head in range(4):
            area = panel.canvas.cell(layer, head)
            for index in range(3):  # along the diagonal
                x, y = (area.left() + area.width() * (index + 0.5) / 3, area.top() + area.height() * (index + 0.5) / 3)
                weight = float(weights[layer, head, index, index])
                assert image.pixelColor(int(x), int(y)) == QColor(int(attention_table("light")[round(weight * 255)]))


def test_a_click_chooses_the_head(panel: HeadGrid, qtbot: QtBot) -> None:
    qtbot.mouseClick(panel.canvas, Qt.MouseButton.LeftButton, pos=panel.canvas.cell(3, 2).center().toPoint())
    chosen = panel._selection.chosen
    assert (chosen.kind, chosen.layer, chosen.head) == ("decoder_self", 1, 2)
    assert panel.canvas.chosen_cell() == (3, 2)


def test_arrow_keys_move_between_heads_and_kinds(panel: HeadGrid, qtbot: QtBot) -> None:
    panel._selection.choose(kind="encoder_self", layer=1, head=0)
    qtbot.keyClick(panel.canvas, Qt.Key.Key_Right)
    qtbot.keyClick(panel.canvas, Qt.Key.Key_Down)
    chosen = panel._selection.chosen
    assert (chosen.kind, chosen.layer, chosen.head) == ("decoder_self", 0, 1)
    spoken = panel.canvas.accessibleDescription()
    assert spoken.startswith("Decoder self-attention, layer 1, head 2. Entropy "), "to a screen reader"


def test_the_chosen_head_is_framed(panel: HeadGrid, theme: Theme) -> None:
    panel._selection.choose(kind="cross", layer=0, head=3)
    area = panel.canvas.cell(4, 3).toRect()
    image = panel.canvas.grab().toImage()
    edge = {image.pixelColor(x, area.center().y()).name() for x in range(area.left() - 2, area.left() + 3)}
    assert theme.colours.training in edge


def test_a_grid_of_one_kind_has_its_layers_as_rows(qtbot: QtBot, theme: Theme, history: History) -> None:
    selection = Selection()
    grid = HeadGrid(theme, selection, all_kinds=False)
    qtbot.addWidget(grid)
    selection.choose(kind="decoder_self")
    grid.show_step(history, 300)
    assert [(row.kind, row.layer) for row in grid.canvas.rows] == [("decoder_self", 0), ("decoder_self", 1)]


def test_without_a_probe_it_says_so(panel: HeadGrid) -> None:
    panel.show_step(History(), 0)
    assert panel.empty_label.text() == panel.empty_sentence and panel.empty_label.isVisible()


def test_the_head_with_the_best_alignment_is_named_and_marked(panel: HeadGrid, history: History) -> None:
    assert panel.title_label.text() == f"{panel.title} · step 300"  # this history has no gold alignments
    for step, reads in ((310, (0, 0, 0)), (320, (1, 0, 2)), (330, (1, 0, 2))):
        history.apply(ProbeDone(probe=Probe(step=step, sentences=(aligned_sentence(reads),))))
    panel.show_step(history, 310)
    assert panel.title_label.text() == "All heads · best alignment 0.50: cross 2 head 3 · step 310"
    plain = panel.canvas.grab().toImage()
    panel.show_step(history, 330)
    assert panel.title_label.text() == "All heads · ◆ alignment 1.00: cross 2 head 3 since 320 · step 330"
    label = panel.title_label
    seen = elided_title(label.text(), label.fontMetrics(), label.fontMetrics().horizontalAdvance(label.text()) * 3 // 4)
    assert "1.00" in seen and "…" in seen  # the score stays, however narrow the title
    assert mark_in(panel, 5, 2, plain) and not mark_in(panel, 5, 1, plain) and not mark_in(panel, 3, 2, plain)


def test_the_best_head_has_the_mark_that_its_discovery_has_among_the_ticks(panel: HeadGrid, history: History) -> None:
    """There, a star would mean the best validation."""
    for step, reads in ((310, (0, 0, 0)), (320, (1, 0, 2))):
        history.apply(ProbeDone(probe=Probe(step=step, sentences=(aligned_sentence(reads),))))
    panel.show_step(history, 320)
    assert tooltip_of(panel, 5, 2).count("the best head's since 320 (◆)") == 1 and "◆" not in tooltip_of(panel, 5, 1)
    corner = panel.canvas.cell(5, 2).toRect()
    corner.setLeft(corner.right() - 12)
    corner.setHeight(14)
    seen = panel.canvas.grab().toImage().copy(corner)
    colours = {seen.pixelColor(x, y).name() for x in range(seen.width()) for y in range(seen.height())}
    assert panel.theme.colours.good in colours and panel.theme.colours.validation not in colours


def test_every_cross_attention_head_has_its_alignment_score(panel: HeadGrid, history: History) -> None:
    assert "Alignment" not in tooltip_of(panel, 5, 2)
    history.apply(ProbeDone(probe=Probe(step=310, sentences=(aligned_sentence((1, 2, 2)), sentence()))))
    history.apply(ProbeDone(probe=Probe(step=320, sentences=(aligned_sentence(), sentence()))))
    for step, score in ((310, "0.50"), (320, "1.00")):
        panel.show_step(history, step)
        scores = {(row, head): tooltip_of(panel, row, head) for row in range(6) for head in range(4)}
        assert all(("Alignment 0.00" in text) == (place[0] > 3) for place, text in scores.items() if place != (5, 2))
        assert f"Alignment {score}" in scores[5, 2]
        in_csv = {tuple(line[:4]) for line in panel.numbers()}
        assert ("cross", 2, 3, float(score)) in in_csv and ("cross", 1, 4, 0.0) in in_csv
        assert ("encoder_self", 2, 3, "") in in_csv and ("decoder_self", 2, 3, "") in in_csv
    panel.with_entropy = True
    assert [line[3] for line in panel.numbers() if line[:3] == ("cross", 2, 3)] == [1.0]


def test_a_diverged_head_has_no_entropy_but_says_why_it_is_blank(panel: HeadGrid, history: History) -> None:
    history.apply(ProbeDone(probe=Probe(step=310, sentences=(diverged(sentence()), sentence()))))
    panel.with_entropy = True
    panel.show_step(history, 300)
    assert "nats" in tooltip_of(panel, 5, 2) and len(colours_below(panel, 5, 2)) > 1
    panel.show_step(history, 310)
    assert DIVERGED in tooltip_of(panel, 5, 2) and "nats" not in tooltip_of(panel, 5, 2)
    assert len(colours_below(panel, 5, 2)) == 1


def colours_below(panel: HeadGrid, row: int, head: int) -> set[int]:
    """The colours of the line below a head, in which its entropy is written."""
    line = panel.canvas._layout().note(row, head).adjusted(0, 2, 0, 0)  # without the frame of the head
    below = panel.canvas.grab().toImage().copy(line.toRect())
    return {below.pixel(x, y) for x in range(below.width()) for y in range(below.height())}


def tooltip_of(panel: HeadGrid, row: int, head: int) -> str:
    """The tooltip of a head."""
    place = panel.canvas.cell(row, head).center().toPoint()
    QApplication.sendEvent(panel.canvas, QHelpEvent(QEvent.Type.ToolTip, place, panel.canvas.mapToGlobal(place)))
    return QToolTip.text()


def mark_in(panel: HeadGrid, row: int, head: int, plain: QImage) -> bool:
    """Whether the upper right corner of a head differs from that of a picture without marks."""
    corner = panel.canvas.cell(row, head).toRect()
    corner.setLeft(corner.right() - 12)
    corner.setHeight(12)
    return panel.canvas.grab().toImage().copy(corner) != plain.copy(corner)
