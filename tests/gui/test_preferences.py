"""What is restored at the next start, and what happens if that is impossible."""

from __future__ import annotations

import os
import shutil
import sys
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from pytestqt.qtbot import QtBot

from core.run_folder import RunFolder
from gui.frame.resume_banner import interrupted_run
from gui.main_window import MainWindow
from gui.preferences import Preferences, load_preferences, preferences_path, save_preferences
from gui.runs.rows import example_path
from gui.theme import Theme
from tests.full_disk import no_file_beyond
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none

LARGE_SCREEN = QSize(1920, 1080)


def test_the_file_is_in_the_users_configuration_folder(home: Path) -> None:
    assert preferences_path() == home / "config" / "headlight" / "window.json"


def test_look_and_size_are_restored_and_write_errors_ignored(empty_window: MainWindow, tmp_path: Path) -> None:
    path, theme = tmp_path / "not" / "there yet" / "window.json", empty_window.context.theme
    theme.set_mode("dark")
    theme.set_zoom(125)
    empty_window.resize(1234, 777)
    empty_window.setup_drawer.processes_row.spin.setValue(2)
    save_preferences(empty_window, path)
    empty_window.resize(1000, 700)
    restored = load_preferences(path)
    assert restored.num_processes == 2
    assert (Theme(restored.mode, restored.zoom).mode, restored.zoom) == ("dark", 125)
    restored.restore_size(empty_window, LARGE_SCREEN)
    assert empty_window.size() == QSize(1234, 777) and not empty_window.isMaximized()
    (tmp_path / "file").write_text("in the way of the folder")
    save_preferences(empty_window, tmp_path / "file" / "window.json")
    assert load_preferences(tmp_path / "file" / "window.json") == Preferences()


@pytest.mark.skipif(sys.platform == "win32", reason="limits of file sizes are POSIX only")
def test_a_full_disk_keeps_the_preferences_of_before(empty_window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "window.json"
    save_preferences(empty_window, path)
    before = path.read_bytes()
    empty_window.context.theme.set_zoom(150)
    with no_file_beyond(10):
        save_preferences(empty_window, path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def test_a_maximised_window_keeps_its_normal_size_and_none_exceeds_its_screen(
    empty_window: MainWindow, tmp_path: Path
) -> None:
    empty_window.resize(1234, 777)
    empty_window.showMaximized()
    save_preferences(empty_window, tmp_path / "window.json")
    empty_window.showNormal()
    restored = load_preferences(tmp_path / "window.json")
    assert (restored.width, restored.height, restored.is_maximised) == (1234, 777, True)
    restored.restore_size(empty_window, LARGE_SCREEN)
    assert empty_window.isMaximized()
    empty_window.showNormal()
    Preferences(width=5000, height=700).restore_size(empty_window, QSize(1366, 768))
    assert empty_window.normalGeometry().size() == QSize(1366, 700) and empty_window.isMaximized()


def test_light_or_dark_follows_the_desktop_until_the_user_chooses(qtbot: QtBot) -> None:
    theme = Theme()
    assert theme.chosen_mode is None
    theme.toggle_mode()
    assert theme.chosen_mode == theme.mode


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff\x00\x80", b"[" * 20_000, b'"dark"', b'{"mode": "pink"}', b'{"zoom": 1e9}', b'{"width": -1}'],
)
def test_an_invalid_file_gives_the_defaults(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "window.json"
    path.write_bytes(content)
    assert load_preferences(path) == Preferences()
    # A folder, and a missing file.
    assert load_preferences(tmp_path) == load_preferences(tmp_path / "missing.json") == Preferences()


def test_a_dismissed_run_is_not_offered_again(qtbot: QtBot, empty_window: MainWindow, tmp_path: Path) -> None:
    path, runs = tmp_path / "window.json", tmp_path / "runs"
    old, run = (RunFolder.open(shutil.copytree(example_path(), runs / name)) for name in ("old", "run"))
    for folder in (old, run):
        folder.update(state="stopped")
    for file in ("run.json", "metrics.jsonl"):
        os.utime(old.path / file, (1, 1))
    empty_window.resume_banner.offer(interrupted_run(runs))
    empty_window.resume_banner.dismiss_button.click()
    assert not empty_window.resume_banner.isVisible()
    save_preferences(empty_window, path)
    load_preferences(path).show(empty_window, path)
    empty_window.start()
    done: list[object] = []
    empty_window.context.bridge.run_in_background(lambda: None, done.append)  # queued behind the search of the folder
    qtbot.waitUntil(lambda: bool(done), timeout=WAIT_MS)
    assert not empty_window.resume_banner.isVisible()
    os.utime(run.path / "metrics.jsonl")  # it continued and was interrupted again
    offered = interrupted_run(runs, load_preferences(path).refused_at)
    assert offered is not None and offered.path == run.path


def test_a_run_dismissed_while_the_clock_was_ahead_hides_no_later_one(
    empty_window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    banner, runs, ahead = empty_window.resume_banner, tmp_path / "runs", time.time() + 86_400
    early, late = (RunFolder.open(shutil.copytree(example_path(), runs / name)) for name in ("early", "late"))
    for folder in (early, late):
        folder.update(state="stopped")
    for file in ("run.json", "metrics.jsonl"):
        os.utime(early.path / file, (ahead, ahead))
    with monkeypatch.context() as patch:
        patch.setattr("time.time", lambda: ahead + 1)
        offered = not_none(interrupted_run(runs))
        assert offered.path == early.path
        banner.offer(offered)
        banner.dismiss_button.click()
    offered = not_none(interrupted_run(runs, banner.refused_at))
    assert offered.path == late.path
    banner.offer(offered)
    banner.dismiss_button.click()
    assert interrupted_run(runs, banner.refused_at) is None


def test_the_tour_is_shown_once(empty_window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "window.json"
    load_preferences(path).show(empty_window, path)
    assert empty_window.tour.isVisible()
    empty_window.tour.end()
    load_preferences(path).show(empty_window, path)
    assert not empty_window.tour.isVisible()
