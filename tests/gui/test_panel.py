"""What all panels have in common."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from gui.panel import Panel
from gui.theme import Theme


class EmptyPanel(Panel):
    """Has nothing to show."""

    title = "Confusion"
    empty_sentence = "No validation yet: press Space to learn."


def test_an_undrawn_panel_says_only_that_it_is_drawing(qtbot: QtBot) -> None:
    panel = EmptyPanel(Theme("light"))
    qtbot.addWidget(panel)
    assert panel.is_empty and panel.empty_label.text() == "Drawing …"
    panel.show_empty()
    assert panel.empty_label.text() == EmptyPanel.empty_sentence


def test_an_empty_panel_has_no_step_in_its_title(qtbot: QtBot) -> None:
    panel = EmptyPanel(Theme("light"))
    qtbot.addWidget(panel)
    panel.show_body()
    panel.set_title("Confusion · step 100")
    panel.show_empty()
    assert panel.title_label.text() == panel.accessibleName() == "Confusion"
