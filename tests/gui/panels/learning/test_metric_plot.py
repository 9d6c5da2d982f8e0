"""A validation metric in place of the loss: chosen with the keyboard, with the limit that the plugin gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot

from core.events import StateChanged, StepsDone, ValidationDone
from core.history import History
from core.training.metrics import FREE_RUNNING, TEACHER_FORCED
from gui.main_window import MainWindow
from gui.panels.learning.curves import Curves, figures_at
from gui.panels.learning.metric_labels import format_metric, metric_label
from gui.panels.learning.metric_plot import MetricPlot
from gui.panels.learning.validation_plot import HEADROOM
from gui.pictures.export_button import ExportButton
from gui.pictures.picture_file import encoders_of
from gui.playhead import Playhead
from gui.theme import Theme
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none
from tests.gui.panels.conftest import NUM_STEPS, prepared
from tests.gui.panels.learning.test_curves import point_at, tip_at

NOISY = """
format: 1
dataset:
  plugin: phonetic_to_letter
  options: {count: 200, length: 3}
model: {d_model: 16, num_heads: 2, num_encoder_layers: 1, num_decoder_layers: 1, d_ff: 16}
training: {batch_size: 16, max_steps: 30, validate_every: 10, checkpoint_every: 1000}
"""
ALL = [*TEACHER_FORCED, *FREE_RUNNING, "letters_clean", "letters_noisy"]
Key = Qt.Key


@pytest.fixture
def noisy_window(empty_window: MainWindow, tmp_path: Path, qtbot: QtBot) -> MainWindow:
    """The window with a dataset whose plugin gives a limit of token accuracy."""
    path = tmp_path / "noisy.yaml"
    path.write_text(NOISY, encoding="utf-8")
    empty_window.setup_drawer.open_file(path)
    bridge = empty_window.context.bridge
    qtbot.waitUntil(lambda: bridge.state == "ready" and bool(bridge.history.probes.steps), timeout=WAIT_MS)
    return empty_window


@pytest.fixture
def trained(noisy_window: MainWindow, qtbot: QtBot) -> MainWindow:
    """The window after two validations, at steps 10 and 20."""
    noisy_window.context.workbench.learn(20)
    bridge = noisy_window.context.bridge
    qtbot.waitUntil(lambda: bridge.state == "paused" and len(bridge.history.validations) == 2, timeout=WAIT_MS)
    wait_until_drawn(noisy_window, qtbot)
    return noisy_window


def wait_until_drawn(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.train_view.curves.is_dirty, timeout=WAIT_MS)


def choose(window: MainWindow, qtbot: QtBot, metric: str) -> MetricPlot:
    """Choose a metric with the keyboard: Home is the loss, Down the next metric."""
    combo = window.train_view.curves.metric_combo
    qtbot.waitUntil(combo.isEnabled, timeout=WAIT_MS)
    qtbot.keyClick(combo, Key.Key_Home)
    for _ in range(ALL.index(metric)):
        qtbot.keyClick(combo, Key.Key_Down)
    wait_until_drawn(window, qtbot)
    return not_none(window.train_view.curves.metric_plot)


def test_every_metric_of_the_run_can_be_drawn_with_its_limit(trained: MainWindow, qtbot: QtBot) -> None:
    history, curves = trained.context.bridge.history, trained.train_view.curves
    limits = not_none(history.prepared).limits
    combo = curves.metric_combo
    assert [combo.itemData(index) for index in range(combo.count())] == [f"valid/{name}" for name in ALL]
    for name in ALL[1:]:
        plot = choose(trained, qtbot, name)
        assert plot.isVisible() and not curves.loss.isVisible()
        steps, values = plot._valid.getOriginalDataset()
        assert dict(zip(steps.tolist(), values.tolist(), strict=True)) == {
            step: metrics[f"valid/{name}"] for step, metrics in history.validations.items()
        }
        limit = plot._levels["limit"]
        assert limit.isVisible() == (f"valid/{name}" in limits)
        if limit.isVisible():
            assert limit.value() == limits[f"valid/{name}"] < plot.viewRange()[1][1]
            assert limit.label.toPlainText() == f"limit {limit.value():.3g}"
        bottom, top = plot.viewRange()[1]
        assert bottom == 0 and max(values) <= top
        assert plot.getAxis("left").autoSIPrefixScale == 1  # 0.05 is written as such, not scaled by an SI prefix
    qtbot.keyClick(combo, Key.Key_Home)
    wait_until_drawn(trained, qtbot)
    assert curves.loss.isVisible() and not plot.isVisible()
    assert curves.plots[0] is curves.loss and "Loss, nats" in curves.title_label.text()


def test_a_limit_in_thousands_is_written_as_the_axis_writes_it(theme: Theme) -> None:
    plot, history = MetricPlot(theme, Playhead()), History()
    history.apply(replace(prepared(), limits={"valid/points": 1500.0}))
    plot.show_metric("valid/points")
    plot.draw(history)
    assert plot._levels["limit"].label.toPlainText() == "limit 1,500"


def test_the_chosen_metric_has_room_as_soon_as_the_window_is_zoomed(trained: MainWindow) -> None:
    theme, combo = trained.context.theme, trained.train_view.curves.metric_combo
    least = {}
    for zoom in (150, 100):
        theme.set_zoom(zoom)
        least[zoom] = combo.minimumWidth()  # the curves themselves are drawn later
    assert least[150] > 1.3 * least[100]


def test_tooltips_playhead_title_and_marks_work_as_for_the_loss(trained: MainWindow, qtbot: QtBot) -> None:
    plot, curves = choose(trained, qtbot, "token_accuracy"), trained.train_view.curves
    tooltip = "Limit: the plugin says that no model can do better on these data"
    for step in (2, 15):
        assert tip_at(plot, point_at(plot, step, plot._levels["limit"].value())) == tooltip
    assert tip_at(plot, point_at(plot, 2, 0.02)).startswith("Share of the target tokens")
    history = trained.context.bridge.history
    qtbot.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=point_at(plot, 12, 0.5))
    step = trained.context.playhead.step
    assert step == pytest.approx(12, abs=1)
    value = history.validations[10]["valid/token_accuracy"]
    valid = f"valid {value:#.3g}{'' if step == 10 else ' at 10'}"
    title = f"Token accuracy, share of target tokens · step {step}: {valid}, learning rate"
    qtbot.waitUntil(lambda: curves.title_label.text().startswith(title), timeout=WAIT_MS)
    assert plot._playhead_line.value() == step
    qtbot.keyClick(curves, Key.Key_End)
    assert trained.context.playhead.is_live
    trained.context.workbench.edit("training.label_smoothing", 0.05)
    trained.context.workbench.apply_edits_now()
    qtbot.waitUntil(lambda: len(plot._changes) == 1, timeout=WAIT_MS)
    assert plot._changes[0].label.toPlainText() == "label_smoothing 0.05"
    assert plot._changes[0].value() == trained.context.playhead.live_step


def test_it_is_exported_in_every_format(trained: MainWindow, qtbot: QtBot) -> None:
    choose(trained, qtbot, "letters_noisy")
    curves = trained.train_view.curves
    head, *_, last = curves.numbers()
    noisy = trained.context.bridge.history.validations[20]["valid/letters_noisy"]
    assert last[list(head).index("valid/letters_noisy")] == noisy
    assert curves.findChildren(ExportButton)
    drawn = encoders_of(curves.export_widgets(), "")
    assert all(len(packed()) > 1000 for packed in drawn.values())
    assert b"letters_noisy" in drawn[".svg"]()


def test_before_the_first_validation_only_the_loss_can_be_chosen(noisy_window: MainWindow, qtbot: QtBot) -> None:
    combo = noisy_window.train_view.curves.metric_combo
    wait_until_drawn(noisy_window, qtbot)
    assert combo.currentText() == "loss" and combo.count() == 1 and not combo.isEnabled()
    assert combo.toolTip() == "After the run's first validation there are more curves to choose from"
    assert combo.accessibleName() == "Curve" and combo.accessibleDescription()


def test_the_chosen_metric_is_kept_in_a_new_run_and_says_what_to_do(trained: MainWindow, qtbot: QtBot) -> None:
    plot = choose(trained, qtbot, "token_accuracy")
    trained.context.workbench.reset()
    qtbot.waitUntil(lambda: not trained.context.bridge.history.validations, timeout=WAIT_MS)
    qtbot.waitUntil(plot._hint.isVisible, timeout=WAIT_MS)
    assert plot._hint.toPlainText() == "This curve begins with the first validation: press Space to learn."
    combo = trained.train_view.curves.metric_combo
    assert combo.currentText() == "token accuracy" and combo.isEnabled()  # so that the loss can be chosen again
    assert plot._levels["limit"].isVisible()  # known before any training


@pytest.fixture
def panel(make_step_panel: Callable[[type[Curves], int], Curves], history: History) -> Curves:
    """The curves of 400 steps, with validations that also have a plugin's metric `gain`."""
    for step, gain in ((100, -2.0), (400, -0.5)):
        history.apply(ValidationDone(step=step, metrics={"valid/gain": gain}, sentences=(), is_best=False))
    return make_step_panel(Curves, 260)


