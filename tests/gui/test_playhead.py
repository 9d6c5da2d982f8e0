"""The playhead: the viewed step is independent of the live step."""

from __future__ import annotations

from gui.playhead import Playhead


def test_it_follows_the_newest_step_while_live() -> None:
    playhead = Playhead()
    moves: list[int] = []
    playhead.moved.connect(moves.append)
    playhead.advance(3)
    playhead.advance(3)
    playhead.advance(5)
    assert moves == [3, 5]
    assert playhead.is_live and playhead.step == 5


def test_it_stays_at_the_viewed_step() -> None:
    playhead = Playhead()
    playhead.advance(10)
    playhead.view(4)
    playhead.advance(20)
    assert (playhead.step, playhead.live_step, playhead.is_live) == (4, 20, False)
    playhead.go_live()
    assert playhead.step == 20


def test_it_views_only_existing_steps() -> None:
    playhead = Playhead()
    playhead.advance(10)
    playhead.view(99)
    assert playhead.step == 10
    playhead.view(-1)
    assert playhead.step == 0


def test_dragging_it_to_the_newest_step_makes_it_live() -> None:
    playhead = Playhead()
    playhead.advance(10)
    playhead.drag_to(4)
    assert (playhead.step, playhead.is_live) == (4, False)
    playhead.drag_to(10)
    playhead.advance(11)
    assert (playhead.step, playhead.is_live) == (11, True)


def test_another_run_resets_it() -> None:
    playhead = Playhead()
    playhead.advance(10)
    playhead.view(4)
    playhead.restart()
    assert (playhead.step, playhead.live_step, playhead.is_live) == (0, 0, True)
