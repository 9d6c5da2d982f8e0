"""The plots of loss, learning rate and probes, and the playhead that moves through them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QImage, QWheelEvent
from PySide6.QtWidgets import QApplication, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from core.config import RunConfig
from core.events import EngineState, ProbeDone, SettingChanged, StateChanged, StepsDone, ValidationDone
from core.history import History
from core.probes import Probe
from core.settings.presets import read_preset
from gui.main_window import MainWindow
from gui.panels.learning.curves import Curves
from gui.panels.learning.label_placer import LabelPlacer
from gui.panels.learning.loss_plot import LossPlot
from gui.panels.learning.planned_schedule import planned_rates
from gui.panels.learning.probe_ticks import _SYMBOLS
from gui.panels.learning.step_plot import StepPlot
from gui.playhead import Playhead
from gui.replay import Replay
from gui.smoothing import smoothed
from gui.theme import Theme
from tests.gui.builders import sentence
from tests.gui.conftest import WAIT_MS
from tests.gui.panels.conftest import NUM_STEPS, prepared


@pytest.fixture
def panel(make_step_panel: Callable[[type[Curves], int], Curves]) -> Curves:
    """The curves of 400 steps, the playhead live."""
    return make_step_panel(Curves, 260)


def point_at(plot: StepPlot, step: float, height: float) -> QPoint:
    """The pixel of a plot's widget at these coordinates of its axes."""
    return plot.mapFromScene(plot.plotItem.vb.mapViewToScene(QPointF(step, height)))


def test_raw_and_smooth_training_loss_and_validations_are_drawn(panel: Curves, history: History) -> None:
    steps, losses = history.curve("train/loss")
    raw_steps, raw = panel.loss._raw.getOriginalDataset()
    np.testing.assert_array_equal(raw_steps, steps)
    np.testing.assert_array_equal(raw, losses)
    np.testing.assert_array_equal(panel.loss._train.getOriginalDataset()[1], smoothed(losses))
    thin, over = panel.loss._raw.opts["pen"], panel.loss._train.opts["pen"]
    assert thin.width() < over.width() and thin.color().alphaF() < 0.5 and over.color().alphaF() == 1
    assert panel.loss._valid.getOriginalDataset()[1].tolist() == [1.5, 0.9, 0.8, 0.95]


def test_a_run_that_goes_back_and_learns_differently_is_redrawn(panel: Curves, history: History) -> None:
    """It has as many steps as before, stored in the same arrays."""
    arrays = {"train/loss": np.full(NUM_STEPS, 2.5), "train/learning_rate": np.full(NUM_STEPS, 2e-3)}
    history.apply(StepsDone(first_step=1, arrays=arrays))
    panel.show_step(history, NUM_STEPS)
    assert not panel.grab().isNull()
    for curve, value in ((panel.loss._raw, 2.5), (panel.loss._train, 2.5), (panel.learning_rate._done, 2e-3)):
        np.testing.assert_allclose(curve.getOriginalDataset()[1], value)
        np.testing.assert_allclose(curve.getData()[1], value)  # what is painted, downsampled


def test_the_star_is_at_the_best_validation(panel: Curves) -> None:
    steps, losses = panel.loss._best.getOriginalDataset()
    assert (steps.tolist(), losses.tolist()) == ([300], [0.8])


def test_the_star_follows_a_changed_best_metric(panel: Curves, history: History) -> None:
    history.apply(SettingChanged(step=320, key="training.best_metric", value="valid/bleu"))
    metrics = {"valid/loss": 1.2, "valid/bleu": 30.0}
    history.apply(ValidationDone(step=350, metrics=metrics, sentences=(), is_best=True))
    panel.show_step(history, 350)
    panel.grab()
    steps, losses = panel.loss._best.getOriginalDataset()
    assert (steps.tolist(), losses.tolist()) == ([350], [1.2])
    description = "step 350: the best validation since step 320, by valid/bleu"
    assert tip_at(panel.loss, point_at(panel.loss, 350, 1.2)) == description
    assert panel.ticks.accessibleDescription().endswith(description)


def test_guessing_and_the_noise_floor_are_labelled_lines(panel: Curves) -> None:
    guessing, limit = panel.loss._levels["guessing"], panel.loss._levels["limit"]
    assert guessing.value() == pytest.approx(math.log(50))
    assert guessing.label.toPlainText() == "guessing: ln 50 = 3.91"
    assert limit.value() == 0.537
    assert limit.label.toPlainText() == "noise floor 0.537"
    low, high = panel.loss.viewRange()[1]
    assert low == 0 and math.log(50) < high


def test_a_noise_floor_of_zero_has_no_sign(panel: Curves) -> None:
    noiseless = History()
    noiseless.apply(replace(prepared(), limits={"valid/loss": -0.0}))  # as phonetic_to_letter computes it
    panel.show_step(noiseless, 0)
    assert panel.loss._levels["limit"].label.toPlainText() == "noise floor 0.000"


def test_before_the_first_step_the_plot_shows_guessing_and_the_planned_rate(panel: Curves) -> None:
    untrained = History()
    untrained.apply(prepared())
    panel.show_step(untrained, 0)
    assert panel.loss._levels["guessing"].isVisible()
    assert not panel.loss._names["train"].isVisible()
    assert len(panel.learning_rate._planned.getOriginalDataset()[0]) > 100


