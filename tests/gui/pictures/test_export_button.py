"""What panels export, through the real window."""

from __future__ import annotations

import csv
import itertools
import re
import shutil
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QColor, QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from core.answers.head_ablation import HeadId
from core.schedules import learning_rate
from gui.colours import DARK, LIGHT, Mode
from gui.frame import status_bar
from gui.main_window import VIEWS, MainWindow
from gui.panel import Panel
from gui.panels.anatomy.matrix_canvas import MatrixCanvas
from gui.panels.anatomy.model_diagram import DiagramCanvas
from gui.panels.anatomy.positions import PositionsTopic
from gui.panels.attention.attention_map import MapCanvas
from gui.panels.attention.grid_canvas import GridCanvas
from gui.panels.datasets.length_histograms import LengthHistograms
from gui.panels.learning.curves import Curves
from gui.panels.learning.metric_labels import metric_label
from gui.panels.runs.run_comparison import RunComparison
from gui.panels.runs.run_translations import RunTranslations
from gui.panels.translation.beam_canvas import BeamCanvas
from gui.panels.translation.token_table import TokenTable
from gui.panels.translation.track_canvas import TrackCanvas, TrackScrollArea
from gui.panels.validation.learned_canvas import LearnedCanvas
from gui.panels.validation.learned_map import LearnedMap
from gui.pictures import export_button, picture_file
from gui.pictures.export_button import ExportButton, csv_of
from gui.pictures.picture_file import encoders_of
from gui.runs.rows import example_path
from gui.view import View
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import child_of, not_none
from tests.gui.tables import header_texts, row_texts
from tests.gui.waiting import wait_for

Fill = Callable[[MainWindow, QtBot], Iterator[Panel]]
SVG = "{http://www.w3.org/2000/svg}"


def action(panel: Panel, text: str) -> QAction:
    """An entry of the panel's menu, updated as when the menu opens."""
    menu = child_of(panel, ExportButton).menu()
    menu.aboutToShow.emit()
    return next(action for action in menu.actions() if action.text() == text)


