"""The histograms of source and target lengths in the Data view."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from gui.main_window import VIEWS, MainWindow
from tests.gui.conftest import SMALL, WAIT_MS
from tests.gui.waiting import wait_for


def wrapped(label: QLabel) -> int:
    """The height of a label as it wraps."""
    return label.heightForWidth(label.width())


def test_the_plots_have_equal_heights_even_if_only_one_label_wraps(
    empty_window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    for side, least in (("source", 100), ("target", 1)):
        text = "\n".join("word " * length for length in range(least, least + 5))
        (tmp_path / f"train.{side}").write_text(text, encoding="utf-8")
        (tmp_path / f"valid.{side}").write_text(text, encoding="utf-8")  # also in train: gives examples
    options = ", ".join(
        f"{split}_{side}: {split}.{side}" for split in ("train", "valid") for side in ("source", "target")
    )
    settings = tmp_path / "words.yaml"
    dataset = f"dataset: {{plugin: parallel_text, options: {{folder: {tmp_path}, {options}}}}}"
    settings.write_text(f"{dataset}\n{SMALL[SMALL.index('model:') :]}", encoding="utf-8")
    view = empty_window.data_view
    empty_window.show_view(VIEWS.index(type(view)))
    empty_window.setup_drawer.open_file(settings)
    qtbot.waitUntil(view.examples.isVisible, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not view.histograms.is_empty, timeout=WAIT_MS)
    src, tgt = view.histograms.src, view.histograms.tgt
    qtbot.waitUntil(lambda: "median 103" in src.label.text(), timeout=WAIT_MS)
    assert wrapped(src.label) == 2 * wrapped(tgt.label)
    for one in (src, tgt):
        wait_for(qtbot, lambda label: label.height() >= wrapped(label), one.label)  # after the layout
        assert one.plot.geometry().bottom() <= view.histograms.content.rect().bottom(), one.label.text()
    places = [(one.plot.mapTo(view, one.plot.rect().topLeft()).y(), one.plot.height()) for one in (src, tgt)]
    assert places[0] == places[1]
