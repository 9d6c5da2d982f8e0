"""What the save dialog returns for a typed name."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from gui.widgets.save_dialog import ask_where_to_save

KINDS = {".svg": "SVG", ".png": "PNG"}


@pytest.fixture
def over(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    return made


@pytest.mark.parametrize(
    ("typed", "file_filter", "file_name"),
    [
        ("loss", "PNG (*.png)", "loss.png"),
        ("loss 0.5", "PNG (*.png)", "loss 0.5.png"),
        ("loss.svg", "PNG (*.png)", "loss.svg"),
        ("LOSS.SVG", "PNG (*.png)", "LOSS.SVG"),
        ("loss", "", "loss.svg"),
    ],
)
def test_a_typed_suffix_takes_precedence_over_the_chosen_format(
    over: QWidget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str, file_filter: str, file_name: str
) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / typed), file_filter))
    assert ask_where_to_save(over, "Save", "", KINDS) == tmp_path / file_name


def test_a_cancelled_dialog_returns_none(over: QWidget, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("", ""))
    assert ask_where_to_save(over, "Save", "", KINDS) is None


def test_a_file_is_not_replaced_before_the_dialog_has_asked(
    over: QWidget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "loss 0.5.png").touch()
    starts: list[str] = []

    def choose(_: object, title: str, start: str, kinds: str) -> tuple[str, str]:
        starts.append(start)
        return str(tmp_path / "loss 0.5") if start == "at first" else start, "PNG (*.png)"

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    assert ask_where_to_save(over, "Save", "at first", KINDS) == tmp_path / "loss 0.5.png"
    assert starts == ["at first", str(tmp_path / "loss 0.5.png")]
