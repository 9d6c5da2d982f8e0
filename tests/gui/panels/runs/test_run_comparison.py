"""Compared runs: the letters at the ends of their curves, and the table of differences."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from core.history import History
from core.settings.fields import run_settings
from gui.panels.learning.metric_labels import metric_label
from gui.panels.runs.run_comparison import RunComparison
from gui.runs.comparison import ComparedGroup, ComparedRun, Comparison, MeanAndDeviation
from gui.runs.seed_bands import band_of
from gui.theme import Theme
from gui.widgets.labels import literal_tooltip
from tests.gui.tables import column_texts, header_item, header_texts, item_at, row_texts

Stage = Callable[[QWidget, int, int], None]


def run(letter: str, last_step: int, loss: float) -> ComparedRun:
    """A run whose loss falls linearly from 4 to `loss` at its last step."""
    steps, nothing = np.arange(1.0, last_step + 1), (np.empty(0), np.empty(0))
    return ComparedRun(letter, letter, (steps, np.linspace(4.0, loss, last_step)), nothing, None, None, ())


def letters(panel: RunComparison) -> dict[str, tuple[float, float]]:
    """The position of each letter: step and loss."""
    items = [item for item in panel.plot.plotItem.items if isinstance(item, pg.TextItem)]
    return {item.toPlainText(): (item.pos().x(), item.pos().y()) for item in items}


@pytest.fixture
def shown(theme: Theme, stage: Stage) -> Callable[..., dict[str, tuple[float, float]]]:
    panel = RunComparison(theme)
    stage(panel, 1000, 300)

    def shown(*runs: ComparedRun) -> dict[str, tuple[float, float]]:
        panel.show_comparison(Comparison(runs, (), (("", *(run.letter for run in runs)),)))
        panel.show_step(History(), 0)
        return letters(panel)

    return shown


def test_curves_of_different_lengths_have_their_letters_at_their_ends(
    shown: Callable[..., dict[str, tuple[float, float]]],
) -> None:
    assert shown(run("A", 800, 0.52), run("B", 100, 0.5), run("C", 400, 0.51)) == {
        "A": (800, 0.52),
        "B": (100, 0.5),
        "C": (400, 0.51),
    }


def test_the_loss_of_a_single_validation_is_drawn(theme: Theme, stage: Stage) -> None:
    panel, pictures = RunComparison(theme), list[QImage]()
    stage(panel, 1000, 300)
    once = replace(run("A", 100, 0.5), validation=(np.array([100.0]), np.array([2.0])))
    for one in (run("A", 100, 0.5), once):
        panel.show_comparison(Comparison((one,), (), (("", "A"),)))
        panel.show_step(History(), 0)
        pictures.append(panel.plot.grab().toImage())
    assert pictures[0] != pictures[1]


def test_a_letter_is_at_an_end_between_two_pixels(
    shown: Callable[..., dict[str, tuple[float, float]]],
) -> None:
    for last_step in range(100, 700, 7):  # some ends round to the pixel before
        assert shown(run("A", 800, 0.5), run("B", last_step, 2.0))["B"][0] == last_step


def test_letters_that_would_overlap_are_stacked(
    shown: Callable[..., dict[str, tuple[float, float]]],
) -> None:
    found = shown(run("A", 800, 0.5), run("B", 799, 0.51), run("C", 800, 0.49), run("D", 800, 3.0))
    heights = [found[letter][1] for letter in "CAB"]
    assert heights[0] == 0.49 and found["D"] == (800, 3.0)
    assert np.diff(heights).min() > 0.2  # a twelfth of the axis


def test_letters_are_stacked_again_in_a_lower_panel(theme: Theme, stage: Stage) -> None:
    panel = RunComparison(theme)
    stage(panel, 1000, 700)
    runs = run("A", 800, 0.5), run("B", 799, 0.65)
    panel.show_comparison(Comparison(runs, (), (("", "A", "B"),)))
    panel.show_step(History(), 0)
    for height in (700, 250):
        panel.resize(1000, height)
        panel.grab()
        (_, above), (_, below) = letters(panel).values()
        box = panel.plot.getViewBox()
        assert abs(above - below) * box.height() / np.ptp(box.viewRange()[1]) > 12  # pixels, a letter's height


def test_a_letter_avoids_the_curve_of_another_run(theme: Theme, stage: Stage) -> None:
    panel = RunComparison(theme)
    stage(panel, 1000, 300)
    short_run, long_run = run("A", 100, 3.3), run("B", 800, 0.5)
    panel.show_comparison(Comparison((short_run, long_run), (), (("", "A", "B"),)))
    panel.show_step(History(), 0)
    panel.grab()  # a letter gets its size when it is painted
    (name,) = (one for one in panel.plot.plotItem.items if isinstance(one, pg.TextItem) and one.toPlainText() == "A")
    rect = name.mapRectToParent(name.boundingRect())
    steps, losses = long_run.training
    nearby = losses[(rect.left() <= steps) & (steps <= rect.right())]
    margin = rect.height() / 3  # the padding above and below the letter
    within = (rect.top() + margin < nearby) & (nearby < rect.bottom() - margin)  # the axis points up
    assert len(nearby) > 10 and not within.any() and abs(name.pos().y() - 3.3) < rect.height()


@pytest.mark.parametrize("last_step", [800, 100], ids=["at the right edge", "with space beside it"])
def test_the_letters_of_a_band_do_not_cover_it(theme: Theme, stage: Stage, last_step: int) -> None:
    panel = RunComparison(theme)
    stage(panel, 1000, 300)
    runs = run("A", last_step, 0.5), run("B", last_step, 1.5), run("C", 800, 0.1)
    band = band_of([one.training for one in runs[:2]])
    group = ComparedGroup("seeds", (0, 1), band, band_of([one.validation for one in runs[:2]]))
    heads = "", "AB  mean of 2 ± deviation", "A", "B", "C"
    panel.show_comparison(Comparison(runs, (group,), (heads,)))
    panel.show_step(History(), 0)
    (name,) = (one for one in panel.plot.plotItem.items if isinstance(one, pg.TextItem) and one.toPlainText() == "AB")
    rect = name.mapRectToParent(name.boundingRect())
    within = (rect.left() <= band.steps) & (band.steps <= rect.right())
    assert within.any() and rect.top() >= band.highest[within].max()  # the label's lower edge


def test_mean_deviation_and_unit_are_written_in_this_order(theme: Theme, stage: Stage) -> None:
    panel = RunComparison(theme)
    stage(panel, 1000, 300)
    rows = (
        *(("valid_sentences", 1000, None), ("valid/bleu", 97.7192, 0.31), ("valid/exact_match", 0.941406, 0.0512)),
        *(("valid/loss", 0.102441, 0.0023), ("valid/perplexity", 1.01354, 0.002291), ("valid/letters", 0.5, math.nan)),
        *(("valid/token_error_rate", 0.0336, 0.0112), ("model.d_ff", None, None)),
    )
    spreads = [(name, MeanAndDeviation(mean, deviation), 0.5, 0.5) for name, mean, deviation in rows]
    heads = "", "AB  mean of 2 ± deviation", "A", "B"
    runs = run("A", 800, 0.5), run("B", 800, 0.4)
    group = ComparedGroup("seeds", (0, 1), *(band_of([one.training for one in runs]) for _ in range(2)))
    panel.show_comparison(Comparison(runs, (group,), (heads, *spreads)))
    panel.show_step(History(), 0)
    assert column_texts(panel.table, 1) == [
        *("1,000", "97.7 ± 0.3", "94.1 ± 5.1 %"),
        *("0.1024 ± 0.0023", "1.014 ± 0.0023", "0.5 ± nan", "3.4 ± 1.1 %", "–"),
    ]


def test_rows_are_named_and_formatted_as_in_the_table_of_runs(theme: Theme, stage: Stage) -> None:
    panel = RunComparison(theme)
    stage(panel, 1000, 300)
    rows = (
        *(("last_step", 1000, 12000), ("best_step", 1000, None), ("training.max_steps", 1000, 12000)),
        *(("seed", 1000, 12000), ("model.bias", True, False)),
        *(("valid_sentences", 1000, 1000), ("decoded_sentences", 256, 256)),
        *(("valid/bleu", 97.7192, 40.0), ("valid/exact_match", 0.941406, 1.0)),
        *(("valid/loss", 0.102441, 0.0833453), ("valid/letters", 0.5, None)),
    )
    panel.show_comparison(Comparison((run("A", 800, 0.5), run("B", 800, 0.4)), (), (("", "A", "B"), *rows)))
    panel.show_step(History(), 0)
    table = panel.table
    assert [row_texts(table, row) for row in range(table.rowCount())] == [
        *(
            ["newest checkpoint", "1,000", "12,000"],
            ["best step", "1,000", "–"],
            ["training.max_steps", "1,000", "12,000"],
        ),
        *(["seed", "1000", "12000"], ["model.bias", "true", "false"]),
        *(["sentences validated", "1,000", "1,000"], ["sentences decoded", "256", "256"]),
        *(["BLEU", "97.7", "40.0"], ["exact match", "94.1 %", "100.0 %"]),
        *(["loss", "0.1024", "0.0833"], ["letters", "0.5", "–"]),
    ]
    tips = {name: item_at(table, row, 0).toolTip() for row, name in enumerate(column_texts(table, 0))}
    assert "loss" in tips["sentences validated"] and "BLEU" in tips["sentences decoded"]
    assert tips["BLEU"] == metric_label("valid/bleu").meaning and "continues" in tips["newest checkpoint"]
    help_text = run_settings()["training.max_steps"].help
    assert tips["training.max_steps"] == literal_tooltip(f"training.max_steps: {help_text}")
    assert header_texts(table)[0] == "setting or figure"
    assert item_at(table, 8, 1).data(Qt.ItemDataRole.AccessibleTextRole) == "A 94.1 %"


@pytest.mark.parametrize("zoom", [100, 150])
def test_in_little_space_the_values_of_a_single_run_stay_visible(theme: Theme, stage: Stage, zoom: int) -> None:
    theme.set_zoom(zoom)
    panel = RunComparison(theme)
    stage(panel, 480 * zoom // 100, 300)  # half of it is for the curves
    key = "training.optimizer.learning_rate"
    panel.show_comparison(Comparison((run("", 800, 0.5),), (), (("", "mine"), (key, 0.003))))
    panel.show_step(History(), 0)
    table = panel.table
    needed = table.fontMetrics().horizontalAdvance(item_at(table, 0, 1).text())
    assert table.columnViewportPosition(1) + needed < table.viewport().width()
    assert not table.horizontalScrollBar().maximum() and item_at(table, 0, 0).toolTip().startswith(key)
    assert header_texts(table)[0] == "setting or figure"
    stage(panel, 1600 * zoom // 100, 300)
    assert table.columnWidth(0) > table.fontMetrics().horizontalAdvance(key)  # here the key is complete, too


def test_tooltips_show_names_and_values_literally(theme: Theme, stage: Stage) -> None:
    panel = RunComparison(theme)
    stage(panel, 1000, 300)
    table = (("", "A  <i>mine</i>"), ("training.note", "<b>1"))
    panel.show_comparison(Comparison((run("A", 800, 0.5),), (), table))
    panel.show_step(History(), 0)
    tips = header_item(panel.table, 1).toolTip(), item_at(panel.table, 0, 1).toolTip()
    assert tips == (literal_tooltip("A  <i>mine</i>"), literal_tooltip("<b>1"))


def test_the_title_names_runs_whose_losses_cannot_be_compared(theme: Theme, stage: Stage) -> None:
    panel = RunComparison(theme)
    stage(panel, 1000, 300)
    runs, table = tuple(run(letter, 800, 0.5) for letter in "ABCD"), (("", *"ABCD"),)
    end = "have different tokens: losses cannot be compared between them"
    for same_tokens, expected in (
        (((0, 1, 2, 3),), ""),
        (((0, 2), (1, 3)), f"; AC and BD {end}"),
        (((0,), (1, 2), (3,)), f"; A, BC and D {end}"),
    ):
        panel.show_comparison(Comparison(runs, (), table, same_tokens=same_tokens))
        panel.show_step(History(), 0)
        assert panel.title_label.text() == panel.title + expected


@pytest.mark.parametrize("zoom", [100, 150, 200])
def test_two_runs_with_long_names_fit_side_by_side(theme: Theme, stage: Stage, zoom: int) -> None:
    theme.set_zoom(zoom)
    panel = RunComparison(theme)
    stage(panel, 1100, 300)  # as in a window of 1280 pixels
    rows = (("", *(f"{letter}  {'a long name ' * 4}" for letter in "AB")), ("model.num_encoder_layers", 2, 1))
    panel.show_comparison(Comparison((run("A", 800, 0.5), run("B", 800, 0.4)), (), rows))
    panel.show_step(History(), 0)
    table = panel.table
    assert not table.horizontalScrollBar().maximum()
    assert table.columnViewportPosition(2) + table.fontMetrics().horizontalAdvance("1") < table.viewport().width()
    assert table.columnWidth(1) == pytest.approx(table.columnWidth(2), abs=2)


def test_the_values_of_many_runs_are_not_cut(theme: Theme, stage: Stage) -> None:
    panel = RunComparison(theme)
    stage(panel, 1100, 300)
    runs = tuple(run(letter, 800, 0.5) for letter in "ABCDEF")
    heads = ("", *(f"{one.letter}  {'a long name ' * 4}" for one in runs))
    panel.show_comparison(Comparison(runs, (), (heads, ("valid/loss", *["4.0939 ± 0.0148"] * 6))))
    panel.show_step(History(), 0)
    table = panel.table
    needed = table.fontMetrics().horizontalAdvance("4.0939 ± 0.0148") + 2 * 8
    assert all(table.columnWidth(column) >= needed for column in range(1, 7))
