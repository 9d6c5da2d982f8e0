"""The typed sentence is translated with the chosen weights, at a limited rate."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from core.answers.translation import Translation
from core.requests import AddSentence, ChangeSetting
from gui.main_window import MainWindow
from gui.runs.rows import example_path
from gui.sentences.example_menu import menu_sections
from gui.sentences.typed_sentence import THROTTLE_MS, TypedSentence, Weights
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none
from tests.gui.waiting import wait_for


def translation_of(typed: TypedSentence) -> Translation:
    return not_none(typed.translation)


def output_probability(typed: TypedSentence) -> list[float]:
    return not_none(translation_of(typed).sentence).free_running.output_probability.tolist()


def test_dragging_the_playhead_is_throttled_and_ends_at_its_last_step(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge, playhead = window.context.bridge, window.context.playhead
    window.context.workbench.learn(30)
    qtbot.waitUntil(lambda: bridge.state == "paused" and bridge.history.last_step == 30, timeout=WAIT_MS)
    typed, answers, ask = TypedSentence(bridge, playhead), [], bridge.ask
    asked_at: list[float] = []

    def note_when(*question: Any) -> Any:
        asked_at.append(time.monotonic())
        return ask(*question)

    typed.changed.connect(lambda: answers.append(translation_of(typed).step))
    typed.watch(True)
    typed.translate(not_none(bridge.history.prepared).examples[0])
    qtbot.waitUntil(lambda: answers == [30], timeout=WAIT_MS)
    monkeypatch.setattr(bridge, "ask", note_when)
    for step in range(29, 0, -1):
        playhead.view(step)
        qtbot.wait(5)
    qtbot.waitUntil(lambda: typed.requested_step == 1, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: answers[-1] == 1, timeout=WAIT_MS)
    assert len(asked_at) < 29
    assert min(np.diff(asked_at)) > 0.0009 * THROTTLE_MS  # a coarse timer may be 5 % early


@pytest.fixture
def scrubbed(window: MainWindow, qtbot: QtBot) -> TypedSentence:
    """A watched sentence that is in every probe, translated at the live step after thirty steps."""
    bridge = window.context.bridge
    window.context.workbench.learn(30)
    qtbot.waitUntil(lambda: bridge.state == "paused" and bridge.history.last_step == 30, timeout=WAIT_MS)
    typed = TypedSentence(bridge, window.context.playhead)
    typed.watch(True)
    typed.translate(bridge.history.probes.sentences[0])
    qtbot.waitUntil(lambda: translation_of(typed).step == 30, timeout=WAIT_MS)
    return typed


def test_a_probed_translation_is_shown_without_a_query(
    window: MainWindow, qtbot: QtBot, scrubbed: TypedSentence, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge, playhead = window.context.bridge, window.context.playhead
    answers: list[tuple[Translation, ...]] = []
    bridge.ask(scrubbed.request(5), answers.append)
    qtbot.waitUntil(lambda: bool(answers), timeout=WAIT_MS)
    (answer,) = answers[0]
    monkeypatch.setattr(bridge, "ask", lambda *_: pytest.fail("a request was sent to the engine"))
    for step in (*bridge.history.probes.steps, 5):
        playhead.view(step)
        assert translation_of(scrubbed).step == step
    shown = translation_of(scrubbed)
    assert replace(shown, sentence=None) == replace(answer, sentence=None)
    one, other = not_none(shown.sentence), not_none(answer.sentence)
    by_reference = not_none(one.by_reference), not_none(other.by_reference)
    for mine, theirs in ((one.free_running, other.free_running), by_reference):
        assert mine.tgt_output == theirs.tgt_output
        np.testing.assert_allclose(mine.output_probability, theirs.output_probability, atol=1e-6)


def test_a_probe_replaces_the_first_query_but_not_for_unknown_tokens(
    window: MainWindow, qtbot: QtBot, scrubbed: TypedSentence
) -> None:
    bridge, playhead = window.context.bridge, window.context.playhead
    longer = "1 2 3 4 1"
    for source in ("1 zebra", longer):
        bridge.ask(AddSentence(source=source))
    qtbot.waitUntil(lambda: longer in bridge.history.probes.sentences, timeout=WAIT_MS)
    playhead.view(30)
    typed = TypedSentence(bridge, playhead)
    typed.translate(scrubbed.text)
    assert (translation_of(typed).step, translation_of(typed).seconds) == (30, 0.0)
    assert translation_of(typed).length_note == ""
    typed.translate(longer)
    assert translation_of(typed).seconds == 0.0
    assert translation_of(typed).length_note.startswith("The text has 6 tokens, <eos> counted, and the longest")
    typed.translate("1 zebra")
    qtbot.waitUntil(lambda: translation_of(typed).source == "1 zebra", timeout=WAIT_MS)
    assert translation_of(typed).unknown == ("zebra",) and translation_of(typed).seconds > 0


def test_what_no_probe_contains_is_queried(window: MainWindow, qtbot: QtBot, scrubbed: TypedSentence) -> None:
    bridge, text = window.context.bridge, scrubbed.text

    def search_with_a_beam() -> None:
        bridge.ask(ChangeSetting(key="decoding.beam_size", value=2))
        qtbot.waitUntil(lambda: not_none(bridge.history.prepared).config.decoding.beam_size == 2, timeout=WAIT_MS)

    others: dict[str, Callable[[], None]] = {
        "reference": lambda: scrubbed.translate(text, "1"),
        "prefix": lambda: scrubbed.continue_from(("1",)),
        "text": lambda: scrubbed.translate("1 1 1 1"),
        "beam": search_with_a_beam,  # the last, since it stays changed
    }
    for other, ask in others.items():
        window.context.playhead.view(30)
        scrubbed.translate(text)
        qtbot.waitUntil(lambda: translation_of(scrubbed).step == 30, timeout=WAIT_MS)
        ask()
        window.context.playhead.view(5)
        qtbot.waitUntil(
            lambda: translation_of(scrubbed).seconds > 0 and translation_of(scrubbed).step == 5, timeout=WAIT_MS
        )
        made = translation_of(scrubbed)
        assert made.source == scrubbed.text and made.prefix == scrubbed.prefix, other
        assert (not_none(made.sentence).reference == "1") == (other == "reference"), other


def test_an_answer_to_an_earlier_text_is_ignored(window: MainWindow, qtbot: QtBot) -> None:
    bridge, playhead = window.context.bridge, window.context.playhead
    typed, (first, second) = TypedSentence(bridge, playhead), not_none(bridge.history.prepared).examples[:2]
    sources: list[str] = []
    typed.changed.connect(lambda: sources.append(translation_of(typed).source))
    typed.translate(first)
    typed.translate(second)
    qtbot.waitUntil(lambda: bool(sources), timeout=WAIT_MS)
    qtbot.wait(2 * THROTTLE_MS)
    assert sources == [second]


def test_damaged_newest_files_leave_earlier_ones_usable(empty_window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    run = Path(shutil.copytree(example_path(), tmp_path / "damaged"))
    for name in ("probes/000800.safetensors", "validations/000800.jsonl"):
        (run / name).write_bytes(b"none")
    context = empty_window.context
    context.workbench.open_run(run)
    qtbot.waitUntil(lambda: context.bridge.history.last_step == 800, timeout=WAIT_MS)
    row = empty_window.train_view.sentence_row
    qtbot.waitUntil(lambda: "000800.safetensors" in row.output_label.text(), timeout=WAIT_MS)
    history = context.bridge.history
    assert row.source_label.text() == history.probes.sentences[0]
    assert len(menu_sections(history)) == 3  # the menu has all its sections
    typed = TypedSentence(context.bridge, context.playhead)
    followed, validated = history.probes.sentences[0], history.validation(400).sentences[-1]
    for text in (followed, validated.source):
        typed.translate(text)
        wait_for(qtbot, lambda text: translation_of(typed).source == text, text)
    assert not_none(translation_of(typed).sentence).reference == validated.reference


def test_another_model_discards_the_previous_translation(window: MainWindow, qtbot: QtBot) -> None:
    bridge = window.context.bridge
    typed, seen = TypedSentence(bridge, window.context.playhead), list[Translation | None]()
    typed.watch(True)
    typed.translate(not_none(bridge.history.prepared).examples[0])
    qtbot.waitUntil(lambda: typed.translation is not None, timeout=WAIT_MS)
    typed.changed.connect(lambda: seen.append(typed.translation))
    chosen: tuple[tuple[Weights, Weights], ...] = ((0, "playhead"), ("best", "playhead"), ("now", "now"))
    for seed, (weights, expected) in enumerate(chosen, 5):
        before = output_probability(typed)
        typed.weights = weights
        seen.clear()
        window.context.workbench.reset(seed=seed)
        qtbot.waitUntil(lambda: None in seen and typed.translation is not None, timeout=WAIT_MS)
        assert output_probability(typed) != before, weights
        assert typed.weights == expected, weights


def test_a_changed_beam_size_translates_again(window: MainWindow, qtbot: QtBot) -> None:
    bridge = window.context.bridge
    window.context.workbench.learn(5)
    qtbot.waitUntil(lambda: bridge.state == "paused" and bridge.history.last_step == 5, timeout=WAIT_MS)
    typed, seen = TypedSentence(bridge, window.context.playhead), list[Translation | None]()
    typed.watch(True)
    typed.translate(not_none(bridge.history.prepared).examples[0])
    qtbot.waitUntil(lambda: typed.translation is not None, timeout=WAIT_MS)
    typed.changed.connect(lambda: seen.append(typed.translation))
    bridge.ask(ChangeSetting(key="decoding.beam_size", value=4))
    qtbot.waitUntil(lambda: bool(seen), timeout=WAIT_MS)
    typed.watch(False)
    bridge.ask(ChangeSetting(key="decoding.beam_size", value=1))
    qtbot.waitUntil(lambda: seen[-1] is None, timeout=WAIT_MS)


def test_an_offered_text_replaces_the_translation_of_the_previous_one(window: MainWindow, qtbot: QtBot) -> None:
    bridge = window.context.bridge
    typed = TypedSentence(bridge, window.context.playhead)
    first, second = not_none(bridge.history.prepared).examples[:2]
    typed.watch(True)
    typed.set_text(first)
    assert typed.requested_step == typed.wanted_step() and typed.translation is None  # the query is sent
    typed.set_text(second)
    qtbot.waitUntil(lambda: typed.translation is not None, timeout=WAIT_MS)
    assert translation_of(typed).source == second
    typed.set_text(first)
    assert typed.translation is None
    qtbot.waitUntil(lambda: typed.translation is not None, timeout=WAIT_MS)
    assert translation_of(typed).source == first
