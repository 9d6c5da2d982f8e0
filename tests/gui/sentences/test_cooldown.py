"""Repeated queries have a cooldown while the model learns; what the user asks for does not wait."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from core.answers.head_ablation import HeadId
from core.answers.timed import TimedAnswer
from core.answers.translation import Translation
from core.history import History
from core.requests import Translate
from gui.main_window import VIEWS, MainWindow
from gui.panel import Panel
from gui.panels.anatomy.dot_product import DotProductTopic
from gui.sentences.cooldown import LEAST_S, LONGEST_S, Cooldown
from gui.sentences.engine_query import EngineQuery
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none
from tests.gui.waiting import wait_for

WaitForState = Callable[[str], None]


@pytest.fixture
def learning(window: MainWindow, wait_for_state: WaitForState) -> MainWindow:
    """The window while the small task learns for long, at five steps a second."""
    window.context.workbench.edit("training.max_steps", 100_000)
    window.context.workbench.set_pace(5.0)
    window.context.workbench.learn()
    wait_for_state("learning")
    return window


@pytest.fixture
def long_cooldowns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make cooldowns longer than any test waits."""
    monkeypatch.setattr("gui.sentences.cooldown.LEAST_S", 1000.0)
    monkeypatch.setattr("gui.sentences.cooldown.LONGEST_S", 1000.0)


class QueryingPanel(Panel):
    """Queries translations of two sentences and draws nothing."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window.context.theme)
        self.waited_for = 0
        self.redraw_requested.connect(self._count)
        self.query: EngineQuery[tuple[Translation, ...]] = EngineQuery(window.context.bridge, self)
        self.sentences = window.context.bridge.history.probes.sentences

    def show_step(self, history: History, step: int) -> None:
        pass

    def submit(self, sentence: int, moment: int) -> None:
        self.query.submit(Translate(texts=(self.sentences[sentence],)), moment=moment)

    def _count(self) -> None:
        self.waited_for += 1


def cooldown_seconds(cooldown: Cooldown) -> float:
    return cooldown._timer.interval() / 1000


def test_a_cooldown_is_in_proportion_to_the_query_and_ends_with_learning(
    learning: MainWindow, qtbot: QtBot, wait_for_state: WaitForState
) -> None:
    cooldown, over = Cooldown(learning.context.bridge, learning), []
    cooldown.ended.connect(lambda: over.append(True))
    cooldown.start(TimedAnswer(seconds=0.0))
    assert not cooldown.is_over and cooldown_seconds(cooldown) == LEAST_S
    cooldown.start((TimedAnswer(seconds=0.09), TimedAnswer(seconds=0.04)))
    share = 0.13 / (0.13 + cooldown_seconds(cooldown))
    assert 0.0125 < share < 0.016  # two panels leave some of the 5 % for drawing
    for seconds in (0.2, 3.0):
        cooldown.start(TimedAnswer(seconds=seconds))
        assert cooldown_seconds(cooldown) == LONGEST_S
    assert not over
    learning.transport.learn_button.click()
    wait_for_state("paused")
    qtbot.waitUntil(lambda: cooldown.is_over and over == [True], timeout=WAIT_MS)
    cooldown.start(TimedAnswer(seconds=1000.0))
    assert cooldown.is_over


def test_only_a_repeated_query_waits_for_the_cooldown(
    learning: MainWindow, qtbot: QtBot, long_cooldowns: None, wait_for_state: WaitForState
) -> None:
    panel = QueryingPanel(learning)
    not_none(learning.train_view.layout()).addWidget(panel)
    panel.submit(0, moment=1)
    qtbot.waitUntil(lambda: panel.query.answer is not None, timeout=WAIT_MS)
    first = panel.query.answer
    assert panel.waited_for == 1
    pending = panel.query._pending
    panel.submit(0, moment=2)
    assert panel.query._pending is pending
    panel.submit(1, moment=2)
    qtbot.waitUntil(lambda: panel.query.answer is not first, timeout=WAIT_MS)
    second = not_none(panel.query.answer)
    assert second[0].source == panel.sentences[1] and panel.waited_for == 2
    panel.is_dirty = False
    learning.transport.learn_button.click()
    wait_for_state("paused")
    qtbot.waitUntil(lambda: panel.is_dirty, timeout=WAIT_MS)  # the cooldown is over
    panel.submit(1, moment=3)
    qtbot.waitUntil(lambda: panel.query.answer is not second, timeout=WAIT_MS)
    assert panel.waited_for == 2  # the user did not ask for it


def test_a_question_is_asked_again_of_another_model_that_lies_in_memory_where_one_before_did(
    window: MainWindow, qtbot: QtBot
) -> None:
    panel, history = QueryingPanel(window), window.context.bridge.history
    prepared = not_none(history.prepared)
    history.prepared = replace(prepared)
    panel.submit(0, moment=0)
    answered(panel, qtbot)
    pending = panel.query._pending
    panel.submit(0, moment=0)
    assert panel.query._pending is pending
    history.prepared = None  # which leaves its memory to the next, unless the query still knows it
    history.prepared = replace(prepared)
    panel.submit(0, moment=0)
    assert panel.query._pending is not pending


def test_a_typed_sentence_waits_while_learning_but_follows_the_playhead_at_once(
    learning: MainWindow, qtbot: QtBot, long_cooldowns: None
) -> None:
    view, playhead = learning.translate_view, learning.context.playhead
    learning.show_view(VIEWS.index(type(view)))
    view.translate("1 2")
    qtbot.waitUntil(lambda: not_none(view.typed.translation).source == "1 2", timeout=WAIT_MS)
    first = not_none(view.typed.translation)
    qtbot.waitUntil(lambda: playhead.live_step >= first.step + 2, timeout=WAIT_MS)
    assert view.typed.translation is first
    playhead.view(0)
    qtbot.waitUntil(lambda: view.typed.translation is not first, timeout=WAIT_MS)
    assert not_none(view.typed.translation).step == 0
    view.translate("2 1")
    qtbot.waitUntil(lambda: not_none(view.typed.translation).source == "2 1", timeout=WAIT_MS)


def answered(panel: Any, qtbot: QtBot) -> object:
    """Wait for the first answer to a panel's query; return it."""
    qtbot.waitUntil(lambda: panel.query.answer is not None, timeout=WAIT_MS)
    return panel.query.answer