def test_the_plan_goes_on_from_the_last_step_of_a_long_run(panel: Curves, history: History) -> None:
    """Its points are 500 steps apart, and more than the axis showed lay between the last step and the next point."""
    assert history.prepared is not None
    training = {"max_steps": 100_000, "schedule": {"warmup_steps": 100}}
    long = {"training": training, "dataset": {"plugin": "copy_task"}}
    history.prepared = replace(history.prepared, config=RunConfig.model_validate(long))
    panel.show_step(history, NUM_STEPS)
    steps, rates = panel.learning_rate._planned.getOriginalDataset()
    assert steps[0] == NUM_STEPS and rates[0] == pytest.approx(
        np.interp(NUM_STEPS, *planned_rates(history.prepared.config))
    )


def test_the_earlier_rate_stays_in_view_when_another_is_set(panel: Curves, history: History) -> None:
    history.apply(SettingChanged(step=NUM_STEPS, key="training.optimizer.learning_rate", value=1e-6))
    panel.show_step(history, NUM_STEPS)
    rate = panel.learning_rate
    planned = rate._planned.getOriginalDataset()[0]
    assert planned is None or planned.min() >= NUM_STEPS
    assert rate.viewRange()[1][1] > 1e-3 and rate._name.toPlainText() == "learning rate, peak 0.001"


def test_a_high_rate_is_written_out(panel: Curves, history: History) -> None:
    assert history.prepared is not None
    optimizer = {"training": {"optimizer": {"learning_rate": 100.0}}, "dataset": {"plugin": "copy_task"}}
    history.prepared = replace(history.prepared, config=RunConfig.model_validate(optimizer))
    panel.show_step(history, 0)
    assert panel.learning_rate._name.toPlainText() == "learning rate, peak 100"


@pytest.mark.parametrize(("warmup_steps", "peak"), [(1000, 0.003), (24_001, 0.003 * 24_000 / 24_001), (0, 0.003)])
def test_the_plan_includes_the_peak(warmup_steps: int, peak: float) -> None:
    edits = (f"training.schedule.warmup_steps={warmup_steps}", "training.max_steps=24000")
    steps, rates = planned_rates(read_preset("phonetic_to_letter", edits))
    assert rates.max() == pytest.approx(peak, rel=1e-12) and steps[[0, -1]].tolist() == [1, 24_000]


@pytest.mark.parametrize("last_step", [0, NUM_STEPS])
@pytest.mark.parametrize("warmup_steps", [1, 20, 60, 200])
@pytest.mark.parametrize("schedule", ["inverse_sqrt", "constant"])
def test_the_curve_of_the_rate_does_not_cross_its_label(
    panel: Curves, theme: Theme, schedule: str, warmup_steps: int, last_step: int
) -> None:
    edits = (f"training.schedule.name={schedule}", f"training.schedule.warmup_steps={warmup_steps}")
    panel.show_step(taught(read_preset("toy_german_english", edits), last_step), last_step)
    panel.grab()
    assert_no_line_crosses_the_name_of_the_rate(panel, theme)


def test_the_name_of_the_rate_makes_way_when_the_panel_gets_narrower(panel: Curves, theme: Theme) -> None:
    """As when Setup opens, while nothing is learned that would have it drawn again."""
    config = read_preset("toy_german_english", ("training.schedule.warmup_steps=200",))
    panel.show_step(taught(config, NUM_STEPS), NUM_STEPS)
    for width in (1100, 450):
        panel.resize(width, panel.height())
        panel.grab()
        assert_no_line_crosses_the_name_of_the_rate(panel, theme)


def taught(config: RunConfig, last_step: int) -> History:
    """A run that has learned up to this step at the planned rates."""
    history, rates = History(), np.interp(np.arange(1, last_step + 1), *planned_rates(config))
    history.apply(replace(prepared(), config=config))
    history.apply(StepsDone(first_step=1, arrays={"train/loss": rates, "train/learning_rate": rates}))
    return history


def assert_no_line_crosses_the_name_of_the_rate(panel: Curves, theme: Theme) -> None:
    rate = panel.learning_rate
    letters = rate._name.sceneBoundingRect().adjusted(4, 4, -4, -4)
    assert rate.plotItem.vb.sceneBoundingRect().contains(letters)
    rate._name.setVisible(False)
    for colour in ("good", "muted"):
        assert not pixels_of(theme.colour(colour), rate, letters)
    rate._name.setVisible(True)


def test_the_playhead_does_not_strike_through_the_name_of_the_rate(
    panel: Curves, history: History, theme: Theme
) -> None:
    panel.show_step(history, 0)
    rate = panel.learning_rate
    panel.grab()
    name = rate._name.sceneBoundingRect().adjusted(1, 1, -1, -1)
    at_zero = pixels_of(theme.colour("text"), rate)
    assert len(at_zero) >= rate.plotItem.vb.height() - 1  # nor does the name cover the playhead at step 0
    panel.show_step(history, round(rate.plotItem.vb.mapSceneToView(name.center()).x()))
    assert pixels_of(theme.colour("text"), rate) and not pixels_of(theme.colour("text"), rate, name)


def test_a_validation_before_the_playhead_is_named_by_its_step(panel: Curves, history: History) -> None:
    for step, words in ((300, "valid 0.900,"), (301, "valid 0.900 at 300,")):
        history.apply(ValidationDone(step=300, metrics={"valid/loss": 0.9}, sentences=(), is_best=False))
        panel.show_step(history, step)
        assert words in panel.title_label.text()


