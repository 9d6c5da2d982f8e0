"""The combo box that chooses weights."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from core.history import History
from core.settings.overriding import change_setting
from gui.sentences.weights_combo import WeightsCombo
from tests.gui.conftest import WAIT_MS
from tests.gui.panels.conftest import prepared


@pytest.fixture
def combo(qtbot: QtBot) -> WeightsCombo:
    made = WeightsCombo()
    qtbot.addWidget(made)
    return made


def kept(snapshots: list[int], checkpoints: list[int], best: set[int]) -> History:
    history = History()
    history._snapshot_steps, history.checkpoint_steps = snapshots, checkpoints
    history.best_steps = dict.fromkeys(best, 0)
    return history


def texts(combo: WeightsCombo) -> list[str]:
    return [combo.itemText(index) for index in range(combo.count())]


def test_before_a_run_only_the_current_weights_are_offered(combo: WeightsCombo) -> None:
    assert texts(combo) == ["at the playhead", "now"]
    assert combo.weights == "playhead"


def test_it_offers_checkpoints_and_all_kept_steps_newest_first(combo: WeightsCombo) -> None:
    combo.show_history(kept([0, 1, 1000], [500, 1000], {500}), "now")
    assert combo.currentText() == "now"
    assert texts(combo)[2:4] == ["best checkpoint: step 500", "last checkpoint: step 1,000"]
    assert texts(combo)[4:] == ["step 1,000", "step 500", "step 1", "step 0"]
    combo.show_history(kept([0], [1000], {500}), "now")  # a branch, of whose past the best weights are not kept
    assert texts(combo)[2:] == ["last checkpoint: step 1,000", "step 1,000", "step 0"]


def test_the_last_checkpoint_is_distinguished_from_the_mean_in_the_terminal(combo: WeightsCombo) -> None:
    history = kept([0], [500, 1000], {500})
    combo.show_history(history, "now")
    assert "mean" not in combo.toolTip()
    for num_averaged in (10, 5):
        config = change_setting(prepared().config, "training.average_checkpoints", num_averaged)
        history.prepared = replace(prepared(), config=config)
        combo.show_history(history, "now")
        assert texts(combo)[2:4] == ["best checkpoint: step 500", "last checkpoint alone: step 1,000"]
        assert combo.toolTip() == combo.accessibleDescription()
        assert combo.toolTip().endswith(f"the terminal's `--checkpoint last` is the mean of the last {num_averaged}")
    history.prepared = prepared()
    combo.show_history(history, "last")
    assert combo.currentText() == "last checkpoint: step 1,000" and "mean" not in combo.toolTip()


def test_a_chosen_step_stays_chosen_when_it_is_thinned_out(combo: WeightsCombo, qtbot: QtBot) -> None:
    combo.show_history(kept([0, 1, 2], [], set()), "playhead")
    with qtbot.waitSignal(combo.chosen, timeout=WAIT_MS) as chosen:
        combo.setCurrentIndex(combo.findText("step 1"))
        combo.activated.emit(combo.currentIndex())
    assert chosen.args == [1]
    with qtbot.assertNotEmitted(combo.chosen):
        combo.show_history(kept([0, 2, 4], [], set()), 1)  # step 1 was thinned out, but stays chosen
    assert (combo.weights, combo.currentText()) == (1, "step 1")
