"""What all panels have in common."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from gui.panel import Panel
from gui.theme import Theme


class Empty(Panel):
    """Has nothing to show."""

    title = "Confusion"
    empty_sentence = "No validation yet: press Space to learn."


def test_before_it_is_drawn_a_panel_claims_nothing_of_the_run(qtbot: QtBot) -> None:
    panel = Empty(Theme("light"))
    qtbot.addWidget(panel)
    assert panel.is_empty and panel.empty_label.text() == "Drawing …"
    panel.show_empty()
    assert panel.empty_label.text() == Empty.empty_sentence


def test_an_empty_panel_does_not_go_by_the_step_of_the_picture_before(qtbot: QtBot) -> None:
    panel = Empty(Theme("light"))
    qtbot.addWidget(panel)
    panel.show_body()
    panel.set_title("Confusion · step 100")
    panel.show_empty()
    assert panel.title_label.text() == panel.accessibleName() == "Confusion"
