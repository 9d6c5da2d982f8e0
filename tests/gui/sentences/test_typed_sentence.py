"""The typed sentence follows its weights, calmly."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from gui.main_window import MainWindow
from gui.sentences.typed_sentence import CALM_MS, TypedSentence

WAIT_MS = 30_000


def test_dragging_the_playhead_asks_rarely_and_ends_where_it_ends(window: MainWindow, qtbot: QtBot) -> None:
    bridge, playhead = window.context.bridge, window.context.playhead
    window.context.workbench.learn(30)
    qtbot.waitUntil(lambda: bridge.state == "paused" and bridge.history.last_step == 30, timeout=WAIT_MS)
    typed, answers = TypedSentence(bridge, playhead), []
    typed.changed.connect(lambda: answers.append(typed.translation.step))
    typed.watch(True)
    typed.translate(bridge.history.prepared.examples[0])
    qtbot.waitUntil(lambda: answers == [30], timeout=WAIT_MS)
    for step in range(29, 0, -1):
        playhead.view(step)
        qtbot.wait(5)
    qtbot.waitUntil(lambda: typed.asked_step == 1, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: answers[-1] == 1, timeout=WAIT_MS)
    assert len(answers) <= 5


def test_an_answer_that_came_too_late_does_not_count(window: MainWindow, qtbot: QtBot) -> None:
    bridge, playhead = window.context.bridge, window.context.playhead
    typed, (first, second) = TypedSentence(bridge, playhead), bridge.history.prepared.examples[:2]
    sources: list[str] = []
    typed.changed.connect(lambda: sources.append(typed.translation.source))
    typed.translate(first)
    typed.translate(second)
    qtbot.waitUntil(lambda: bool(sources), timeout=WAIT_MS)
    qtbot.wait(2 * CALM_MS)
    assert sources == [second]


def test_another_model_forgets_what_the_one_before_wrote(window: MainWindow, qtbot: QtBot) -> None:
    bridge = window.context.bridge
    typed = TypedSentence(bridge, window.context.playhead)
    typed.watch(True)
    typed.translate(bridge.history.prepared.examples[0])
    qtbot.waitUntil(lambda: typed.translation is not None, timeout=WAIT_MS)
    before = typed.translation.sentence.free_running.output_probability.tolist()
    typed.weights = 0
    window.context.workbench.reset(seed=5)
    qtbot.waitUntil(lambda: typed.translation is None, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: typed.translation is not None, timeout=WAIT_MS)
    assert typed.translation.sentence.free_running.output_probability.tolist() != before
    assert typed.weights == "playhead"
