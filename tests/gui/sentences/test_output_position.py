"""The position in an output."""

from __future__ import annotations

from gui.sentences.output_position import OutputPosition


def test_a_position_at_the_end_stays_at_the_end() -> None:
    position, moves = OutputPosition(), []
    position.moved.connect(lambda: moves.append(position.index))
    position.set_output(4, "a b")
    assert position.index == 3 and position.is_last
    position.set_output(6, "a b")
    assert position.index == 5
    position.go_to(2)
    position.set_output(9, "a b")
    assert position.index == 2 and not position.is_last
    position.set_output(2, "a b")
    assert position.index == 1
    assert moves == [2]  # where the user went: another output is drawn whole


def test_it_stays_within_the_output() -> None:
    position = OutputPosition()
    position.go_to(3)
    assert position.index == 0
    position.set_output(3, "a b")
    position.go_to(-1)
    assert position.index == 0
    position.go_to(7)
    assert position.index == 2
    position.go_to(0)
    position.go_to_last()
    assert position.is_last


def test_a_position_stays_chosen_until_another_sentence_comes() -> None:
    position, moves = OutputPosition(), []
    position.moved.connect(lambda: moves.append(position.index))
    position.set_output(4, "a b")
    assert not position.is_chosen
    position.go_to_last()  # it is there already, but tracks scroll to a chosen position
    position.set_output(6, "a b")
    assert position.is_chosen and position.is_last
    position.set_output(6, "c")
    assert not position.is_chosen
    assert moves == [3]
