"""The picture of the paper's schedule: its formula, dragging the warm-up, and applying it to Setup."""

from __future__ import annotations

import itertools
import operator

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.config import RunConfig
from gui.main_window import VIEWS, MainWindow
from gui.panels.anatomy.noam import NoamTopic
from tests.gui.conftest import WAIT_MS
from tests.gui.panels.anatomy.curves import runs_through


@pytest.fixture
def topic(window: MainWindow) -> NoamTopic:
    view = window.anatomy_view
    window.show_view(VIEWS.index(type(view)))
    view.choose(NoamTopic)
    assert isinstance(view.topic, NoamTopic)
    draw(view.topic, window)
    return view.topic


def draw(topic: NoamTopic, window: MainWindow) -> None:
    topic.show_step(window.context.bridge.history, 0)


def direct(d_model: int, warmup: int, steps: np.ndarray) -> np.ndarray:
    return d_model**-0.5 * np.minimum(steps**-0.5, steps * warmup**-1.5)


def test_it_opens_with_the_formulas_curves_a_legend_and_numbered_ticks(topic: NoamTopic) -> None:
    assert (topic.width_spin.value(), topic.warmup_spin.value()) == (16, 4000)  # the small model's, the paper's
    for curve, (width, warmup) in zip(
        (topic._own_curve, *topic._paper_curves), ((16, 4000), (512, 4000), (512, 8000), (256, 4000)), strict=True
    ):
        steps, rates = curve.getData()
        np.testing.assert_allclose(rates, direct(width, warmup, steps))
    topic.plot.grab()
    for curve, sample, name in zip(topic._curves, topic._legend_samples, topic._legend_labels, strict=True):
        assert sample.opts["pen"] == curve.opts["pen"]
        (_, end), (height, _) = sample.getData()
        assert end < name.pos().x() and height == pytest.approx(name.pos().y())
    assert len({tuple(curve.opts["pen"].dashPattern()) for curve in topic._paper_curves}) == 3
    ((_, numbers),) = [tick for tick in topic.plot.getAxis("bottom")._tickLevels[0] if tick[0] == 20_000]
    assert numbers == "20,000" and topic.plot.viewRange()[0][1] > 20_000


def test_dragging_the_line_sets_the_warmup_states_the_peak_and_setup_takes_it_over(
    topic: NoamTopic, window: MainWindow, qtbot: QtBot
) -> None:
    topic.line.setValue(900.4)
    topic.line.sigDragged.emit(topic.line)
    draw(topic, window)
    assert topic.warmup_spin.value() == 900
    assert topic.readout_label.text().startswith("Yours peaks at step 900 with 0.00833. ")
    topic.plot.pointed.emit(QPointF(3600.0, 0.0))
    assert topic.readout_label.text().endswith("At step 3,600: 0.00417.")
    steps, rates = topic._own_curve.getData()
    assert steps[rates.argmax()] == 900

    topic.warmup_spin.setValue(250)
    qtbot.mouseClick(topic.apply_button, Qt.MouseButton.LeftButton)
    draft = window.context.workbench.draft
    assert draft is not None
    assert (draft.training.schedule.name, draft.training.schedule.warmup_steps) == ("noam", 250)
    message = window.status_bar.message_label
    assert message.text().startswith("Setup now uses noam with 250 warm-up steps: ")
    topic.warmup_spin.setValue(1)
    qtbot.mouseClick(topic.apply_button, Qt.MouseButton.LeftButton)
    assert "noam with 1 warm-up step:" in message.text()


def prepare(window: MainWindow, qtbot: QtBot, edits: dict[str, object]) -> None:
    """Have the engine prepare the small run with these settings."""
    workbench = window.context.workbench
    assert not workbench.apply_valid_edits(edits)
    qtbot.waitUntil(lambda: workbench.resolved is not None and _has(workbench.resolved.config, edits), timeout=WAIT_MS)


def _has(config: RunConfig, edits: dict[str, object]) -> bool:
    return all(operator.attrgetter(key)(config) == value for key, value in edits.items())


def test_the_runs_factor_is_in_the_curve_the_text_and_the_numbers(
    topic: NoamTopic, window: MainWindow, qtbot: QtBot
) -> None:
    prepare(window, qtbot, {"training.schedule.name": "noam", "training.schedule.factor": 2.0})
    topic.warmup_spin.setValue(900)
    draw(topic, window)
    steps, rates = topic._own_curve.getData()
    np.testing.assert_allclose(rates, 2 * direct(16, 900, steps))
    np.testing.assert_allclose(topic._paper_curves[0].getData()[1], direct(512, 4000, steps))  # the paper's
    head, *rows = topic.numbers()
    assert head[1:3] == ["16:900 factor 2", "512:4000"]
    np.testing.assert_allclose(np.array(rows)[:, 1], rates)
    peak = "Yours peaks at step 900 with 0.0167, this run's factor of 2 included. "
    assert topic.readout_label.text().startswith(peak)
    assert topic._legend_labels[0].toPlainText() == "yours: width 16, warm-up 900, factor 2"


def test_the_text_names_the_runs_own_schedule_if_it_is_another(
    topic: NoamTopic, window: MainWindow, qtbot: QtBot
) -> None:
    for name, is_named in (("cosine", True), ("noam", False)):
        prepare(window, qtbot, {"training.schedule.name": name})
        draw(topic, window)
        assert ("This run's own schedule is cosine." in topic.readout_label.text()) == is_named
        assert ("own schedule" in topic.readout_label.text()) == is_named


