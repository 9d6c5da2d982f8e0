"""The tree of a beam search: tokens kept and cut, and the paths of the best and the greedy output."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QWidget

from core.answers.beam_tree import BeamNode, BeamOutput, BeamTree, Fate
from gui.panels.translation.beam_canvas import BeamCanvas
from gui.panels.translation.beam_layout import BeamLayout
from gui.pictures.picture_file import encoders_of, render_image
from gui.theme import GRID, Theme

Stage = Callable[[QWidget, int, int], None]
PROBABILITIES = (1e-9, 0.0049, 0.0051, 0.0149, 0.99, 1.0)
SCALE = 3  # of the rendered pictures


def node(parent: int, position: int, rank: int, token: str, probability: float, fate: Fate) -> BeamNode:
    return BeamNode(
        parent=parent,
        position=position,
        rank=rank,
        token=token,
        probability=probability,
        log_probability=-1.0,
        fate=fate,
    )


BEST = BeamOutput(output="in a", tokens=("in", "a", "<eos>"), score=-0.4)
GREEDY = BeamOutput(output="in the", tokens=("in", "the", "<eos>"), score=-0.5)
NODES = (
    node(-1, 0, 0, "in", 0.9, "went on"),
    node(-1, 0, 1, "tomorrow", 0.05, "cut"),
    node(0, 1, 0, "a", 0.4, "went on"),
    node(0, 1, 1, "the", 0.5, "went on"),
    node(2, 2, 0, "<eos>", 0.9, "finished"),
    node(3, 2, 1, "<eos>", 0.6, "finished"),
)
TREE = BeamTree(
    step=5, source="in", beam_size=2, length_penalty=0.6, nodes=NODES, outputs=(BEST, GREEDY), greedy=GREEDY
)


@pytest.fixture
def canvas(stage: Stage, theme: Theme) -> BeamCanvas:
    """A beam of size two whose best output is not the greedy one."""
    made = BeamCanvas(theme)
    stage(made, 500, 200)
    made.show_tree(TREE)
    return made


def layout_of(canvas: BeamCanvas) -> BeamLayout:
    assert canvas._layout is not None
    return canvas._layout


def colours(image: QImage, area: QRectF) -> Iterator[QColor]:
    """The colour of every pixel in an area of the canvas."""
    area = QRectF(area.topLeft() + QPointF(GRID, GRID), area.size())  # the margin of the picture
    for y in range(round(area.top() * SCALE), round(area.bottom() * SCALE)):
        for x in range(round(area.left() * SCALE), round(area.right() * SCALE)):
            yield image.pixelColor(x, y)


def has(image: QImage, area: QRectF, colour: str) -> bool:
    wanted = QColor(colour)
    return any(seen == wanted for seen in colours(image, area))


def around(box: QRectF) -> list[QRectF]:
    """Areas left and right of a box that a frame of the greedy output covers and the lines between boxes do not."""
    height = box.height() / 4
    tops = (box.top(), box.bottom() - height)
    return [QRectF(left, top, 3, height) for left in (box.left() - 5, box.right() + 2) for top in tops]


def test_the_best_path_is_strong_and_the_greedy_one_framed_where_it_differs(canvas: BeamCanvas, theme: Theme) -> None:
    image, layout = render_image((canvas,)), layout_of(canvas)
    best, greedy = canvas._best, canvas._greedy
    assert (best, greedy) == (frozenset({0, 2, 4}), frozenset({0, 3, 5}))
    for index, one in enumerate(NODES):
        box = layout.box(index)
        top = QRectF(box.left() + 8, box.top() - 1, box.width() - 16, 2)
        assert has(image, top, theme.colours.training) == (index in best), one
        assert has(image, top, theme.colours.line) == (index not in best), one
        framed = any(has(image, side, theme.colours.validation) for side in around(box))
        assert framed == (index in greedy - best), one
        start, end = layout.edge(index)
        middle = QRectF(0, 0, 2, 2).translated((start + end) / 2 - QPointF(1, 1))
        assert has(image, middle, theme.colours.training if index in best else theme.colours.line), one


def test_nothing_is_framed_if_the_greedy_output_is_the_best(canvas: BeamCanvas, theme: Theme) -> None:
    canvas.show_tree(
        BeamTree(step=5, source="in", beam_size=2, length_penalty=0.6, nodes=NODES, outputs=(BEST,), greedy=BEST)
    )
    image = render_image((canvas,))
    assert not has(image, QRectF(canvas.rect()), theme.colours.validation)


def test_a_small_probability_is_not_rounded_to_zero(canvas: BeamCanvas) -> None:
    nodes = tuple(
        replace(node, probability=probability) for node, probability in zip(NODES, PROBABILITIES, strict=True)
    )
    canvas.show_tree(replace(TREE, nodes=nodes))
    figures = [text for text in painted_texts(canvas) if "0." in text or "1." in text]
    assert figures == ["<0.01", "<0.01", "0.01", "0.01", "0.99", "1.00"]


def test_a_diverged_model_has_dashes_for_probabilities(canvas: BeamCanvas) -> None:
    canvas.show_tree(replace(TREE, nodes=tuple(replace(node, probability=math.nan) for node in NODES)))
    texts = painted_texts(canvas)
    assert texts.count("–") == len(NODES) and not any("nan" in text for text in texts)


def painted_texts(canvas: BeamCanvas) -> list[str]:
    return [text.strip() for text in ElementTree.fromstring(encoders_of((canvas,), "")[".svg"]()).itertext()]


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_texts_of_a_cut_token_are_legible(canvas: BeamCanvas, theme: Theme, mode: str) -> None:
    """Token and probability have the contrast of 4.5 to 1 that WCAG demands."""
    if mode == "dark":
        theme.toggle_mode()
    image, box = render_image((canvas,)), layout_of(canvas).box(1)
    half = box.height() / 2
    for top in (box.top() + 4, box.top() + half + 2):
        seen = [luminance(colour) for colour in colours(image, QRectF(box.left() + 6, top, box.width() - 12, half - 6))]
        background_luminance = luminance(theme.colour("surface"))
        assert max(contrast(background_luminance, value) for value in seen) >= 4.5


def luminance(colour: QColor) -> float:
    """Relative luminance, 0 to 1 (WCAG 2)."""
    rgb = colour.redF(), colour.greenF(), colour.blueF()
    parts = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in rgb)
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def contrast(one: float, other: float) -> float:
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


def test_it_fills_its_space_but_never_shrinks_below_its_minimum(canvas: BeamCanvas, stage: Stage) -> None:
    least = layout_of(canvas).least
    canvas.setMinimumSize(0, 0)
    canvas.resize(least / 2)
    small = layout_of(canvas).box(5)
    assert layout_of(canvas).least == least and small.right() <= least.width() and small.bottom() <= least.height()
    canvas.resize(least * 2)
    large = layout_of(canvas).box(5)
    assert large.left() > small.left() and large.bottom() > small.bottom()
    assert large.right() <= 2 * least.width() and large.bottom() <= 2 * least.height()
