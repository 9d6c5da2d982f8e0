"""When a notice appears, how long it holds, and that each step is checked once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.engine import Engine
from core.events import Event, ProbeDone, StepsDone, ValidationDone
from core.history import History
from core.notices.notice import NoticeKind
from core.probes import Probe
from core.requests import Learn, Prepare, Start
from core.run_folder import RunFolder
from core.runs.followed_run import read_followed_run
from tests.core.notices.conftest import Recorded
from tests.core.notices.recorded import Fault
from tests.core.watcher import Watcher, answered, tiny_config
from tests.gui.builders import sentence
from tests.gui.panels.conftest import prepared


def num_checked(history: History) -> int:
    return sum(1 for _ in history.analyse())


def holding(history: History, step: int) -> list[NoticeKind]:
    return [notice.rule.kind for notice in history.notices.at(step)]


def test_a_notice_holds_until_its_cause_ends_or_its_steps_are_removed(recorded: Recorded) -> None:
    history = recorded(Fault(rate=1e-9, rate_later=5e-3))
    assert num_checked(history) == len(history.probes.steps) + len(history.validations)
    assert num_checked(history) == 0
    (notice,) = (one for one in history.notices.all() if one.rule.kind == "no_rate")
    assert "no_rate" not in holding(history, notice.step - 1)
    assert "no_rate" in holding(history, notice.step)
    assert "no_rate" in holding(history, 60)  # the rate was changed at this step
    assert "no_rate" not in holding(history, history.last_step)
    history.notices.truncate_after(notice.step - 1)
    assert holding(history, history.last_step) == []
    assert num_checked(history) > 0
    assert "no_rate" in holding(history, 60)


def test_notices_are_published_after_all_steps_were_checked(recorded: Recorded) -> None:
    history = recorded(Fault(rate=1e-9, rate_later=5e-3))
    for _ in history.analyse():
        assert holding(history, history.last_step) == holding(history, 60) == [] == history.notices.all()
    assert "no_rate" in holding(history, 60)
    assert "no_rate" not in holding(history, history.last_step)


def test_there_are_no_notices_during_warmup(recorded: Recorded) -> None:
    history = recorded(Fault(rate=1e-9, warmup_steps=100))
    assert num_checked(history) > 0
    assert history.notices.all() == []


def test_a_notice_needs_two_checks_in_a_row(recorded: Recorded) -> None:
    history = recorded(Fault(rate=1e-9))
    assert num_checked(history) > 0
    first = min(one.step for one in history.notices.all() if one.rule.trigger == "probe")
    assert first == [step for step in history.probes.steps if step > 30][1]


@pytest.mark.usefixtures("engines_share_a_host")
def test_notices_are_the_same_live_and_from_the_folder_after_extra_steps(tmp_path: Path) -> None:
    watcher = Watcher()
    schedule = {"name": "constant", "warmup_steps": 0}
    config = tiny_config(max_steps=80, probe_every=4, optimizer={"learning_rate": 1e-8}, schedule=schedule)
    with Engine([watcher], cache_dir=tmp_path / "cache") as engine:
        answered(engine, Prepare(config=config))
        run = answered(engine, Start(runs_dir=tmp_path))
        answered(engine, Learn())
        answered(engine, Learn(steps=120))
    live, read = checked_after_each_of(watcher.events), read_followed_run(RunFolder.open(run))
    assert live.last_step == 200 and num_checked(read) > 0
    assert noticed(live) == noticed(read) == [("no_rate", 36), ("plateau", 84)]
    for step in live.probes.steps:
        assert holding(live, step) == holding(read, step)


def test_a_validation_counts_from_the_next_probe_on() -> None:
    """A validation follows the probe of its step, at which a live run has already been checked."""
    rates = {"train/loss": np.linspace(3.9, 1.0, 340), "train/learning_rate": np.full(340, 1e-9)}
    events: list[Event] = [prepared(), StepsDone(first_step=1, arrays=rates)]
    for step, right in ((300, 0.0), (320, 1.0), (340, 1.0)):
        events.append(ProbeDone(probe=Probe(step=step, sentences=(sentence(),))))
        metrics = {"valid/exact_match": right}
        events.append(ValidationDone(step=step, metrics=metrics, sentences=(), is_best=False))
    live, reread = checked_after_each_of(events), History()
    for event in events:
        reread.apply(event)
    num_checked(reread)
    assert [holding(live, step) for step in (300, 320, 340)] == [[], ["no_rate"], []]
    assert [holding(reread, step) for step in (300, 320, 340)] == [[], ["no_rate"], []]


def checked_after_each_of(events: list[Event]) -> History:
    history = History()
    for event in events:
        history.apply(event)
        num_checked(history)
    return history


def noticed(history: History) -> list[tuple[NoticeKind, int]]:
    return [(one.rule.kind, one.step) for one in history.notices.all()]