def test_with_nothing_prepared_it_says_what_to_do(panel: Curves) -> None:
    panel.show_step(History(), 0)
    assert panel.empty_label.isVisible()


def test_it_suggests_space_only_where_that_learns_and_no_line_crosses_the_hint(panel: Curves, theme: Theme) -> None:
    made = History()
    made.apply(prepared())
    hint = panel.loss._hint
    expected: tuple[tuple[EngineState, int, str], ...] = (
        ("preparing", 0, "The loss falls from here, once it is ready."),
        ("ready", 0, "Press Space: the loss falls from here."),
        ("learning", 0, "The loss falls from here."),  # Space would pause the first step, which may take long
        ("failed", 0, ""),
        ("paused", 0, "Press Space: the loss falls from here."),
        ("paused", 12, "The losses of these steps are missing."),  # its metrics.jsonl was deleted
    )
    for state, step, words in expected:
        made.apply(StateChanged(state=state, step=step))
        panel.show_step(made, step)
        assert hint.isVisible() == bool(words) and hint.toPlainText() == words, state
    assert hint.zValue() > panel.loss._levels["unigram"].zValue() and hint.fill.color() == theme.colour("surface")


@pytest.mark.parametrize("height", [360, 400, 600])
def test_the_hint_covers_no_name_of_a_line(
    make_step_panel: Callable[[type[Curves], int], Curves], theme: Theme, height: int
) -> None:
    theme.set_zoom(200)
    panel = make_step_panel(Curves, height)
    made = History()
    made.apply(replace(prepared(), unigram_loss=3.2, limits={}))
    made.apply(StateChanged(state="ready", step=0))
    panel.show_step(made, 0)
    panel.grab()
    hint, levels = panel.loss._hint, panel.loss._shown_levels
    assert hint.isVisible() and len(levels) == 2
    for name, line in levels.items():
        assert not hint.sceneBoundingRect().intersects(line.label.sceneBoundingRect()), name


@pytest.mark.parametrize("height", [200, 260, 600])
def test_the_labels_at_the_ends_of_the_curves_never_overlap(
    panel: Curves, history: History, height: int, qtbot: QtBot
) -> None:
    panel.window().resize(1100, height)
    qtbot.wait(20)
    panel.show_step(history, NUM_STEPS)  # 0.72 and 0.95 of 3.9: closer together than the height of a label
    panel.grab()
    train, valid = (panel.loss._names[name].sceneBoundingRect() for name in ("train", "valid"))
    assert not train.adjusted(0, 1, 0, -1).intersects(valid)


@pytest.mark.parametrize("width", [320, 400, 520])
def test_the_labels_at_the_ends_of_the_curves_are_whole_in_a_narrow_plot(
    panel: Curves, history: History, width: int, qtbot: QtBot
) -> None:
    """As beside Setup on a projector, at the end of a run."""
    assert history.prepared is not None
    training = history.prepared.config.training.model_copy(update={"max_steps": NUM_STEPS})
    config = history.prepared.config.model_copy(update={"training": training})
    history.prepared = replace(history.prepared, config=config)
    panel.window().resize(width, 260)
    qtbot.wait(20)
    panel.show_step(history, NUM_STEPS)
    panel.grab()
    names = [panel.loss._names[name].sceneBoundingRect().adjusted(0, 3, 0, -3) for name in ("train", "valid")]
    for name in names:
        assert panel.loss.plotItem.vb.sceneBoundingRect().contains(name)
    assert not names[0].intersects(names[1])


def test_a_loss_that_is_not_finite_leaves_the_axis_usable(panel: Curves, history: History) -> None:
    history.apply(StepsDone(first_step=401, arrays={"train/loss": np.array([np.inf, np.nan])}))
    panel.show_step(history, 402)
    assert np.isfinite(panel.loss.viewRange()[1]).all()


def test_all_strips_have_the_same_step_axis(panel: Curves) -> None:
    for step in (0, 200, 400):
        places = {point_at(plot, step, 0).x() for plot in (panel.loss, panel.learning_rate, panel.ticks)}
        assert max(places) - min(places) <= 1


def test_ticks_mark_probes_and_taller_ticks_kept_weights(panel: Curves, history: History) -> None:
    history._snapshot_steps = [0, 300]
    panel.show_step(history, NUM_STEPS)
    steps, heights = panel.ticks._probes.getOriginalDataset()
    assert steps.tolist() == [0, 0, 100, 100, 300, 300]
    kept_steps, kept_heights = panel.ticks._kept.getOriginalDataset()
    assert kept_steps.tolist() == [0, 0, 300, 300]
    assert kept_heights.max() > heights.max()


def test_a_changed_setting_is_labelled_literally(panel: Curves, history: History) -> None:
    history.apply(SettingChanged(step=250, key="training.best_metric", value="valid/{} {value"))
    panel.show_step(history, NUM_STEPS)
    panel.show_step(history, NUM_STEPS)
    assert [line.label.toPlainText() for line in panel.loss._changes] == ["best_metric valid/{} {value"]


def test_a_changed_number_is_labelled_like_other_numbers(panel: Curves, history: History) -> None:
    history.apply(SettingChanged(step=250, key="training.max_steps", value=5000))
    panel.show_step(history, NUM_STEPS)
    assert [line.label.toPlainText() for line in panel.loss._changes] == ["max_steps 5,000"]


