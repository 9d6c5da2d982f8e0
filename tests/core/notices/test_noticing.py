"""When a rule speaks, how long that holds, and that each look is taken once."""

from __future__ import annotations

from core.history import History
from core.notices.notice import NoticeKind
from tests.core.notices.conftest import Recorded
from tests.core.notices.recorded import Fault


def looked(history: History) -> int:
    return sum(1 for _ in history.noticing.look(history))


def holding(history: History, step: int) -> list[NoticeKind]:
    return [notice.rule.kind for notice in history.noticing.at(step)]


def test_a_notice_holds_until_it_is_seen_no_more_and_goes_with_its_steps(recorded: Recorded) -> None:
    history = recorded(Fault(rate=1e-9, rate_later=5e-3))
    assert looked(history) == len(history.probe_steps) + len(history.validations)
    assert looked(history) == 0
    (notice,) = (one for one in history.noticing.all() if one.rule.kind == "no_rate")
    assert "no_rate" not in holding(history, notice.step - 1)
    assert "no_rate" in holding(history, notice.step)
    assert "no_rate" in holding(history, 60)  # the rate was set then
    assert "no_rate" not in holding(history, history.last_step)
    history.noticing.cut_back_to(notice.step - 1)
    assert holding(history, history.last_step) == []
    assert looked(history) > 0
    assert "no_rate" in holding(history, 60)


def test_a_notice_is_told_when_all_there_is_was_looked_at(recorded: Recorded) -> None:
    history = recorded(Fault(rate=1e-9, rate_later=5e-3))
    for _ in history.noticing.look(history):
        assert holding(history, history.last_step) == holding(history, 60) == [] == history.noticing.all()
    assert "no_rate" in holding(history, 60)
    assert "no_rate" not in holding(history, history.last_step)


def test_nothing_is_said_while_the_rate_warms_up(recorded: Recorded) -> None:
    history = recorded(Fault(rate=1e-9, warmup_steps=100))
    assert looked(history) > 0
    assert history.noticing.all() == []


def test_two_looks_in_a_row_are_needed(recorded: Recorded) -> None:
    history = recorded(Fault(rate=1e-9))
    assert looked(history) > 0
    first = min(one.step for one in history.noticing.all() if one.rule.looks_at == "probe")
    assert first == [step for step in history.probe_steps if step > 30][1]