def assert_no_new_query(window: MainWindow, panel: Any, qtbot: QtBot) -> None:
    """Require that the panel sends no query, though two steps are taken and it is redrawn."""
    pending, step = panel.query._pending, window.context.playhead.live_step
    qtbot.waitUntil(lambda: window.context.playhead.live_step >= step + 2, timeout=WAIT_MS)
    panel.mark_dirty()
    qtbot.waitUntil(lambda: not panel.is_dirty, timeout=WAIT_MS)
    assert panel.query._pending is pending


def test_the_head_of_anatomy_and_head_ablations_have_a_cooldown(
    learning: MainWindow, qtbot: QtBot, long_cooldowns: None
) -> None:
    learning.show_view(VIEWS.index(type(learning.anatomy_view)))
    learning.anatomy_view.choose(DotProductTopic)
    answered(learning.anatomy_view.topic, qtbot)
    assert_no_new_query(learning, learning.anatomy_view.topic, qtbot)
    learning.show_view(VIEWS.index(type(learning.attention_view)))
    learning.attention_view.disabled_heads.toggle(HeadId("cross", 0, 0))
    answered(learning.attention_view.ablation_panel, qtbot)
    assert_no_new_query(learning, learning.attention_view.ablation_panel, qtbot)


def test_the_beam_and_the_other_weights_have_a_cooldown(
    learning: MainWindow, qtbot: QtBot, long_cooldowns: None
) -> None:
    view = learning.translate_view
    learning.show_view(VIEWS.index(type(view)))
    view.other._choose("now")
    for page, panel in ((2, view.beam), (3, view.other)):
        view.pages.buttons[page].click()
        answered(panel, qtbot)
        step = learning.context.playhead.live_step
        wait_for(qtbot, lambda step: learning.context.playhead.live_step > step, step)
        view.typed.choose_weights("playhead")  # the same weights, but translated again, which the beam would follow
        wait_for(qtbot, lambda step: not_none(view.typed.translation).step > step, step)
        assert_no_new_query(learning, panel, qtbot)