def test_events_are_marked_and_explained_in_tooltips(panel: Curves, history: History, qtbot: QtBot) -> None:
    history.apply(SettingChanged(step=250, key="training.max_grad_norm", value=0.5))
    panel.show_step(history, NUM_STEPS)
    ticks = panel.ticks
    assert [(mark.step, mark.kind) for mark in ticks.marks] == [(250, "setting"), (300, "best")]
    assert [spot.symbol() for spot in ticks._marks.points()] == [_SYMBOLS["setting"], _SYMBOLS["best"]]
    assert len({*_SYMBOLS.values()}) == len(_SYMBOLS)  # most have the same colour
    description = "step 250: training.max_grad_norm set to 0.5. step 300: the best validation so far, by valid/loss"
    assert ticks.accessibleDescription() == description

    def says_the_best() -> bool:
        for step in (299, 300):  # pyqtgraph ignores moves that follow too quickly
            qtbot.mouseMove(ticks.viewport(), point_at(ticks, step, 0.72))
        return ticks.plotItem.vb.toolTip() == "step 300: the best validation so far, by valid/loss"

    qtbot.waitUntil(says_the_best, timeout=WAIT_MS)


def test_the_mark_of_the_best_validation_is_visible_under_the_playhead(
    panel: Curves, history: History, theme: Theme
) -> None:
    panel.show_step(history, 300)
    ticks, good = panel.ticks, theme.colour("good")
    image = ticks.grab().toImage()
    centre = point_at(ticks, 300, 0.6).x()
    columns = range(centre - 8, centre + 9)
    green = [place for place in columns for y in range(image.height()) if image.pixelColor(place, y) == good]
    assert len(green) > 20 and max(green) - min(green) > 6


def test_a_click_in_any_strip_moves_the_playhead_there(panel: Curves, qtbot: QtBot) -> None:
    for plot, step in ((panel.loss, 120), (panel.learning_rate, 180), (panel.ticks, 240)):
        middle = sum(plot.viewRange()[1]) / 2
        qtbot.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=point_at(plot, step, middle))
        assert panel._playhead.step == pytest.approx(step, abs=2)


def test_a_checkpoint_has_a_tick_even_without_probe_and_snapshot(panel: Curves, history: History) -> None:
    history._snapshot_steps, history.checkpoint_steps = [0, 300], [250, 300]
    panel.show_step(history, NUM_STEPS)
    assert panel.ticks._kept.getOriginalDataset()[0].tolist() == [0, 0, 250, 250, 300, 300]


def test_a_click_near_a_tick_or_mark_snaps_to_its_step(panel: Curves, history: History, qtbot: QtBot) -> None:
    history.apply(StepsDone(first_step=401, arrays={"train/loss": np.full(19_600, 0.7)}))
    for step in (5000, 9000):
        history.apply(ProbeDone(probe=Probe(step=step, sentences=(sentence(),))))
    panel._playhead.advance(20_000)
    history.apply(SettingChanged(step=7053, key="training.max_grad_norm", value=0.5))
    panel.show_step(history, 20_000)
    panel.grab()
    for step, pixels, expected in ((7053, 2, 7053), (5000, -3, 5000), (9000, 3, 9000)):
        place = point_at(panel.ticks, step, 0.5) + QPoint(pixels, 0)
        qtbot.mouseClick(panel.ticks.viewport(), Qt.MouseButton.LeftButton, pos=place)
        assert panel._playhead.step == expected


@pytest.mark.parametrize("strip", ["loss", "learning_rate", "ticks"])
def test_the_playhead_can_be_dragged_in_every_strip(panel: Curves, history: History, qtbot: QtBot, strip: str) -> None:
    plot = getattr(panel, strip)
    middle = sum(plot.viewRange()[1]) / 2
    start, end = point_at(plot, 400, middle), point_at(plot, 150, middle)
    qtbot.mouseMove(plot.viewport(), start)
    qtbot.mousePress(plot.viewport(), Qt.MouseButton.LeftButton, pos=start)
    for share in range(1, 11):
        qtbot.mouseMove(plot.viewport(), start + (end - start) * (share / 10))
        qtbot.wait(20)
    dragged_to = plot._playhead_line.value()
    panel.show_step(history, NUM_STEPS)  # a redraw meanwhile, even of another step, does not move it
    assert plot._playhead_line.value() == dragged_to == pytest.approx(150, abs=5)
    qtbot.mouseRelease(plot.viewport(), Qt.MouseButton.LeftButton, pos=end)
    assert panel._playhead.step == pytest.approx(150, abs=5)
    panel.show_step(history, panel._playhead.step)
    lines = [one._playhead_line for one in (panel.loss, panel.learning_rate, panel.ticks)]
    assert [line.value() for line in lines] == [panel._playhead.step] * 3 and all(line.isVisible() for line in lines)


def test_keys_move_from_probe_to_probe(panel: Curves, qtbot: QtBot) -> None:
    panel.setFocus()
    seen = []
    keys = (Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End)
    for key in keys:
        qtbot.keyClick(panel, key)
        seen.append(panel._playhead.step)
    assert seen == [300, 100, 300, 0, 400]
    assert panel._playhead.is_live


