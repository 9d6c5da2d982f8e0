"""The translation, token by token."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from core.answers.translation import Translation
from core.history import History
from core.probes import Feed
from gui.bridge import EngineBridge
from gui.panels.translation.candidate_table import candidates_of
from gui.panels.translation.probability_delegate import IS_FORCED, PROBABILITY
from gui.panels.translation.token_table import TokenTable
from gui.pictures.picture_file import encoders_of
from gui.playhead import Playhead
from gui.sentences.output_position import OutputPosition
from gui.sentences.typed_sentence import TypedSentence
from gui.theme import GRID, Theme
from tests.gui.builders import feed, sentence
from tests.gui.conftest import WAIT_MS
from tests.gui.not_none import not_none
from tests.gui.tables import column_texts, item_at

PROBABILITIES = ("output_probability", "top_probability")


@pytest.fixture
def table(bridge: EngineBridge, theme: Theme, qtbot: QtBot) -> TokenTable:
    panel = TokenTable(theme, TypedSentence(bridge, Playhead()), OutputPosition())
    qtbot.addWidget(panel)
    panel.resize(700, 400)
    return panel


def show(
    table: TokenTable,
    *,
    step: int = 5,
    finished: bool = True,
    output: str = "i do want",
    prefix: tuple[str, ...] = (),
    ranks: tuple[int, ...] = (0, 0, 0, 0),
    tokens: tuple[str, ...] = ("i", "do", "want", "<eos>"),
) -> None:
    typed = table._typed
    probed = replace(sentence(has_reference=False), free_running=feed(tokens, 3))
    free = probed.free_running
    tops = tuple(row[::-1] if rank else row for rank, row in zip(ranks, free.top_tokens, strict=True))
    free = replace(free, output_rank=np.array(ranks, np.int32), top_tokens=tops)
    typed.translation = Translation(
        step=step,
        source=probed.source,
        output=output,
        unknown=(),
        num_src_tokens=len(probed.src_tokens),
        longest_trained=None,
        finished=finished,
        n_best=(),
        sentence=replace(probed, free_running=free),
        prefix=prefix,
    )
    table._position.set_output(len(probed.free_running.tgt_output), probed.source)
    table.show_step(History(), step)


def test_candidates_are_the_chosen_token_and_then_the_others_by_probability() -> None:
    rows = list(candidates_of(feed(("i", "<eos>"), 3)))
    assert [token for token, _ in rows[0]] == ["i", "beer", "cake", "soup"]
    assert [share for _, share in rows[1]] == pytest.approx([0.6, 0.2, 0.1, 0.05])


def test_a_chosen_token_that_is_not_the_most_probable_is_not_listed_twice() -> None:
    one = feed(("i",), 3)
    forced = Feed(**{**one.__dict__, "tgt_output": ("cake",), "output_probability": one.top_probability[:, 2]})
    assert [token for token, _ in next(candidates_of(forced))] == ["cake", "i", "beer", "soup"]


def test_a_diverged_model_has_dashes_for_probabilities(table: TokenTable) -> None:
    show(table)
    translation = not_none(table._typed.translation)
    probed = not_none(translation.sentence)
    unknown = {name: np.full_like(getattr(probed.free_running, name), np.nan) for name in PROBABILITIES}
    table._typed.translation = replace(
        translation, sentence=replace(probed, free_running=replace(probed.free_running, **unknown))
    )
    table.show_step(History(), 5)
    texts = list(ElementTree.fromstring(encoders_of(table.export_widgets(), table.title)[".svg"]()).itertext())
    assert sum("–" in text for text in texts) == 4 * 4 and not any("nan" in text for text in texts)
    assert item_at(table.table, 0, 0).data(Qt.ItemDataRole.AccessibleTextRole) == "i, probability –"
    assert item_at(table.table, 0, 1).toolTip() == "Continue from “beer”, which has – here"


def test_each_token_has_a_row_and_missing_candidates_are_empty_cells(table: TokenTable) -> None:
    show(table)
    assert column_texts(table.table, 0) == ["i", "do", "want", "<eos>"]
    assert item_at(table.table, 0, 1).data(PROBABILITY) == pytest.approx(0.2)
    assert item_at(table.table, 0, 4).data(PROBABILITY) is None
    assert table.title_label.text() == "Translation · weights of step 5"
    assert table.tokens_label.text() == "read as   ich  will  <eos>"
    assert not table.cut_label.isVisibleTo(table)


@pytest.mark.qt_log_ignore("propagateSizeHints")  # the offscreen platform has no size hints for windows
def test_a_long_output_is_read_from_its_beginning_until_a_token_of_it_is_chosen(table: TokenTable) -> None:
    tokens = tuple("abcdefghijklmnopqrst")
    table.resize(700, 300)
    table.show()
    bar = table.table.verticalScrollBar()
    for _ in range(2):  # as the model learns
        show(table, tokens=tokens, ranks=(0,) * len(tokens))
        table.grab()
        assert bar.maximum() > 0 and bar.value() == 0
    table.resize(700, 280)
    table.grab()
    assert bar.value() == 0
    table.back_button.click()
    assert bar.value() > 0 and table.table.currentRow() == len(tokens) - 2
    chosen_at = bar.value()
    show(table, tokens=tokens, ranks=(0,) * len(tokens))
    assert bar.value() == chosen_at


def test_a_truncated_and_an_empty_output_are_described(table: TokenTable) -> None:
    show(table, finished=False)
    assert table.cut_label.text() == "Cut off after 4 tokens: no <eos> was written."
    assert table.cut_label.isVisibleTo(table)
    show(table, finished=False, tokens=("i",), ranks=(0,))
    assert table.cut_label.text() == "Cut off after 1 token: no <eos> was written."
    show(table, output="")
    assert table.output_label.text() == "(nothing: &lt;eos&gt; came first)"


def test_a_narrow_table_shows_fewer_candidates(table: TokenTable) -> None:
    show(table)
    assert not any(table.table.isColumnHidden(column) for column in range(5))
    table.resize(300, 400)  # headings take space as well
    table.grab()  # a hidden widget is laid out when it is drawn
    assert [table.table.isColumnHidden(column) for column in range(5)] == [False] * 3 + [True] * 2


def test_with_room_for_all_candidates_every_bar_has_an_equal_part_of_it(table: TokenTable) -> None:
    show(table)
    table.resize(900, 400)
    table.grab()
    widths = [table.table.columnWidth(column) for column in range(5)]
    assert min(widths) > 150 and max(widths) - min(widths) < 5


@pytest.mark.parametrize("width", [320, 455, 700])
def test_no_visible_token_is_cut(table: TokenTable, width: int) -> None:
    """In the smallest window, the panel is 455 pixels wide."""
    show(table, tokens=("everything-of-it", "i", "cannot", "<eos>"))
    table.resize(width, 400)
    table.grab()  # a hidden widget is laid out when it is drawn
    metrics = QFontMetrics(table.theme.token_font())
    number = QFontMetrics(table.theme.font(0.9)).horizontalAdvance("0.000")
    shown = [column for column in range(5) if not table.table.isColumnHidden(column)]
    assert len(shown) >= 2
    for column, row in itertools.product(shown, range(4)):
        text = item_at(table.table, row, column).text()
        assert metrics.horizontalAdvance(text) + number + GRID <= table.table.columnWidth(column), text


def test_the_row_of_the_current_position_stays_visible_in_less_space(table: TokenTable) -> None:
    tokens = (*(f"t{index}" for index in range(19)), "<eos>")
    show(table, tokens=tokens, ranks=(0,) * 20)
    table._position.go_to_last()
    for height in (400, 300):
        table.resize(700, height)
        table.grab()
        row = table.table.visualItemRect(item_at(table.table, 19, 0))
        assert table.table.viewport().rect().contains(row)


def test_an_empty_table_says_what_to_do(table: TokenTable) -> None:
    table.show_step(History(), 0)
    assert table.empty_label.text() == "Type a sentence above and press Enter, or pick an example."
    assert table.empty_label.isVisibleTo(table) and not table.table.isVisibleTo(table)


def test_while_the_engine_translates_it_does_not_ask_for_a_sentence(table: TokenTable, qtbot: QtBot) -> None:
    table._typed.translate("ich will")
    table.show_step(History(), 0)
    assert table.empty_label.text() == "Translating …"
    qtbot.waitUntil(lambda: table._typed.error is not None, timeout=WAIT_MS)  # since nothing is prepared
    table.show_step(History(), 0)
    assert table.empty_label.text() == table.empty_sentence


def test_while_data_are_prepared_it_says_when_it_will_translate(table: TokenTable) -> None:
    table._typed._bridge.state = "preparing"
    table._typed.set_text("ich will")
    table.show_step(History(), 0)
    assert table.empty_label.text() == "It will be translated once data and model are ready."


def test_buttons_and_keys_move_through_the_output_token_by_token(table: TokenTable, qtbot: QtBot) -> None:
    show(table)
    assert table.position_label.text() == "4/4" and not table.forward_button.isEnabled()
    assert {move.toolTip() for move in (table.forward_button, table.last_button)} == {"This is the last token"}
    table.first_button.click()
    assert table.position_label.text() == "1/4" and not table.back_button.isEnabled()
    assert {move.toolTip() for move in (table.first_button, table.back_button)} == {"This is the first token"}
    assert table.forward_button.toolTip() == "One token forward (Down in the table)"
    assert table.output_label.text().startswith("i <span") and "do want &lt;eos&gt;" in table.output_label.text()
    assert table.table.delegate.position == 0
    table.forward_button.click()
    assert table.table.currentRow() == 1
    assert table.readout_label.text().startswith("After “i” comes “do” (0.600), not “beer” (0.200).")
    qtbot.keyClick(table.table, Qt.Key.Key_Down)
    assert table.position_label.text() == "3/4"
    table.last_button.click()
    assert table.output_label.text() == "i do want"
    table.back_button.setFocus()
    for _ in range(3):
        table.back_button.click()
    assert not table.back_button.isEnabled() and table.window().focusWidget() is table.table


def test_only_the_token_that_the_user_chose_is_marked(table: TokenTable) -> None:
    """The tokens before it are not, since the model wrote them as well."""
    table._typed.prefix = ("i", "do")
    show(table, prefix=("i", "do"), ranks=(0, 1, 0, 0))
    assert [bool(item_at(table.table, row, 0).data(IS_FORCED)) for row in range(4)] == [False, True, False, False]
    assert table.undo_button.isVisibleTo(table)
    table.first_button.click()
    assert table.readout_label.text().startswith("After “<bos>” comes “i” (0.600)")
    table.forward_button.click()
    assert table.readout_label.text() == "After “i” you chose “do” (0.600); the model's first choice is “soup”."


def test_long_texts_make_it_higher_and_leave_room_for_rows(
    table: TokenTable, theme: Theme, stage: Callable[[QWidget, int, int], None]
) -> None:
    stage(table, 700, 400)
    show(table)
    lowest = table.minimumSizeHint().height()
    assert lowest == theme.px(300)
    table.tokens_label.setText("word " * 300)
    QApplication.processEvents()
    table.window().resize(700, table.minimumSizeHint().height())
    assert table.window().height() > lowest
    QApplication.processEvents()
    assert table.tokens_label.height() >= table.tokens_label.heightForWidth(table.tokens_label.width())
    assert table.table.viewport().height() >= 3 * theme.px(28)
