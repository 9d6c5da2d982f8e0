"""The attention maps of compared runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from core.history import History
from core.probes import Probe
from gui.panels.runs.run_attention import RunAttention
from gui.runs.comparison import ComparedRun, Comparison
from gui.sentences.selection import Selection
from gui.theme import Theme
from tests.gui.builders import aligned_sentence, sentence


def run(letter: str, probe: Probe | None) -> ComparedRun:
    nothing = np.empty(0), np.empty(0)
    return ComparedRun(letter, letter, nothing, nothing, probe, None, ())


def test_below_a_map_are_the_runs_output_and_the_legend_or_readout(
    stage: Callable[[QWidget, int, int], None], theme: Theme, qtbot: QtBot
) -> None:
    panel = RunAttention(theme, Selection())
    stage(panel, 1000, 500)
    runs = run("A", Probe(step=10, sentences=(aligned_sentence(),))), run("B", None)
    panel.show_comparison(Comparison(runs, (), (("", "A", "B"),), chosen_step=10))
    panel.show_step(History(), 0)
    probed, unprobed, *_ = panel.columns
    legend = "Columns: read from. Rows: token → prediction. Dashed: the dataset's alignment."
    assert probed.output_label.text() == f"writes  i want\n{legend}"
    assert unprobed.output_label.text() == "This run has no probe at that step: choose another above."
    assert unprobed.canvas.accessibleName().startswith("Attention map of run B;")
    height = probed.canvas.height()
    assert unprobed.canvas.height() == height  # though one line is enough for the text below it
    qtbot.keyClick(probed.canvas, Qt.Key.Key_Right)
    assert probed.output_label.text() == f"writes  i want\n{probed.canvas.readout()}" and probed.canvas.readout()
    assert probed.canvas.height() == height  # the map must not move under the mouse


def test_a_long_sentence_does_not_widen_the_view(stage: Callable[[QWidget, int, int], None], theme: Theme) -> None:
    panel = RunAttention(theme, Selection())
    stage(panel, 600, 400)
    probe = Probe(step=10, sentences=(sentence(" ".join(["Donaudampfschifffahrt"] * 40)),))
    panel.show_comparison(Comparison((run("", probe),), (), ()))
    panel.show_step(History(), 0)
    assert panel.minimumSizeHint().width() <= 600 and panel.sentence_combo.width() < 400


def test_no_map_moves_under_the_mouse_where_its_caption_needs_two_lines(
    stage: Callable[[QWidget, int, int], None], theme: Theme, qtbot: QtBot
) -> None:
    panel = RunAttention(theme, Selection())
    stage(panel, 1200, 500)
    runs = tuple(run(letter, Probe(step=10, sentences=(aligned_sentence(),))) for letter in "ABCD")
    panel.show_comparison(Comparison(runs, (), ()))
    panel.show_step(History(), 0)
    panel.grab()
    canvas, label = panel.columns[0].canvas, panel.columns[0].output_label
    height, lines = canvas.height(), label.heightForWidth(label.width()) // label.fontMetrics().height()
    assert lines == 3  # the output, and two of the caption
    qtbot.keyClick(canvas, Qt.Key.Key_Right)
    qtbot.wait(20)  # until it is laid out anew
    assert label.heightForWidth(label.width()) // label.fontMetrics().height() == 2
    assert canvas.height() == height
    panel.show_step(History(), 0)
    qtbot.wait(20)
    assert canvas.height() == height


def test_maps_are_equally_high_whatever_their_runs_write(
    stage: Callable[[QWidget, int, int], None], theme: Theme, qtbot: QtBot
) -> None:
    panel, brief = RunAttention(theme, Selection()), aligned_sentence()
    stage(panel, 1200, 500)
    long = replace(brief, output="i want " * 40)
    runs = tuple(run(letter, Probe(step=10, sentences=(one,))) for letter, one in (("A", brief), ("B", long)))
    panel.show_comparison(Comparison(runs, (), ()))
    panel.show_step(History(), 0)
    one, other, *_ = panel.columns

    def are_level() -> bool:
        return one.canvas.geometry().top() == other.canvas.geometry().top() and (
            one.canvas.height() == other.canvas.height()
        )

    qtbot.wait(20)  # until it is laid out
    width = one.output_label.width()
    assert one.output_label.heightForWidth(width) < other.output_label.heightForWidth(width) and are_level()
    assert one.canvas.width() == pytest.approx(other.canvas.width(), abs=1)
    qtbot.keyClick(other.canvas, Qt.Key.Key_Right)
    qtbot.wait(20)
    assert are_level()


def test_the_accessible_name_of_a_map_names_its_run(theme: Theme, stage: Callable[[QWidget, int, int], None]) -> None:
    panel = RunAttention(theme, Selection())
    stage(panel, 1000, 500)
    probe = Probe(step=10, sentences=(aligned_sentence(),))
    single = replace(run("", probe), name="mine")
    for runs, name in (((single,), "mine"), ((run("A", probe), run("B", probe)), "A")):
        panel.show_comparison(Comparison(runs, (), ()))
        panel.show_step(History(), 0)
        assert panel.columns[0].canvas.accessibleName().startswith(f"Attention map of run {name};")