def test_the_axis_does_not_change_while_the_mouse_moves_over_it(
    panel: Curves, history: History, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(panel.loss, "underMouse", lambda: True)
    qtbot.mouseMove(panel.loss.viewport(), QPoint(100, 50))
    qtbot.waitUntil(lambda: panel.loss.is_hovered, timeout=WAIT_MS)
    before = panel.loss.viewRange()
    history.apply(StepsDone(first_step=401, arrays={"train/loss": np.full(400, 9.0)}))
    panel.show_step(history, 800)
    assert panel.loss.viewRange() == before
    panel.loss._hover_timer.stop()  # as after a while without movement
    panel.show_step(history, 800)
    assert panel.loss.viewRange()[0][1] > 800 and panel.loss.viewRange()[1][1] > 9


def test_the_theme_can_be_switched(panel: Curves, theme: Theme) -> None:
    theme.set_mode("dark")
    corner = panel.loss.grab().toImage().pixelColor(200, 60)
    assert corner.lightness() < 64
    assert panel.loss._train.opts["pen"].color().name() == theme.colours.training
    assert panel.loss._valid.opts["pen"].style() == Qt.PenStyle.DashLine


def test_its_texts_follow_the_zoom(panel: Curves, theme: Theme) -> None:
    loss, sizes = panel.loss, list[list[float]]()
    for zoom in (100, 200):
        theme.set_zoom(zoom)
        fonts = [loss.getAxis("left").style["tickFont"], loss._levels["guessing"].label.textItem.font()]
        sizes.append([font.pointSizeF() for font in (*fonts, loss._names["train"].textItem.font())])
    assert sizes[1] == pytest.approx([2 * size for size in sizes[0]])


def test_the_axes_are_set_even_if_the_window_opens_under_the_mouse(empty_window: MainWindow, qtbot: QtBot) -> None:
    curves = empty_window.train_view.curves
    qtbot.mouseMove(curves)
    qtbot.waitUntil(curves.underMouse, timeout=WAIT_MS)
    empty_window.start()
    assert curves.loss.underMouse()
    assert curves.loss.viewRange()[0][1] > 20
    assert curves.loss.viewRange()[1][1] > curves.loss._levels["guessing"].value()
    qtbot.mouseMove(empty_window.rail)


@pytest.fixture
def trained(qtbot: QtBot, window: MainWindow) -> MainWindow:
    """The real window after twelve steps."""
    window.context.workbench.learn(12)
    bridge = window.context.bridge
    qtbot.waitUntil(lambda: bridge.state == "paused" and bridge.history.last_step == 12, timeout=WAIT_MS)
    curves = window.train_view.curves
    qtbot.waitUntil(lambda: "step 12" in curves.title_label.text() and not curves.is_dirty, timeout=WAIT_MS)
    return window


def test_before_the_first_step_it_says_what_to_do(window: MainWindow, qtbot: QtBot) -> None:
    loss = window.train_view.curves.loss
    qtbot.waitUntil(lambda: loss._hint.isVisible(), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: "Space" in loss._hint.toPlainText(), timeout=WAIT_MS)


def test_it_does_not_suggest_space_when_the_data_cannot_be_prepared(
    window: MainWindow, qtbot: QtBot, small_file: Path
) -> None:
    curves, bridge = window.train_view.curves, window.context.bridge
    qtbot.waitUntil(lambda: curves.loss._hint.isVisible(), timeout=WAIT_MS)
    broken = small_file.with_name("broken.yaml")
    broken.write_text(small_file.read_text(encoding="utf-8").replace("copy_task", "no_such_plugin"), encoding="utf-8")
    window.setup_drawer.open_file(broken)
    qtbot.waitUntil(lambda: bridge.state == "empty" and curves.is_empty, timeout=WAIT_MS)
    assert not curves.loss.isVisible() and "Space" not in curves.empty_label.text()
    row, bar = window.train_view.sentence_row, window.status_bar
    qtbot.waitUntil(lambda: row.source_label.text() == row.position_label.text() == "", timeout=WAIT_MS)
    assert bar.size_label.text() == bar.device_label.text() == ""  # nothing remains of the previous data
    for add_button in (row.add_button, window.attention_view.sentence_row.add_button):
        assert not add_button.isEnabled() and add_button.toolTip().startswith("Nothing is prepared: ")
    window.setup_drawer.open_file(small_file)
    qtbot.waitUntil(lambda: bridge.state == "ready" and curves.loss.isVisible(), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: bar.size_label.text().endswith("8 → 8 tokens"), timeout=WAIT_MS)
    assert curves.loss._hint.isVisible()
    assert row.add_button.isEnabled() and window.attention_view.sentence_row.add_button.isEnabled()


def test_the_curves_are_those_of_the_run_in_both_modes(trained: MainWindow) -> None:
    history, curves = trained.context.bridge.history, trained.train_view.curves
    steps, losses = history.curve("train/loss")
    drawn_steps, drawn = curves.loss._raw.getOriginalDataset()
    assert np.array_equal(drawn_steps, steps)
    assert np.array_equal(drawn, losses)
    assert np.array_equal(curves.learning_rate._done.getOriginalDataset()[1], history.curve("train/learning_rate")[1])
    ticks = np.unique(curves.ticks._probes.getOriginalDataset()[0])
    assert ticks.tolist() == history.probes.steps
    loss, theme = curves.loss, trained.context.theme
    for mode in ("dark", "light"):
        theme.set_mode(mode)
        assert loss._train.opts["pen"].color() == theme.colour("training"), mode
        assert loss._valid.opts["pen"].style() == Qt.PenStyle.DashLine, mode


def test_dragging_or_clicking_moves_the_playhead_and_shows_its_figures(trained: MainWindow, qtbot: QtBot) -> None:
    curves, playhead = trained.train_view.curves, trained.context.playhead
    curves.loss._playhead_line.setValue(5)
    curves.loss._playhead_line.sigDragged.emit(curves.loss._playhead_line)
    assert playhead.step == 5
    assert not playhead.is_live
    loss = trained.context.bridge.history.value("train/loss", 5)
    qtbot.waitUntil(lambda: f"step 5: train {loss:.3g}" in curves.title_label.text(), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: curves.learning_rate._playhead_line.value() == 5, timeout=WAIT_MS)  # drawn in a later piece
    plot = curves.loss
    place = plot.mapFromScene(plot.plotItem.vb.mapViewToScene(QPointF(7.0, 1.0)))
    qtbot.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.waitUntil(lambda: playhead.step == 7, timeout=WAIT_MS)


def test_a_setting_changed_twice_at_one_step_is_marked_once(trained: MainWindow, qtbot: QtBot) -> None:
    loss = trained.train_view.curves.loss
    for typed in (0.1, 0.01):
        trained.context.workbench.edit("training.label_smoothing", typed)
    qtbot.waitUntil(
        lambda: [line.label.toPlainText() for line in loss._changes] == ["label_smoothing 0.01"], timeout=WAIT_MS
    )
    assert loss._changes[0].value() == 12
    trained.context.workbench.reset()
    qtbot.waitUntil(lambda: not loss._changes, timeout=WAIT_MS)


def test_the_axes_follow_the_run_once_the_mouse_has_left(trained: MainWindow, qtbot: QtBot) -> None:
    curves, loss = trained.train_view.curves, trained.train_view.curves.loss
    qtbot.mouseMove(loss.viewport())
    qtbot.waitUntil(loss.underMouse, timeout=WAIT_MS)
    before = loss.viewRange()
    trained.context.workbench.learn(20)  # beyond the end of the axis
    qtbot.waitUntil(lambda: "step 32" in curves.title_label.text() and not curves.is_dirty, timeout=WAIT_MS)
    assert loss.viewRange() == before
    qtbot.mouseMove(trained.rail)
    qtbot.waitUntil(lambda: loss.viewRange()[0][1] > 32, timeout=WAIT_MS)


def test_the_axes_follow_the_run_once_the_mouse_stands_still(trained: MainWindow, qtbot: QtBot) -> None:
    loss = trained.train_view.curves.loss
    loss._hover_timer.setInterval(200)
    qtbot.mouseMove(loss.viewport())
    qtbot.waitUntil(loss.underMouse, timeout=WAIT_MS)
    trained.context.workbench.learn(20)  # beyond the end of the axis; the run pauses while the mouse stands there
    qtbot.waitUntil(lambda: trained.context.bridge.state == "paused", timeout=WAIT_MS)
    qtbot.waitUntil(lambda: loss.viewRange()[0][1] > 32, timeout=WAIT_MS)
    assert loss.underMouse()
    qtbot.mouseMove(trained.rail)


def test_the_wheel_zooms_until_a_double_click(trained: MainWindow, qtbot: QtBot) -> None:
    curves, loss = trained.train_view.curves, trained.train_view.curves.loss
    full, ticks = loss.viewRange()[0], curves.ticks.viewRange()[0]
    qtbot.mouseMove(loss.viewport())
    qtbot.waitUntil(loss.underMouse, timeout=WAIT_MS)
    for plot in (loss, curves.learning_rate, curves.ticks):
        turn_wheel(plot, -1200)
        assert loss.viewRange()[0] == pytest.approx(full) and curves.ticks.viewRange()[0] == pytest.approx(ticks)
    turn_wheel(loss, 480)
    zoomed = loss.viewRange()[0]
    assert zoomed[1] - zoomed[0] < full[1] - full[0] and curves.ticks.viewRange()[0] == pytest.approx(zoomed)
    loss._hover_timer.stop()
    curves.mark_dirty()
    qtbot.waitUntil(lambda: not curves.is_dirty, timeout=WAIT_MS)
    assert loss.viewRange()[0] == zoomed  # as long as it is zoomed
    qtbot.mouseDClick(loss.viewport(), Qt.MouseButton.LeftButton, pos=loss.viewport().rect().center())
    qtbot.waitUntil(lambda: loss.viewRange()[0] == pytest.approx(full), timeout=WAIT_MS)
    qtbot.mouseMove(trained.rail)


def turn_wheel(plot: StepPlot, angle: int) -> None:
    """Turn the mouse wheel over the middle of a plot; a positive angle zooms in."""
    place = plot.viewport().rect().center()
    event = QWheelEvent(
        QPointF(place),
        QPointF(plot.viewport().mapToGlobal(place)),
        QPoint(),
        QPoint(0, angle),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(plot.viewport(), event)


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("guessing", "Guessing: a model to which every token of the target vocabulary is equally likely"),
        ("unigram", "Token frequencies: a model that knows how often each token comes"),
        ("limit", "Noise floor: the plugin says that no model can do better on these data"),
    ],
)
def test_each_reference_line_has_a_tooltip(panel: Curves, history: History, name: str, beginning: str) -> None:
    assert history.prepared is not None
    history.prepared = replace(history.prepared, unigram_loss=2.5)
    panel.show_step(history, NUM_STEPS)
    panel.grab()
    line = panel.loss._levels[name]
    on_the_name = panel.loss.mapFromScene(line.label.sceneBoundingRect().center())
    for place in (point_at(panel.loss, 200, line.value()), on_the_name):
        assert tip_at(panel.loss, place).startswith(beginning)
    assert tip_at(panel.loss, point_at(panel.loss, 200, 3.2)) == panel.toolTip()  # elsewhere, the panel's tooltip