def test_a_warmup_longer_than_the_run_gives_a_warning(topic: NoamTopic, window: MainWindow, qtbot: QtBot) -> None:
    prepare(window, qtbot, {"training.max_steps": 1})
    draw(topic, window)
    assert "A run of 1 step, as this one, ends within" in topic.readout_label.text()
    prepare(window, qtbot, {"training.max_steps": 1000})
    warning = "A run of 1,000 steps, as this one, ends within that warm-up and never reaches the peak."
    for warmup, is_warned in ((4000, True), (1001, True), (1000, False)):
        topic.warmup_spin.setValue(warmup)
        draw(topic, window)
        assert (warning in topic.readout_label.text()) == is_warned
    topic.warmup_spin.setValue(4000)
    qtbot.mouseClick(topic.apply_button, Qt.MouseButton.LeftButton)
    draw(topic, window)  # as each step does, and each preparation
    message = "Setup now uses noam with 4,000 warm-up steps: the model is prepared again"
    assert window.status_bar.message_label.text() == message and warning in topic.readout_label.text()


def test_setup_plans_the_curve_that_was_dragged(topic: NoamTopic, window: MainWindow, qtbot: QtBot) -> None:
    prepare(window, qtbot, {"training.schedule.factor": 2.0, "training.max_steps": 2000})
    topic.warmup_spin.setValue(900)
    draw(topic, window)
    qtbot.mouseClick(topic.apply_button, Qt.MouseButton.LeftButton)
    window.rail.setup_button.click()
    schedule = window.setup_drawer.schedule
    qtbot.waitUntil(lambda: not schedule.is_dirty, timeout=WAIT_MS)
    steps, planned = schedule._curve.getData()
    np.testing.assert_allclose(planned, np.interp(steps, *topic._own_curve.getData()), rtol=0.01)
    assert schedule.plot.toolTip() == f"Peak {planned.max():.3g}, last {planned[-1]:.3g}"


def test_the_axis_covers_a_long_run_its_end_is_marked_and_the_warmup_follows(
    topic: NoamTopic, window: MainWindow, qtbot: QtBot
) -> None:
    for max_steps, last in ((1000, 20_000), (90_000, 90_000), (40, 20_000)):
        prepare(window, qtbot, {"training.max_steps": max_steps})
        draw(topic, window)
        steps, rates = topic._own_curve.getData()
        assert steps[-1] == last and 1.0 * last < topic.plot.viewRange()[0][1] < 1.1 * last
        assert steps[rates.argmax()] == topic.warmup_spin.value() == 4000
        np.testing.assert_allclose(rates, direct(16, 4000, steps))
        for curve, (_, warmup) in zip(topic._paper_curves, ((512, 4000), (512, 8000), (256, 4000)), strict=True):
            assert curve.getData()[0][curve.getData()[1].argmax()] == warmup
        assert topic.warmup_spin.maximum() == last and list(topic.line.maxRange) == [1, last]
        assert topic.end_line.isVisible() and topic.end_line.value() == max_steps
        assert topic.end_line.label.toPlainText() == f"this run ends at {max_steps:,}"
        numbered = [step for step, _ in topic.plot.getAxis("bottom")._tickLevels[0]]
        assert 4 <= len(numbered) <= 11 and numbered[0] == 0

    for max_steps, warmup in ((60_000, 30_000), (1_000, 100)):
        settings = {"max_steps": max_steps, "schedule.name": "noam", "schedule.warmup_steps": warmup}
        prepare(window, qtbot, {f"training.{key}": value for key, value in settings.items()})
        draw(topic, window)
        assert topic.warmup_spin.value() == warmup


def test_labels_are_complete_and_overlap_neither_each_other_nor_a_curve_at_any_zoom(
    topic: NoamTopic, window: MainWindow, qtbot: QtBot
) -> None:
    prepare(window, qtbot, {"training.max_steps": 1000})
    for height, warmup in itertools.product((720, 1000), (1, 20, 200, 300, 1000, 4000, 10_000, 20_000)):
        window.resize(1280, height)
        topic.warmup_spin.setValue(warmup)
        draw(topic, window)
        topic.plot.grab()
        assert_names_are_whole_and_apart(topic, f"at {warmup}, in a window {height} pixels high")
    window.resize(1280, 720)
    for zoom, warmup in itertools.product((150, 200), (1000, 4000, 8000)):
        window.context.theme.set_zoom(zoom)
        topic.warmup_spin.setValue(warmup)
        draw(topic, window)
        topic.plot.grab()
        QApplication.processEvents()
        topic.plot.grab()
        assert_names_are_whole_and_apart(topic, f"at {warmup}, zoomed to {zoom} %")


def assert_names_are_whole_and_apart(topic: NoamTopic, context: str) -> None:
    """Require that each label lies within the plot and overlaps no other label and no curve."""
    box = topic.plot.plotItem.vb
    words = [*topic._legend_labels, topic.line.label, topic.end_line.label]
    for index, word in enumerate(words):
        message = f"{word.toPlainText()} {context}"
        name = word.sceneBoundingRect()
        letters = name.adjusted(4, 4, -4, -4)  # without the padding
        if word in topic._legend_labels:
            letters.setLeft(letters.left() - topic.theme.px(40))  # with its sample line in the legend
        assert box.sceneBoundingRect().adjusted(-1, -1, 1, 1).contains(name), message
        assert not any(letters.intersects(other.sceneBoundingRect()) for other in words[:index]), message
        for curve in (topic._own_curve, *topic._paper_curves):
            assert not runs_through(topic.plot, curve, letters), message
