"""The controls behind More in the Attention view: pooled heads, entropies, and differences."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core.analysis.attention_entropy import head_entropy
from core.run_folder import RunFolder
from gui.heads.attention_comparison import Baseline
from gui.heads.head_picture import chosen_head
from gui.main_window import VIEWS, MainWindow
from gui.panels.attention.attention_extras import AttentionExtras
from gui.panels.attention.attention_map import AttentionMap
from gui.panels.attention.grid_canvas import GridCanvas
from gui.runs.other_runs import OtherRun
from gui.runs.rows import EXAMPLE_NAME, example_path
from gui.runs.run_names import run_name
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none
from tests.gui.waiting import wait_for


@pytest.fixture
def extras(window: MainWindow, qtbot: QtBot) -> AttentionExtras:
    """The open More of the Attention view, with the small task."""
    view = window.attention_view
    window.show_view(VIEWS.index(type(view)))
    assert not view.extras.isVisible()
    view.more_button.click()
    qtbot.waitUntil(lambda: view.extras.baseline_combo.count() > 1 and bool(view.grid.canvas.rows), timeout=WAIT_MS)
    return view.extras


def test_the_head_spin_box_shows_pooling_and_every_control_has_a_name(
    window: MainWindow, extras: AttentionExtras, qtbot: QtBot
) -> None:
    chooser, selection = window.attention_view.chooser, window.context.selection
    controls = (extras.pooled_combo, extras.baseline_combo, extras.step_combo, extras.entropy_box)
    for control in (*controls, window.attention_view.more_button):
        assert control.accessibleName() and control.toolTip()
        assert control.focusPolicy() & Qt.FocusPolicy.TabFocus
    for pooled, text in (("mean", "mean of 2"), ("max", "maximum of 2")):
        selection.choose(pooled=pooled)
        wait_for(qtbot, lambda text: chooser.head_spin.text() == text, text)
    qtbot.keyClick(chooser.head_spin, Qt.Key.Key_Up)
    assert (selection.chosen.head, selection.chosen.pooled) == (0, "")
    qtbot.waitUntil(lambda: chooser.head_spin.minimum() == 1, timeout=WAIT_MS)
    assert chooser.head_spin.text() == "1 of 2"


def test_heads_can_be_pooled_and_the_entropy_of_each_is_shown(
    window: MainWindow, extras: AttentionExtras, qtbot: QtBot
) -> None:
    view, selection = window.attention_view, window.context.selection
    qtbot.keyClicks(extras.pooled_combo, "mea")
    qtbot.waitUntil(lambda: "layer 1, mean of heads" in view.map.title_label.text(), timeout=WAIT_MS)
    assert selection.chosen.pooled == "mean" and not view.chooser.on_box.isEnabled()
    qtbot.keyClick(view.grid.canvas, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: "layer 1 head 2" in view.map.title_label.text() and not extras.is_dirty, timeout=WAIT_MS)
    assert extras.pooled_combo.currentText() == "one head" and view.chooser.on_box.isEnabled()
    assert view.chooser.head_spin.text() == "2 of 2"

    plain, colours = view.grid.canvas.grab().toImage(), colours_of_a_head(view.grid.canvas)
    extras.entropy_box.click()
    qtbot.waitUntil(lambda: not view.grid.is_dirty, timeout=WAIT_MS)
    assert view.grid.canvas.grab().toImage() != plain
    assert colours_of_a_head(view.grid.canvas) == colours, "the entropy is written below the head, not on it"
    probe = not_none(window.context.bridge.history.probes.at(0))
    assert probe.sentences[0].by_reference is not None
    nats, share = head_entropy(probe.sentences[0].by_reference.cross[0], is_causal=False)
    scores = not_none(window.context.bridge.history.probes.alignment.at(0))
    assert view.grid.numbers()[-1] == ("cross", 1, 2, scores[0, 1], nats[1], share[1])
    assert f"Entropy {nats[1]:.2f} nats" in view.grid.canvas._explain(2, 1)


def colours_of_a_head(canvas: GridCanvas) -> set[int]:
    """The colours inside a head's frame."""
    drawn = canvas.grab(canvas.cell(0, 0).toAlignedRect().adjusted(2, 2, -2, -2)).toImage()
    return {drawn.pixel(x, y) for x in range(drawn.width()) for y in range(drawn.height())}


def test_the_difference_of_two_steps_is_shown(window: MainWindow, extras: AttentionExtras, qtbot: QtBot) -> None:
    view, history = window.attention_view, window.context.bridge.history
    window.context.workbench.learn(12)
    qtbot.waitUntil(lambda: "step 12" in view.map.title_label.text(), timeout=WAIT_MS)
    extras.baseline_combo.setFocus()
    qtbot.keyClicks(extras.baseline_combo, "ano")
    qtbot.waitUntil(
        lambda: "step 12 minus step 0" in view.map.title_label.text() and not view.grid.is_dirty, timeout=WAIT_MS
    )
    probes = [history.probes.at(step) for step in (12, 0)]
    newer, older = (chosen_head(probe.sentences[0], window.context.selection).weights for probe in probes if probe)
    shown = np.array([row[1:] for row in view.map.numbers()[1:]])
    np.testing.assert_allclose(shown, newer.astype(np.float64) - older.astype(np.float64), atol=1e-6)
    assert view.grid.numbers()[-1][-1] == pytest.approx(float(view.grid.canvas.rows[-1].shown_weights[-1, -1, -1]))
    assert "against step 0" in first_cell_readout(window, qtbot)
    qtbot.waitUntil(lambda: not extras.is_dirty, timeout=WAIT_MS)
    extras.step_combo.setFocus()
    qtbot.keyClicks(extras.step_combo, "8")
    qtbot.waitUntil(lambda: "minus step 8" in view.map.title_label.text(), timeout=WAIT_MS)
    window.context.playhead.view(2)
    qtbot.waitUntil(lambda: "step 2 minus step 8" in view.map.title_label.text(), timeout=WAIT_MS)
    extras.baseline_combo.setCurrentIndex(0)
    extras.baseline_combo.activated.emit(0)
    qtbot.waitUntil(
        lambda: view.map.title_label.text().endswith("step 2") and not extras.step_combo.isVisible(), timeout=WAIT_MS
    )