def shown(panel: Curves, history: History, metric: str) -> MetricPlot:
    """The plot of this metric, drawn."""
    panel.metric_combo.activated.emit(panel.metric_combo.findData(metric))
    panel.show_step(history, NUM_STEPS)
    return not_none(panel.metric_plot)


@pytest.mark.parametrize(
    ("value", "in_title", "in_table"),
    [
        (8123.0, "8,120", "8,123"),
        (999.96, "1,000", "1,000"),
        (123456.0, "123,000", "123,500"),
        (8.123, "8.12", "8.123"),
        (1e7, "1.00e+07", "1e+07"),
    ],
)
def test_titles_and_tables_write_large_values_as_the_axis_does(value: float, in_title: str, in_table: str) -> None:
    history = History()
    history.apply(ValidationDone(step=8, metrics={"valid/perplexity": value}, sentences=(), is_best=False))
    assert figures_at(history, 8, "valid/perplexity") == f" · step 8: valid {in_title}"
    assert format_metric("valid/perplexity", value) == in_table


def test_negative_values_are_on_the_axis(panel: Curves, history: History) -> None:
    plot = shown(panel, history, "valid/gain")
    bottom, top = plot.viewRange()[1]
    assert bottom < -2.0 and top == 0.0
    assert panel.title_label.text().startswith("gain · step 400: valid -0.5")
    name = plot._names["valid"]
    assert plot.plotItem.vb.sceneBoundingRect().contains(name.sceneBoundingRect().center())


