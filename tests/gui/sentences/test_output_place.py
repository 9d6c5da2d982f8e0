"""The place in an output."""

from __future__ import annotations

from gui.sentences.output_place import OutputPlace


def test_whoever_looks_at_the_end_goes_on_looking_at_the_end() -> None:
    place, moves = OutputPlace(), []
    place.moved.connect(lambda: moves.append(place.place))
    place.take(4)
    assert place.place == 3 and place.is_last
    place.take(6)
    assert place.place == 5
    place.go_to(2)
    place.take(9)
    assert place.place == 2 and not place.is_last
    place.take(2)
    assert place.place == 1
    assert moves == [3, 5, 2, 2, 1]


def test_it_stays_within_the_output() -> None:
    place = OutputPlace()
    place.go_to(3)
    assert place.place == 0
    place.take(3)
    place.go_to(-1)
    assert place.place == 0
    place.go_to(7)
    assert place.place == 2
    place.go_to(0)
    place.go_to_last()
    assert place.is_last