def test_a_run_that_is_followed_is_not_compared_with_a_step_of_the_one_before(
    window: MainWindow, extras: AttentionExtras, qtbot: QtBot
) -> None:
    comparison, bridge = window.attention_view.comparison, window.context.bridge
    comparison.compare_with(Baseline(step=0))
    window.context.follower.follow(example_path())
    qtbot.waitUntil(lambda: bridge.followed is not None and not extras.is_dirty, timeout=WAIT_MS)
    assert comparison.baseline is None
    comparison.compare_with(Baseline(step=800))
    bridge.show(bridge.followed)  # it has grown
    assert comparison.baseline == Baseline(step=800)
    window.context.follower.stop_following()
    assert comparison.baseline is None


def first_cell_readout(window: MainWindow, qtbot: QtBot) -> str:
    """The map's readout after a press of the right arrow key."""
    canvas = window.attention_view.map.canvas
    qtbot.keyClick(canvas, Qt.Key.Key_Right)
    return canvas.readout()


def weights_of(panel: AttentionMap) -> NDArray[np.float64]:
    return np.array([weights for _, *weights in panel.numbers()[1:]], np.float64)


def test_the_difference_to_another_run_is_shown(window: MainWindow, extras: AttentionExtras, qtbot: QtBot) -> None:
    view = window.attention_view
    window.context.workbench.learn(5)
    qtbot.waitUntil(
        lambda: window.context.bridge.state == "paused" and "step 5" in view.map.title_label.text(), timeout=WAIT_MS
    )
    first = not_none(window.context.workbench.run)
    assert EXAMPLE_NAME not in combo_items(extras)  # its probes have other sentences
    name = run_name(RunFolder.open(first))
    window.context.workbench.reset()
    qtbot.waitUntil(
        lambda: "step 0" in view.map.title_label.text() and window.context.bridge.state == "ready", timeout=WAIT_MS
    )
    view.more_button.click()
    view.more_button.click()  # the list is read again
    qtbot.waitUntil(lambda: name in combo_items(extras), timeout=WAIT_MS)
    extras.baseline_combo.setFocus()
    qtbot.keyClicks(extras.baseline_combo, name[:4])
    qtbot.waitUntil(lambda: f"step 0 minus {name} at step 0" in view.map.title_label.text(), timeout=WAIT_MS)
    assert not weights_of(view.map).any()  # both have the same seed
    assert "Orange: more than the other run; blue: less." in view.map.canvas.legend()  # the run's name is in the title
    assert first_cell_readout(window, qtbot).endswith("with weight +0.000 against the other run")
    qtbot.waitUntil(lambda: view.grid.title_label.text() == "All heads · step 0 minus the other run", timeout=WAIT_MS)
    qtbot.waitUntil(lambda: extras.step_combo.isVisible() and not extras.is_dirty, timeout=WAIT_MS)
    assert extras.step_combo.currentText() == "the same"
    extras.step_combo.setFocus()
    qtbot.keyClicks(extras.step_combo, "5")
    qtbot.waitUntil(lambda: f"step 0 minus {name} at step 5" in view.map.title_label.text(), timeout=WAIT_MS)
    assert weights_of(view.map).any()
    shutil.rmtree(first)
    view.more_button.click()
    view.more_button.click()
    qtbot.waitUntil(lambda: view.map.title_label.text().endswith("· step 0"), timeout=WAIT_MS)


def combo_items(extras: AttentionExtras) -> list[str]:
    """The items of the list of what to compare with."""
    return [extras.baseline_combo.itemText(index) for index in range(extras.baseline_combo.count())]


@pytest.mark.qt_log_ignore("This plugin does not support")  # the offscreen platform, when a popup opens
def test_the_compared_run_stays_selected_while_the_list_is_open(
    window: MainWindow, extras: AttentionExtras, qtbot: QtBot
) -> None:
    probe = not_none(window.context.bridge.history.probes.at(0))
    source, example = probe.sentences[0].source, example_path()
    gone, kept = (
        OtherRun(path=path, name=name, seed=0, created=0.0, sources=(source,), steps=(0,))
        for path, name in ((example.with_name("gone"), "gone"), (example, "kept"))
    )
    extras._handle_runs_read([gone, kept])
    window.attention_view.comparison.compare_with(Baseline(run=example, name="kept"))
    qtbot.waitUntil(lambda: extras.baseline_combo.currentText() == "kept", timeout=WAIT_MS)
    extras.baseline_combo.showPopup()
    extras._handle_runs_read([kept])
    qtbot.waitUntil(lambda: not extras.is_dirty, timeout=WAIT_MS)
    assert extras.baseline_combo.currentText() == "kept" and "gone" in combo_items(extras)
    extras.baseline_combo.hidePopup()