def tip_at(plot: StepPlot, place: QPoint) -> str:
    """The tooltip at a point of a plot."""
    view = plot.viewport()
    QApplication.sendEvent(view, QHelpEvent(QEvent.Type.ToolTip, place, view.mapToGlobal(place)))
    return QToolTip.text()


def test_reference_lines_close_to_each_other_cross_no_label(panel: Curves, history: History) -> None:
    """As in the first preset at 1280 x 720: guessing at 4.63, token frequencies at 3.98, and the floor below."""
    assert history.prepared is not None
    for guessing, unigram, limit in ((103, 3.98, 0.53), (103, 3.98, None), (8, 1.9, 0.0), (50, 2.0, 1.6)):
        limits = {} if limit is None else {"valid/loss": limit}
        history.prepared = replace(history.prepared, tgt_tokens=("b",) * guessing, unigram_loss=unigram, limits=limits)
        panel.show_step(history, NUM_STEPS)
        panel.grab()
        levels = [line for line in panel.loss._levels.values() if line.isVisible()]
        for line in levels:
            name = line.label.sceneBoundingRect().adjusted(0, 3, 0, -3)  # without the padding
            heights = [panel.loss.plotItem.vb.mapViewToScene(QPointF(0, other.value())).y() for other in levels]
            assert not any(name.top() < height < name.bottom() for height in heights), line.label.toPlainText()
            ground, own = line.label.sceneBoundingRect(), heights[levels.index(line)]
            assert not ground.top() - 0.5 < own < ground.bottom() + 0.5, line.label.toPlainText()  # its line is whole
            assert panel.loss.plotItem.vb.sceneBoundingRect().contains(name), line.label.toPlainText()


