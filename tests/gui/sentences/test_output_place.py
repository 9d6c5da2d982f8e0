"""The place in an output."""

from __future__ import annotations

from gui.sentences.output_place import OutputPlace


def test_whoever_looks_at_the_end_goes_on_looking_at_the_end() -> None:
    place, moves = OutputPlace(), []
    place.moved.connect(lambda: moves.append(place.place))
    place.take(4, "a b")
    assert place.place == 3 and place.is_last
    place.take(6, "a b")
    assert place.place == 5
    place.go_to(2)
    place.take(9, "a b")
    assert place.place == 2 and not place.is_last
    place.take(2, "a b")
    assert place.place == 1
    assert moves == [3, 5, 2, 2, 1]


def test_it_stays_within_the_output() -> None:
    place = OutputPlace()
    place.go_to(3)
    assert place.place == 0
    place.take(3, "a b")
    place.go_to(-1)
    assert place.place == 0
    place.go_to(7)
    assert place.place == 2
    place.go_to(0)
    place.go_to_last()
    assert place.is_last


def test_a_place_is_chosen_until_another_sentence_comes() -> None:
    place, moves = OutputPlace(), []
    place.moved.connect(lambda: moves.append(place.place))
    place.take(4, "a b")
    assert not place.is_chosen
    place.go_to_last()  # where it is already: whoever shows tracks brings it into view
    place.take(6, "a b")
    assert place.is_chosen and place.is_last
    place.take(6, "c")
    assert not place.is_chosen
    assert moves == [3, 3, 5, 5]
