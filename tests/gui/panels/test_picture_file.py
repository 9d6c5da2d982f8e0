"""Panels saved as picture files."""

from __future__ import annotations

import base64
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from core.errors import UserError
from core.history import History
from gui.panels.attention.attention_map import AttentionMap
from gui.panels.attention.head_grid import HeadGrid
from gui.panels.learning.curves import Curves
from gui.panels.learning.plain_plot import PlainPlot
from gui.pictures.picture_file import encoders_of
from gui.playhead import Playhead
from gui.replay import Replay
from gui.sentences.selection import Selection
from gui.theme import Theme
from gui.widgets.save_dialog import save_file

Stage = Callable[[QWidget, int, int], None]
Save = Callable[[type, str], Path]


@pytest.fixture
def save(stage: Stage, theme: Theme, history: History, tmp_path: Path) -> Save:
    """Draw a panel of this class at step 300 and save its picture under this name."""

    def saved(kind: type, name: str) -> Path:
        playhead = Playhead()
        panel = {
            AttentionMap: lambda: AttentionMap(theme, Selection()),
            HeadGrid: lambda: HeadGrid(theme, Selection(), all_kinds=True),
            Curves: lambda: Curves(theme, playhead, Replay(playhead, lambda: history.probes.steps)),
        }[kind]()
        stage(panel, 640, 480)
        panel.show_step(history, 300)
        panel.grab()
        save_file(tmp_path / name, encoders_of(panel.export_widgets(), panel.title)[Path(name).suffix.lower()]())
        return tmp_path / name

    return saved


@pytest.mark.parametrize(
    ("kind", "seen"),
    [(AttentionMap, {"ich", "will", "0.25"}), (HeadGrid, {"cross 1", "head 4"}), (Curves, {"train", "valid"})],
)
def test_an_svg_keeps_text_as_text(save: Save, kind: type, seen: set[str]) -> None:
    tree = ElementTree.parse(save(kind, "picture.svg"))
    texts = {text.strip() for node in tree.iter("{http://www.w3.org/2000/svg}text") for text in node.itertext()}
    assert seen <= texts


def test_the_last_tick_has_its_number(stage: Stage, theme: Theme) -> None:
    plot = PlainPlot(theme)
    stage(plot, 640, 240)
    plot.setXRange(-1, 1010, padding=0)  # like the axis of a run of 1,000 steps
    plot.grab()
    tree = ElementTree.fromstring(encoders_of([plot], "Loss")[".svg"]().decode())
    texts = {
        "".join(node.itertext()).strip().replace(",", "") for node in tree.iter("{http://www.w3.org/2000/svg}text")
    }
    assert {"0", "800", "1000"} <= texts


def test_a_curve_is_saved_as_lines(save: Save) -> None:
    tree = ElementTree.parse(save(Curves, "picture.svg"))
    paths = [node.get("d", "") for node in tree.iter("{http://www.w3.org/2000/svg}path")]
    assert max(path.count("L") for path in paths) > 100


def test_each_head_is_a_separate_image_in_an_svg(save: Save) -> None:
    tree = ElementTree.parse(save(HeadGrid, "picture.svg"))
    links = [
        node.get("{http://www.w3.org/1999/xlink}href", "") for node in tree.iter("{http://www.w3.org/2000/svg}image")
    ]
    images = [QImage.fromData(base64.b64decode(link.partition(",")[2])) for link in links]
    assert [(image.width(), image.height()) for image in images] == [(3, 3)] * 24  # "ich will <eos>", "i want <eos>"
    assert len(set(links)) == 3  # as many as `builders.attention` makes


def test_a_png_has_three_times_the_pixels_of_the_screen(save: Save) -> None:
    image = QImage(str(save(AttentionMap, "picture.png")))
    assert 3 * 480 < image.width() <= 3 * 656
    assert len({image.pixel(x, y) for x in range(0, image.width(), 9) for y in range(0, image.height(), 9)}) > 5


def test_a_pdf_is_one_page_with_text_as_text(save: Save) -> None:
    data = save(HeadGrid, "picture.PDF").read_bytes()
    assert data.startswith(b"%PDF")
    assert data.count(b"/Type /Page\n") == 1
    assert b"/FontFile" in data


def test_a_missing_folder_is_named(save: Save, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be written: No such file or directory"):
        save(AttentionMap, "gone/picture.svg")
