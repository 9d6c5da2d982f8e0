"""What every topic of the Anatomy view shows around its picture."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from gui.panels.anatomy.topic import Topic
from gui.theme import Theme


def test_code_of_a_single_function_is_named_alone(theme: Theme, qtbot: QtBot) -> None:
    class Single(Topic):
        functions = ("core.sinusoids:sinusoids",)

    topic = Single(theme)
    qtbot.addWidget(topic)
    assert topic.code.heading.text() == "Code: sinusoids"
