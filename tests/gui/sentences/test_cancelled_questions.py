"""A question that the engine cancels, since something else was asked of it, is asked again."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from core.config import read_config
from core.requests import OpenRun, Prepare, Translate
from gui.bridge import EngineBridge
from gui.panel import Panel
from gui.playhead import Playhead
from gui.sentences.engine_query import EngineQuery
from gui.sentences.typed_sentence import TypedSentence
from gui.theme import Theme
from tests.gui.conftest import WAIT_MS


def test_a_cancelled_question_is_asked_again(
    qtbot: QtBot, bridge: EngineBridge, small_file: Path, tmp_path: Path
) -> None:
    panel, question = Panel(Theme("light")), Translate(texts=("1 2",))
    qtbot.addWidget(panel)
    query: EngineQuery[object] = EngineQuery(bridge, panel)
    typed, errors = TypedSentence(bridge, Playhead()), list[Exception]()
    bridge.ask(Prepare(config=read_config(small_file)))
    typed.translate("1 2")
    query.submit(question)
    panel.is_dirty = False
    bridge.ask(OpenRun(run=tmp_path / "gone"), on_error=errors.append)  # before there is a model to answer
    qtbot.waitUntil(lambda: bool(errors) and panel.is_dirty, timeout=WAIT_MS)
    query.submit(question)  # as a panel does when it is drawn
    qtbot.waitUntil(lambda: not typed.is_pending and bool(query.error), timeout=WAIT_MS)