def test_the_axis_of_steps_is_named_beside_its_numbers(panel: Curves, history: History, theme: Theme) -> None:
    loss = panel.loss
    bottom, left = loss.getAxis("bottom"), loss.getAxis("left")
    for zoom in (100, 150, 80):
        theme.set_zoom(zoom)
        panel.show_step(history, NUM_STEPS)
        panel.grab()
        name, zero = loss.axis_name.sceneBoundingRect(), QFontMetricsF(theme.font(0.85)).horizontalAdvance("0")
        assert loss.axis_name.isVisible() and loss.axis_name.toPlainText() == "step"
        assert name.left() >= 0 and name.right() < left.sceneBoundingRect().right() - zero  # left of the other axis's 0
        assert bottom.sceneBoundingRect().bottom() >= name.bottom()  # it takes no room of its own
    with panel.exporting():  # then the axis has a name of the usual kind
        assert not loss.axis_name.isVisible() and bottom.label.isVisible()
    assert loss.axis_name.isVisible() and not bottom.label.isVisible()


def test_labels_keep_clear_of_playhead_and_star(panel: Curves, history: History) -> None:
    """At the end of a run, where all of them meet."""
    assert history.prepared is not None
    history.prepared = replace(history.prepared, unigram_loss=2.5)
    panel.show_step(history, NUM_STEPS)
    panel.grab()
    playhead = panel.loss.plotItem.vb.mapViewToScene(QPointF(NUM_STEPS, 0)).x()
    for name in panel.loss._names.values():
        assert name.sceneBoundingRect().left() > playhead + 13 / 2
    for line in panel.loss._levels.values():
        assert line.label.sceneBoundingRect().right() < playhead


def standing_at_guessing(
    num_steps: int, stage: Callable[[QWidget, int, int], None], theme: Theme, valid: float = 3.95, height: int = 190
) -> Curves:
    """The curves of a run that learns nothing, with its rate changed at the end; the height as with an open notice."""
    history, playhead = History(), Playhead()
    history.apply(prepared())
    history.apply(StepsDone(first_step=1, arrays={"train/loss": np.full(num_steps, math.log(50))}))
    history.apply(ValidationDone(step=num_steps - 20, metrics={"valid/loss": valid}, sentences=(), is_best=True))
    history.apply(SettingChanged(step=num_steps, key="training.optimizer.learning_rate", value=0.00025))
    playhead.advance(num_steps)
    curves = Curves(theme, playhead, Replay(playhead, lambda: history.probes.steps))
    stage(curves, 1180, height)
    curves.show_step(history, num_steps)
    curves.grab()
    return curves


def names_in(loss: LossPlot) -> list[pg.TextItem]:
    return [*loss._names.values(), *(line.label for line in (*loss._levels.values(), *loss._changes))]


def pixels_of(colour: QColor, plot: StepPlot, within: QRectF | None = None) -> set[tuple[int, int]]:
    """The pixels of this colour in a plot, or in a part of its scene."""
    image = plot.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    part = image.rect() if within is None else plot.mapFromScene(within).boundingRect() & image.rect()
    seen = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width()) == colour.rgb()
    rows, columns = np.nonzero(seen[part.top() : part.bottom() + 1, part.left() : part.right() + 1])
    return set(zip((columns + part.left()).tolist(), (rows + part.top()).tolist(), strict=True))