def test_the_strips_have_its_step_axis(panel: Curves, history: History) -> None:
    plot = shown(panel, history, "valid/gain")
    history.apply(StepsDone(first_step=NUM_STEPS + 1, arrays={"train/loss": np.full(4600, 0.7)}))
    panel.show_step(history, 5000)
    panel.grab()
    for step in (0, 2000, 5000):
        places = {point_at(one, step, 0).x() for one in (plot, panel.learning_rate, panel.ticks)}
        assert max(places) - min(places) <= 1


def test_a_metric_that_is_always_zero_has_an_axis(panel: Curves, history: History) -> None:
    history.apply(ValidationDone(step=400, metrics={"valid/exact_match": 0.0}, sentences=(), is_best=False))
    panel.show_step(history, NUM_STEPS)
    assert shown(panel, history, "valid/exact_match").viewRange()[1] == [0.0, 1.0]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_leaves_the_plots_usable(panel: Curves, history: History, value: float) -> None:
    history.apply(ValidationDone(step=200, metrics={"valid/gain": value}, sentences=(), is_best=False))
    history.apply(StepsDone(first_step=NUM_STEPS + 1, arrays={"train/learning_rate": np.full(2, 1e-3)}))
    plot = shown(panel, history, "valid/gain")
    panel.grab()
    np.testing.assert_array_equal(plot._valid.getOriginalDataset(), [[100, 200, 400], [-2.0, value, -0.5]])
    bottom, top = plot.viewRange()[1]
    assert bottom == pytest.approx(-2.0 * HEADROOM) and top == 0.0
    assert panel.learning_rate._done.getOriginalDataset()[0][-1] == NUM_STEPS + 2