@pytest.fixture
def trained(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """The window after ten steps, drawn."""
    window.context.workbench.step(10)
    qtbot.waitUntil(lambda: window.context.playhead.live_step == 10, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.context.bridge.state == "paused", timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not window.train_view.curves.is_dirty, timeout=WAIT_MS)
    return window


def table(text: str) -> list[list[str]]:
    return list(csv.reader(text.splitlines()))


def test_a_panel_that_became_empty_while_its_menu_was_open_exports_nothing(
    trained: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = trained.train_view.attention_map
    path = tmp_path / "asked.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    monkeypatch.setattr("gui.bridge.BUDGET_S", WAIT_MS / 1000)  # one tick drains all events, even on a busy machine
    texts = ("Copy picture", "Copy numbers", "Save numbers …", "Save picture …")
    modes: tuple[Mode, ...] = ("light", "dark")
    for mode, text in itertools.product(modes, texts):
        if trained.context.theme.mode != mode:
            trained.context.theme.set_mode(mode)
        chosen = action(panel, text)
        with monkeypatch.context() as patch:  # the panel became empty and was not redrawn
            patch.setattr(panel, "show_step", lambda *_: panel.show_empty())
            chosen.trigger()
        trained.context.bridge.drain()
        assert "there is nothing left to export" in trained.trouble_strip.sentence.text(), (mode, text)
        trained.trouble_strip.dismiss()
        panel.show_body()
    assert not path.exists()


def test_an_export_shows_the_state_at_the_moment_of_the_request(
    trained: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    curves, playhead = trained.train_view.curves, trained.context.playhead

    def choose(parent: object, title: str, name: str, kinds: str) -> tuple[str, str]:
        step = playhead.live_step
        trained.context.workbench.step(5)  # while the dialog is open
        qtbot.waitUntil(lambda: playhead.live_step == step + 5, timeout=WAIT_MS)
        return str(tmp_path / name), kinds.partition(";;")[0]

    for text, step in (("Save numbers …", 10), ("Save picture …", 15)):
        wait_until_drawn(curves, qtbot)
        is_table = text == "Save numbers …"
        expected = csv_of(curves.numbers()) if is_table else saved_svg(curves, tmp_path, monkeypatch)
        monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
        action(curves, text).trigger()
        (saved,) = tmp_path.glob(f"*_step_{step}*")
        assert saved.read_text(encoding="utf-8") == expected, text


def test_exported_numbers_are_those_of_the_run(
    trained: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history, view = trained.context.bridge.history, trained.train_view
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "curves.csv"), ""))
    action(view.curves, "Save numbers …").trigger()
    head, *lines = table((tmp_path / "curves.csv").read_text(encoding="utf-8"))
    column = head.index("train/loss")
    assert [int(line[0]) for line in lines] == list(range(1, 11))
    np.testing.assert_array_equal([float(line[column]) for line in lines], history.curve("train/loss")[1])

    probe = not_none(history.probes.at(10))
    assert probe.sentences[0].by_reference is not None
    cross = probe.sentences[0].by_reference.cross[-1, 0]
    action(view.attention_map, "Copy numbers").trigger()
    head, *lines = table(QGuiApplication.clipboard().text())
    assert tuple(head[1:]) == probe.sentences[0].src_tokens
    np.testing.assert_array_equal(np.array([line[1:] for line in lines], np.float16), cross)

    action(view.head_grid, "Copy numbers").trigger()
    head, *lines = table(QGuiApplication.clipboard().text())
    of_head = [float(line[6]) for line in lines if line[:3] == ["cross", "1", "1"]]
    np.testing.assert_array_equal(np.array(of_head, np.float16), cross.ravel())


def test_a_picture_can_be_saved_and_copied(
    trained: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []

    def choose(parent: object, title: str, name: str, kinds: str) -> tuple[str, str]:
        names.append(name)
        return str(tmp_path / name), kinds.partition(";;")[0]

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    action(trained.train_view.attention_map, "Save picture …").trigger()
    assert names == ["cross_attention_layer_1_head_1_teacher_forced_step_10.svg"]
    assert (tmp_path / names[0]).read_text(encoding="utf-8").startswith("<?xml")
    action(trained.train_view.curves, "Copy picture").trigger()
    assert QGuiApplication.clipboard().image().width() > 1000


def test_a_file_name_without_suffix_gets_that_of_the_chosen_format(
    trained: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind, suffix, start in (("SVG", "svg", b"<?xml"), ("PNG", "png", b"\x89PNG"), ("PDF", "pdf", b"%PDF")):

        def choose(parent: object, title: str, name: str, kinds: str, kind: str = kind) -> tuple[str, str]:
            (chosen,) = (one for one in kinds.split(";;") if one.startswith(kind))
            return str(tmp_path / "loss 0.5"), chosen

        monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
        action(trained.train_view.curves, "Save picture …").trigger()
        trained.context.bridge.drain()
        assert trained.trouble_strip.trouble is None, kind
        assert (tmp_path / f"loss 0.5.{suffix}").read_bytes().startswith(start), kind


FILES = (("Save picture …", "a.svg"), ("Save numbers …", "a.csv"))


def test_the_path_of_a_saved_file_is_shown_for_a_while(
    trained: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    label = trained.status_bar.message_label
    monkeypatch.setattr(status_bar, "MESSAGE_MS", 200)
    for text, name in FILES:
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, name=name: (str(tmp_path / name), ""))
        action(trained.train_view.curves, text).trigger()
        assert label.isVisible() and label.text() == f"Saved as {tmp_path / name}", text
        qtbot.waitUntil(label.isHidden, timeout=WAIT_MS)


def test_a_file_that_cannot_be_written_is_reported_in_the_strip(
    trained: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text, name in FILES:
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, name=name: (str(tmp_path / "gone" / name), ""))
        action(trained.train_view.curves, text).trigger()
        qtbot.waitUntil(trained.trouble_strip.isVisible, timeout=WAIT_MS)
        assert f"{name} cannot be written: No such file or directory" in trained.trouble_strip.sentence.text()
        trained.trouble_strip.dismiss()


def test_a_panel_without_a_picture_disables_its_export(window: MainWindow, qtbot: QtBot) -> None:
    window.show_view(2)
    tokens = window.translate_view.tokens
    window.translate_view.typed.text = ""
    window.translate_view.typed.translation = None
    tokens.show_step(window.context.bridge.history, 0)
    for text in ("Copy picture", "Save numbers …"):
        entry = action(tokens, text)
        assert not entry.isEnabled() and entry.toolTip() == "There is nothing to export yet"
    assert child_of(tokens, ExportButton).menu().toolTipsVisible()


@pytest.fixture
def example(empty_window: MainWindow, qtbot: QtBot) -> MainWindow:
    """The window with the example run."""
    empty_window.context.workbench.open_run(example_path())
    qtbot.waitUntil(lambda: empty_window.context.playhead.live_step == 800, timeout=WAIT_MS)
    bridge = empty_window.context.bridge
    qtbot.waitUntil(lambda: bridge.state == "finished", timeout=WAIT_MS)
    alignment = bridge.history.probes.alignment
    qtbot.waitUntil(lambda: not alignment.unread, timeout=WAIT_MS)  # ticks include alignment marks
    return empty_window


def train(window: MainWindow, qtbot: QtBot) -> Iterator[Panel]:
    view = window.train_view
    yield from (view.attention_map, view.head_grid, view.curves)
    view.more_button.click()
    qtbot.waitUntil(lambda: len(view.learned_map._reader.learned.steps) == 2, timeout=WAIT_MS)
    yield from (view.learned_map, view.confusion_map, view.accuracy_plots)


def attention(window: MainWindow, qtbot: QtBot) -> Iterator[Panel]:
    view = window.attention_view
    yield from (view.map, view.grid)
    view.disabled_heads.toggle(HeadId("cross", 0, 0))
    yield view.ablation_panel


def translate(window: MainWindow, qtbot: QtBot) -> Iterator[Panel]:
    view = window.translate_view
    view.other.weights_combo.chosen.emit("best")  # the example run has no weights of step 0
    yield from (view.tracks, view.tokens, view.map)
    for button, panel in zip(view.pages.buttons[1:], (view.grid, view.beam, view.other), strict=True):
        button.click()
        yield panel


def data(window: MainWindow, qtbot: QtBot) -> Iterator[Panel]:
    view = window.data_view
    qtbot.waitUntil(lambda: view.reader.overview is not None and not view.reader.overview.stage, timeout=WAIT_MS)
    yield from (view.figures, view.histograms)


def anatomy(window: MainWindow, qtbot: QtBot) -> Iterator[Panel]:
    view = window.anatomy_view
    for index in range(view.topics.count()):
        view.topics.setCurrentRow(index)
        query = getattr(view.topic, "query", None)
        wait_for(qtbot, lambda query: query is None or query.answer is not None, query)
        yield view.topic


def runs(window: MainWindow, qtbot: QtBot) -> Iterator[Panel]:
    view, folder = window.runs_view, window.context.runs_directory.path
    for name in ("2026-01-02_one_with_a_long_name", "2026-01-01_other"):
        shutil.copytree(example_path(), folder / name)
    view.run_list.refresh()
    qtbot.waitUntil(lambda: len(view.table.rows) == 3, timeout=WAIT_MS)
    view.table.select_rows([row.path for row in view.table.rows if not row.is_example])
    for index, panel in enumerate(
        (view.comparison_pages.comparison, view.comparison_pages.attention, view.comparison_pages.translations)
    ):
        view.comparison_pages.show_page(index)
        yield panel


FILLS: tuple[Fill, ...] = (train, attention, translate, data, anatomy, runs)


@pytest.mark.parametrize("fills", [FILLS[:3], FILLS[3:]], ids=["views of the run", "other views"])
def test_every_picture_is_exported_complete_and_light(
    example: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fills: Sequence[Fill]
) -> None:
    """In the smallest window, where some of them scroll."""
    for fill in fills:
        place = tmp_path / fill.__name__
        place.mkdir()
        assert_every_picture_of(fill, example, qtbot, place, monkeypatch)


def assert_every_picture_of(
    fill: Fill, window: MainWindow, qtbot: QtBot, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check every picture of a view; the first also in the dark theme."""
    theme, view = window.context.theme, opened(window, fill)
    seen: list[Panel] = []
    for panel in fill(window, qtbot):
        seen.append(panel)
        wait_for(qtbot, lambda panel: panel.isVisible() and not panel.is_empty, panel)
        qtbot.mouseMove(child_of(panel, ExportButton))  # away from the plots, as when the user clicks the button
        shown = wait_until_drawn(panel, qtbot)
        lines = saved_numbers(panel, place / str(len(seen)), monkeypatch)
        numbers = [[str(value) for value in line] for line in panel.numbers()]
        assert len(numbers) > 1 and lines == numbers, panel.title

        if len(seen) > 1:
            continue
        assert theme.colours is LIGHT and panel.grab().toImage() == shown, panel.title
        theme.set_mode("dark")
        shown, saved = wait_until_drawn(panel, qtbot), saved_svg(panel, place, monkeypatch)
        assert theme.colours is DARK and panel.grab().toImage() == shown, panel.title
        assert saved == (place / "1.svg").read_text(encoding="utf-8"), panel.title
        assert not [colour for colour in (DARK.text, DARK.muted, DARK.surface) if colour in saved]
        theme.set_mode("light")
    assert {button._panel for button in view.findChildren(ExportButton)} == set(seen), fill.__name__


def opened(window: MainWindow, fill: Fill) -> View:
    """Show the view whose panels `fill` yields."""
    (index,) = (index for index, view in enumerate(VIEWS) if view.icon == fill.__name__)
    window.show_view(index)
    return window.pages.view(VIEWS[index])


def test_the_planned_rate_is_exported(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawer, panel = window.setup_drawer, window.setup_drawer.schedule
    drawer.show()
    wait_until_drawn(panel, qtbot)
    head, *lines = saved_numbers(panel, tmp_path / "rate", monkeypatch)
    draft = not_none(window.context.workbench.draft)
    training = draft.training
    assert head == ["step", "learning rate"] and [int(line[0]) for line in lines] == [*range(1, 41)]
    planned = learning_rate(training.schedule, training.optimizer, draft.model.d_model, 40, np.arange(1, 41))
    np.testing.assert_array_equal([float(line[1]) for line in lines], planned)


def test_lines_have_the_same_width_relative_to_the_text_as_on_screen(window: MainWindow, qtbot: QtBot) -> None:
    drawer, panel = window.setup_drawer, window.setup_drawer.schedule
    drawer.show()
    wait_until_drawn(panel, qtbot)
    shown = panel.content.grab().toImage()
    action(panel, "Copy picture").trigger()
    copied = QGuiApplication.clipboard().image()
    on_screen, in_file = (share_of(LIGHT.good, image) for image in (shown, copied))
    assert on_screen * shown.width() * shown.height() > 300
    times = copied.width() * copied.height() / 9 / (shown.width() * shown.height())  # the picture has a margin
    assert in_file * times == pytest.approx(on_screen, rel=0.2)
    assert panel.content.grab().toImage() == shown


def share_of(colour: str, image: QImage) -> float:
    """The share of an image's pixels that have nearly this colour."""
    converted = image.convertToFormat(QImage.Format.Format_RGB32)  # the image owns the bits
    pixels = np.frombuffer(converted.constBits(), np.uint8)
    blue, green, red, _ = pixels.reshape(-1, 4).astype(int).T
    wanted = QColor(colour)
    distance = abs(red - wanted.red()) + abs(green - wanted.green()) + abs(blue - wanted.blue())
    return float((distance < 100).mean())  # the muted text has a distance of 133 from the green


def test_the_curves_are_exported_in_a_fixed_size_with_named_axes(
    example: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    curves = example.train_view.curves
    seen = []
    for size in ((1280, 720), (1600, 1000)):
        example.resize(*size)
        wait_until_drawn(curves, qtbot)
        seen.append(saved_svg(curves, tmp_path, monkeypatch))
    assert seen[0] == seen[1]

    curves.metric_combo.setCurrentIndex(curves.metric_combo.findData("valid/token_accuracy"))
    curves.metric_combo.activated.emit(curves.metric_combo.currentIndex())
    wait_until_drawn(curves, qtbot)
    shown = curves.grab().toImage()
    assert "token accuracy, share of target tokens" in saved_svg(curves, tmp_path, monkeypatch)
    assert curves.metric_plot is not None and curves.grab().toImage() == shown
    assert curves.metric_plot.getAxis("left").labelText == metric_label("valid/token_accuracy").title


def saved_svg(panel: Panel, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(folder / "saved.svg"), ""))
    with monkeypatch.context() as patch:
        patch.delitem(picture_file.FORMATS, ".png")  # not rendered, as only the SVG is compared
        patch.delitem(picture_file.FORMATS, ".pdf")
        action(panel, "Save picture …").trigger()
    return (folder / "saved.svg").read_text(encoding="utf-8")


CANVASES = (MapCanvas, GridCanvas, TrackCanvas, BeamCanvas, LearnedCanvas, MatrixCanvas, DiagramCanvas, PositionsTopic)


def test_pointing_does_not_change_an_exported_picture(
    example: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither does the playhead, nor the scroll position of a table or of tracks."""
    for fill in (train, translate, anatomy):
        opened(example, fill)
        moved = []
        for panel in fill(example, qtbot):
            shown = wait_until_drawn(panel, qtbot)
            saved = saved_svg(panel, tmp_path, monkeypatch)
            if not point_elsewhere(example, panel, shown, qtbot):
                continue
            assert wait_until_drawn(panel, qtbot) != shown, panel.title
            assert saved_svg(panel, tmp_path, monkeypatch) == saved, panel.title
            moved.append(panel)
            example.context.playhead.go_live()
        assert len(moved) >= 5, fill.__name__


def point_elsewhere(window: MainWindow, panel: Panel, shown: QImage, qtbot: QtBot) -> bool:
    """Point at another part of the panel until it no longer looks as `shown`, or move the playhead.

    Returns False if nothing can be pointed at.
    """
    if isinstance(panel, Curves):
        window.context.playhead.view(300)
        return True
    parts = (panel, panel.content, *panel.content.findChildren(QWidget), *panel.export_widgets())
    canvases = [part for part in parts if isinstance(part, CANVASES) and part.isVisible()]
    if not canvases:
        return False
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Down, Qt.Key.Key_Up):
        qtbot.keyClick(canvases[-1], key)
        if wait_until_drawn(panel, qtbot) != shown:
            break
    return True


def test_long_tracks_are_exported_complete_wherever_they_are_scrolled(
    example: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example.show_view(2)
    tracks = example.translate_view.tracks
    example.context.theme.set_zoom(200)  # wider than the window
    wait_until_drawn(tracks, qtbot)
    bar = child_of(tracks, TrackScrollArea).horizontalScrollBar()
    assert bar.maximum() > 0
    saved = []
    for place in (0, bar.maximum()):
        bar.setValue(place)
        saved.append(saved_svg(tracks, tmp_path, monkeypatch))
    assert saved[0] == saved[1]


def test_a_drag_handle_is_not_exported(
    example: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example.show_view(VIEWS.index(type(example.anatomy_view)))
    example.anatomy_view.topics.setCurrentRow(5)
    topic = example.anatomy_view.topic
    wait_until_drawn(topic, qtbot)
    picture = saved_svg(topic, tmp_path, monkeypatch)
    assert "this run ends at" in picture and "drag" not in picture


def test_every_export_button_is_named_and_only_pictures_have_one(empty_window: MainWindow) -> None:
    for view in empty_window.views:
        names = [button.accessibleName() for button in view.findChildren(ExportButton)]
        assert len(set(names)) == len(names), names
        assert all(name.startswith("Export: ") and len(name) > len("Export: ") for name in names)
    others = [view for view in empty_window.views if view.icon not in {fill.__name__ for fill in FILLS}]
    assert others and not any(view.findChildren(ExportButton) for view in others)
    in_views = {button for view in empty_window.views for button in view.findChildren(ExportButton)}
    (button,) = set(empty_window.findChildren(ExportButton)) - in_views
    assert button._panel is empty_window.setup_drawer.schedule


def saved_numbers(panel: Panel, place: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Save numbers and picture through the menu, and check the picture in every format; return the numbers."""
    drawn: dict[str, Callable[[], Any]] = {}
    with monkeypatch.context() as patch:
        patch.setattr(export_button, "encoders_of", lambda *of: drawn.update(encoders_of(*of)) or drawn)
        patch.setattr(picture_file, "_png_bytes", lambda image: image)  # slow, and the same code for all panels
        for suffix, text in ((".svg", "Save picture …"), (".csv", "Save numbers …")):
            path = str(place.with_suffix(suffix))
            patch.setattr(QFileDialog, "getSaveFileName", lambda *_, path=path: (path, ""))
            action(panel, text).trigger()
    width, height = assert_svg(panel, place.with_suffix(".svg"))
    assert_pixels(panel, drawn[".png"](), width, height)
    assert_pdf(drawn[".pdf"](), width, height)
    return table(place.with_suffix(".csv").read_text(encoding="utf-8"))


def wait_until_drawn(panel: Panel, qtbot: QtBot) -> QImage:
    """Wait until the panel and everything around it are drawn and no longer change; return what it then shows."""
    seen = [QImage()]

    def stands_still() -> bool:
        seen.append(panel.grab().toImage())
        return seen[-1] == seen[-2]

    window = panel.window()
    assert isinstance(window, MainWindow)
    panels, callbacks = window.findChildren(Panel), window.context.bridge._callbacks
    qtbot.waitUntil(lambda: not callbacks, timeout=WAIT_MS)  # pending reads would change the picture later
    qtbot.waitUntil(lambda: panel.isVisible() and not panel.is_empty, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not any(one.is_dirty and one.isVisible() for one in panels), timeout=WAIT_MS)
    qtbot.waitUntil(stands_still, timeout=WAIT_MS)
    return seen[-1]


def assert_svg(panel: Panel, path: Path) -> tuple[int, int]:
    """Require that the SVG has the panel's texts as text; return its size in pixels."""
    root = ElementTree.parse(path).getroot()
    texts = {"".join(text.itertext()).strip() for text in root.iter(f"{SVG}text")} - {""}
    parents = {child: parent for parent in root.iter() for child in parent}
    fixed = [parents[node] for node in root.iter() if node.get("vector-effect") == "non-scaling-stroke"]
    assert {group.get("stroke") for group in fixed} <= {"none"}, f"{panel.title}: lines that do not grow with the text"
    shapes = [node for kind in ("path", "image", "rect", "polyline") for node in root.iter(f"{SVG}{kind}")]
    assert len(texts) > 2 and shapes, panel.title
    title = panel.title if isinstance(panel, Curves) else panel.accessibleName()  # without figures at the playhead
    assert root.findtext(f"{SVG}title") == title
    missing = {text for text in texts_of(panel) if text not in texts}
    assert not missing, f"{panel.title}: {missing}"
    _, _, width, height = (int(number) for number in root.get("viewBox", "").split())
    return width, height


def texts_of(panel: Panel) -> set[str]:
    """Texts that the pictures must contain which are larger than their visible part."""
    _, *lines = panel.numbers()
    match panel:
        case TokenTable():
            return {str(line[2]) for line in lines} | {f"{line[3]:.3f}" for line in lines}
        case LearnedMap():
            return {str(line[2]) for line in lines}
        case RunTranslations():
            return {str(text) for line in lines for text in line[:2]} | {
                f"✓ {line[1]}" for line in lines if line[2] == line[1]
            }
        case RunComparison():
            axes, shown = {"step", "loss, nats per target token"}, panel.table
            texts = {text for row in range(shown.rowCount()) for text in row_texts(shown, row)}
            return texts | {*header_texts(shown)} - {""} | axes
        case Curves():
            return {"step", "loss, nats per target token", "0", "800"}
        case LengthHistograms():
            return {"tokens", "texts"}
        case _:
            return set()


def assert_pixels(panel: Panel, image: QImage, width: int, height: int) -> None:
    """Require a white background, some content, and three times the size, or the largest that Qt can paint."""
    columns, rows = image.size().toTuple()
    scale = max(columns, rows) / max(width, height)  # sides are rounded: the longer is more exact
    assert (columns, rows) == pytest.approx((width * scale, height * scale), abs=2)
    assert scale == pytest.approx(3, abs=0.01) or columns * rows > 60_000_000, panel.title
    pixels = np.frombuffer(image.constBits(), np.uint32)
    assert len(np.unique(pixels[:: max(1, columns * rows // 20_000)])) > 5, panel.title
    assert image.pixelColor(1, 1).name() == LIGHT.surface


def assert_pdf(data: bytes, width: int, height: int) -> None:
    """Require one page of this size, in points, with text."""
    assert data.startswith(b"%PDF") and data.count(b"/Type /Page\n") == 1 and b"/FontFile" in data
    box = not_none(re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", data))
    assert [float(side) for side in box.groups()] == pytest.approx([0.75 * width, 0.75 * height], abs=1)


class Watch(QObject):
    """Counts how often a window is painted."""

    def __init__(self) -> None:
        super().__init__()
        self.times = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.times += event.type() in (QEvent.Type.UpdateRequest, QEvent.Type.Paint)
        return False


def test_the_dark_window_never_shows_the_light_picture(
    trained: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained.context.theme.set_mode("dark")
    panel, watch = trained.train_view.attention_map, Watch()
    wait_until_drawn(panel, qtbot)
    trained.installEventFilter(watch)
    action(panel, "Copy picture").trigger()
    assert QGuiApplication.clipboard().image().pixelColor(1, 1).name() == LIGHT.surface
    assert watch.times == 0
    qtbot.waitUntil(lambda: watch.times > 0, timeout=WAIT_MS)  # the window is painted afterwards, in dark
    assert trained.grab().toImage().pixelColor(200, 60).lightness() < 64