@pytest.mark.parametrize("height", [190, 400])
@pytest.mark.parametrize("num_steps", [120, 260])
def test_no_curve_crosses_a_label_while_there_is_room(
    stage: Callable[[QWidget, int, int], None], theme: Theme, num_steps: int, height: int
) -> None:
    loss = standing_at_guessing(num_steps, stage, theme, valid=3.85, height=height).loss
    for name in (loss._names["valid"], loss._levels["guessing"].label, loss._changes[0].label):
        letters = name.sceneBoundingRect().adjusted(4, 4, -4, -4)  # without the padding
        assert not pixels_of(theme.colour("training"), loss, letters), name.toPlainText()


@pytest.mark.parametrize("height", [190, 260])
def test_no_label_hides_a_curve(panel: Curves, history: History, theme: Theme, height: int) -> None:
    """Even if no position is free: the loss oscillates over the whole plot, and settings are changed meanwhile."""
    waves = 2.1 + 2.0 * np.sin(np.arange(NUM_STEPS))
    history.apply(StepsDone(first_step=1, arrays={"train/loss": waves}))
    for step in (40, 150, 320):
        history.apply(SettingChanged(step=step, key="training.optimizer.learning_rate", value=step * 1e-6))
    panel.window().resize(1100, height)
    panel.show_step(history, NUM_STEPS)
    loss, colours = panel.loss, [theme.colour("training"), theme.colour("validation")]
    beside_names = [pixels_of(colour, loss) for colour in colours]
    for name in names_in(loss):
        name.setVisible(False)
    for colour, seen in zip(colours, beside_names, strict=True):
        curve_pixels = pixels_of(colour, loss)
        assert len(curve_pixels) > 100 and curve_pixels <= seen


@pytest.mark.parametrize("num_steps", [60, 120, 240, 260, 380])
def test_the_label_of_a_loss_at_guessing_does_not_overlap_that_of_guessing(
    stage: Callable[[QWidget, int, int], None], theme: Theme, num_steps: int
) -> None:
    curves = standing_at_guessing(num_steps, stage, theme)
    ends, guessing = curves.loss._names.values(), curves.loss._levels["guessing"].label
    for end in ends:
        assert end.isVisible() and not end.sceneBoundingRect().intersects(guessing.sceneBoundingRect())
    for name in (*ends, guessing):
        letters = name.sceneBoundingRect().adjusted(0, 3, 0, -3)
        assert curves.loss.plotItem.vb.sceneBoundingRect().contains(letters), name.toPlainText()


@pytest.mark.parametrize("height", [150, 200, 260, 400])
def test_the_label_of_a_changed_setting_is_never_cut(
    stage: Callable[[QWidget, int, int], None], panel: Curves, history: History, height: int
) -> None:
    stage(panel, 1180, height)
    for step in (5, 200, 395):
        history.apply(SettingChanged(step=step, key="training.optimizer.learning_rate", value=0.00025))
    panel.show_step(history, NUM_STEPS)
    panel.grab()
    plot_area = panel.loss.plotItem.vb.sceneBoundingRect().adjusted(-0.01, -0.01, 0.01, 0.01)  # rounding
    for line in panel.loss._changes:
        assert plot_area.contains(line.label.sceneBoundingRect())


def test_labels_stay_complete_when_the_plot_shrinks_without_a_redraw(panel: Curves, history: History) -> None:
    """As when a notice opens or the window becomes smaller."""
    history.apply(SettingChanged(step=150, key="training.optimizer.learning_rate", value=0.00025))
    for height in (400, 190):
        panel.window().resize(1100, height)
        panel.grab()
        if height == 400:
            panel.show_step(history, NUM_STEPS)
    plot_area = panel.loss.plotItem.vb.sceneBoundingRect()
    for name in names_in(panel.loss):
        if name.isVisible():
            assert plot_area.contains(name.sceneBoundingRect().adjusted(0, 3, 0, -3)), name.toPlainText()


def test_labels_are_placed_again_for_new_data_but_not_for_the_playhead(
    panel: Curves, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel.show_step(history, NUM_STEPS)  # places the labels
    placed: list[pg.PlotItem] = []

    def recording_placer(plot: pg.PlotItem) -> LabelPlacer:
        placed.append(plot)
        return LabelPlacer(plot)

    for module in ("validation_plot", "learning_rate_plot"):
        monkeypatch.setattr(f"gui.panels.learning.{module}.LabelPlacer", recording_placer)
    for step in (100, 250, NUM_STEPS):
        panel.show_step(history, step)
    assert not placed
    history.apply(StepsDone(first_step=401, arrays={"train/loss": np.full(1, 0.5)}))
    panel.show_step(history, 401)
    assert placed.count(panel.loss.plotItem) == 1
    history.apply(SettingChanged(step=401, key="training.label_smoothing", value=0.05))
    panel.show_step(history, 401)
    assert placed.count(panel.loss.plotItem) == 2


def test_token_frequencies_are_a_line_if_they_are_known(panel: Curves, history: History) -> None:
    line = panel.loss._levels["unigram"]
    assert not line.isVisible()
    assert history.prepared is not None
    history.prepared = replace(history.prepared, unigram_loss=2.5)
    panel.show_step(history, NUM_STEPS)
    assert line.isVisible() and line.value() == 2.5 and line.label.toPlainText() == "token frequencies: 2.50"
    assert all("how often each token comes" in item.toolTip() for item in (line, line.label))