def test_during_training_it_says_when_the_curve_begins(panel: Curves, history: History) -> None:
    plot = shown(panel, history, "valid/gain")
    learning = History()
    learning.apply(prepared())
    learning.apply(StateChanged(state="learning", step=0))  # its first step may take long
    panel.show_step(learning, 0)
    assert plot._hint.toPlainText() == "This curve begins with the first validation."
    learning.apply(StepsDone(first_step=1, arrays={"train/loss": np.full(5, 3.0)}))
    panel.show_step(learning, 5)
    assert plot._hint.isVisible()
    assert plot._hint.toPlainText() == "This curve begins with the first validation."


def test_a_run_without_the_metric_says_so(panel: Curves, history: History) -> None:
    plot = shown(panel, history, "valid/gain")
    for metrics in history.validations.values():
        metrics.pop("valid/gain", None)
    panel.show_step(history, NUM_STEPS)
    assert plot._hint.isVisible() and "choose another curve" in plot._hint.toPlainText()


def test_it_follows_the_theme_and_shortens_a_long_name(panel: Curves, history: History, theme: Theme) -> None:
    metric = "valid/share_of_letters_heard_right_in_the_noise"
    history.apply(ValidationDone(step=400, metrics={metric: 0.5}, sentences=(), is_best=False))
    panel.show_step(history, NUM_STEPS)
    plot = shown(panel, history, metric)
    for mode in ("dark", "light"):
        theme.set_mode(mode)
        assert plot._valid.opts["pen"].color() == theme.colour("validation")
        assert plot._valid.opts["pen"].style() == Qt.PenStyle.DashLine
    name = plot.getAxis("left").label.toPlainText()
    assert name.startswith("share") and name.endswith("noise") and "…" in name
    assert plot.plotItem.vb.mapViewToScene(QPointF(0, 0)).x() == pytest.approx(64, abs=16)  # like the others


def test_another_curve_gets_its_own_axes_even_under_the_mouse(
    panel: Curves, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MetricPlot, "is_hovered", True)
    monkeypatch.setattr(MetricPlot, "underMouse", lambda self: True)
    plot = shown(panel, history, "valid/gain")
    assert plot.viewRange()[0][1] > NUM_STEPS
    before = plot.viewRange()
    history.apply(ValidationDone(step=400, metrics={"valid/gain": -9.0}, sentences=(), is_best=False))
    panel.show_step(history, NUM_STEPS)
    np.testing.assert_array_equal(plot.viewRange(), before)


def test_every_built_in_metric_has_a_description() -> None:
    for name in (*TEACHER_FORCED, *FREE_RUNNING):
        title, unit, meaning = metric_label(f"valid/{name}")
        assert title and unit and meaning.endswith(".") and "plugin" not in meaning
    assert metric_label("valid/letters_heard").title == "letters_heard"


def test_metrics_of_decoded_outputs_name_their_number_of_sentences() -> None:
    names = (*TEACHER_FORCED, *FREE_RUNNING, "letters_heard")
    found = [name for name in names if "of the first 256 validation sentences" in metric_label(f"valid/{name}").meaning]
    assert found == [*FREE_RUNNING, "letters_heard"]
