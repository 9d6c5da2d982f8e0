"""The model diagram, pointed at by mouse and keyboard."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from core.history import History
from gui.panels.anatomy.box_texts import box_texts
from gui.panels.anatomy.model_blocks import model_blocks
from gui.panels.anatomy.model_diagram import ModelTopic
from gui.theme import GRID, Theme

Show = Callable[[QWidget, int, int], None]


@pytest.fixture
def topic(theme: Theme, history: History, stage: Show) -> ModelTopic:
    made = ModelTopic(theme)
    stage(made, 1000, 640)
    made.show_step(history, 0)
    return made


def test_with_nothing_prepared_it_says_what_to_do(theme: Theme, stage: Show) -> None:
    topic = ModelTopic(theme)
    stage(topic, 1000, 640)
    topic.show_step(History(), 0)
    assert topic.empty_label.isVisible() and "Choose a dataset" in topic.empty_label.text()


def test_pointing_at_a_box_explains_it(topic: ModelTopic, history: History, qtbot: QtBot) -> None:
    assert history.prepared is not None
    stacks = model_blocks(history.prepared)
    assert topic.title_label.text() == f"The whole model · {stacks.total:,} parameters"
    for column, blocks in enumerate((stacks.encoder, stacks.decoder)):
        for index, block in enumerate(blocks):
            rect = topic.canvas.rect_of(column, index)
            assert topic.canvas.rect().contains(rect.toAlignedRect())
            qtbot.mouseMove(topic.canvas, rect.center().toPoint())
            assert topic.readout_label.text().startswith(f"{block.name} {block.shape}: ")
    topic.canvas.grab()


def test_the_letters_for_lengths_in_shapes_are_explained(topic: ModelTopic) -> None:
    shapes = [str(shape) for _, _, shape, *_ in topic.numbers()[1:]]
    assert {shape.strip("[]").split(",")[0] for shape in shapes} == {"S", "T"}
    assert "S is how many tokens the source has, T the target so far." in topic.about_label.text()


def test_arrow_keys_go_from_box_to_box(topic: ModelTopic, qtbot: QtBot) -> None:
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Up):
        qtbot.keyClick(topic.canvas, key)
    readout = topic.readout_label.text()
    assert readout.startswith("Self-attention [S, 64]: 4 heads of 16 dimensions")
    assert readout.endswith("16,640 parameters in each of 2 layers, 33,280 in all.")
    qtbot.keyClick(topic.canvas, Qt.Key.Key_Right)
    assert topic.readout_label.text().startswith("Masked self-attention [T, 64]: ")
    assert topic.canvas.accessibleDescription() == topic.readout_label.text()


@pytest.mark.parametrize("zoom", [100, 150, 200])
def test_the_texts_of_a_box_never_overlap(topic: ModelTopic, theme: Theme, zoom: int) -> None:
    theme.set_zoom(zoom)
    assert topic.canvas.stacks is not None
    blocks = [*topic.canvas.stacks.encoder, *topic.canvas.stacks.decoder]
    metrics = QFontMetrics(theme.font(0.95))
    for width in range(theme.px(130), theme.px(400), 3):
        inner = QRectF(0, 0, width, 20)
        for block in blocks:
            written = list(box_texts(inner, block, metrics))
            begin = inner.left()
            for text, place, _ in written:
                assert place.left() >= begin and metrics.horizontalAdvance(text) <= place.width(), (block, width)
                begin = place.right() + GRID / 2
            assert place.right() <= inner.right(), (block, width)
    assert [text for text, _, _ in written] == [block.name, block.shape]  # of the last box, which has no parameters


def test_another_model_is_drawn(topic: ModelTopic, history: History) -> None:
    before = topic.canvas.grab().toImage()
    assert history.prepared is not None
    config = history.prepared.config
    model = config.model.model_copy(update={"norm_first": False, "num_decoder_layers": 5})
    history.prepared = replace(history.prepared, config=config.model_copy(update={"model": model}))
    topic.show_step(history, 0)
    assert topic.canvas.grab().toImage() != before
