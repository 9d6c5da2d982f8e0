"""Texts of the data among words of ours, whichever way they are read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtGui import QTextLayout
from pytestqt.qtbot import QtBot

from gui.heads.head_picture import chosen_head
from gui.sentences.selection import Selection
from gui.sentences.tokens import isolated, quoted
from gui.sentences.tracks import Track, describe_reference_difference
from tests.gui.builders import feed, sentence

BOOK, NEW = "ספר", "חדש"  # in Hebrew, from right to left
WANT = "أريد"  # in Arabic, too


def places(text: str, *parts: str) -> list[float]:
    """Where each of these begins on the screen, from the left, in pixels."""
    layout = QTextLayout(text)
    layout.beginLayout()
    line = layout.createLine()
    layout.endLayout()

    def left(part: str) -> float:
        begin = text.index(part)
        ends: list[Any] = [line.cursorToX(begin + place) for place in range(len(part) + 1)]  # pairs, say Qt's pages
        return min(x for x, _ in ends)

    return [left(part) for part in parts]


def test_a_text_from_left_to_right_needs_no_marks() -> None:
    assert isolated("Bücher 书 😀") == "Bücher 书 😀"
    assert quoted("beer") == "“beer”"


def test_a_row_reads_from_its_token_to_what_it_predicts(qtbot: QtBot) -> None:
    made = feed((BOOK, NEW, "<eos>"), 3)
    selection = Selection()
    selection.choose(kind="cross", free_running=True)
    row = chosen_head(replace(sentence(), free_running=made), selection).rows[1]
    read, arrow, written = places(row, BOOK, "→", NEW)
    assert read < arrow < written


def test_a_probability_stands_behind_its_token(qtbot: QtBot) -> None:
    fed, free = (Track("", (token,), (share,), (token,)) for token, share in ((BOOK, 0.25), (WANT, 0.75)))
    said = describe_reference_difference(fed, free)
    found = places(said, BOOK, "(0.25)", "and", WANT, "(0.75)")
    assert found == sorted(found), said
