"""Tokens of the data within our own texts, whatever their writing direction."""

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

BOOK, NEW = "ספר", "חדש"  # in Hebrew, written from right to left
WANT = "أريد"  # in Arabic, likewise
TWELVE, THREE = "١٢", "٣"  # with the digits of Arabic


def places(text: str, *parts: str) -> list[float]:
    """The left edge of each part on the screen, in pixels."""
    layout = QTextLayout(text)
    layout.beginLayout()
    line = layout.createLine()
    layout.endLayout()

    def left(part: str) -> float:
        begin = text.index(part)
        edges: list[Any] = [line.cursorToX(begin + index) for index in range(len(part) + 1)]  # Qt returns pairs
        return min(x for x, _ in edges)

    return [left(part) for part in parts]


def test_a_left_to_right_text_gets_no_isolation_marks() -> None:
    assert isolated("Bücher 书 😀") == "Bücher 书 😀"
    assert quoted("beer") == "“beer”"


def test_a_row_label_keeps_its_order_with_right_to_left_tokens(qtbot: QtBot) -> None:
    made = feed((BOOK, NEW, "<eos>"), 3)
    selection = Selection()
    selection.choose(kind="cross", free_running=True)
    row = chosen_head(replace(sentence(), free_running=made), selection).rows[1]
    read, arrow, written = places(row, BOOK, "→", NEW)
    assert read < arrow < written


def test_arabic_numbers_and_marks_of_direction_leave_our_words_in_place(qtbot: QtBot) -> None:
    read, arrow, written = places(f"{isolated(TWELVE)} → {isolated(THREE)}", TWELVE, "→", THREE)
    assert read < arrow < written
    for mark in "\u202b\u202e\u2067":  # embedding, override and isolate: a text copied from a page may hold one
        found = places(f"{quoted(mark + 'beer')} is not in the vocabulary.", "is", "not", "vocabulary", ".")
        assert found == sorted(found), ascii(mark)


def test_a_probability_follows_its_right_to_left_token(qtbot: QtBot) -> None:
    fed, free = (Track("", (token,), (share,), (token,)) for token, share in ((BOOK, 0.25), (WANT, 0.75)))
    description = describe_reference_difference(fed, free)
    found = places(description, BOOK, "(0.25)", "and", WANT, "(0.75)")
    assert found == sorted(found), description
