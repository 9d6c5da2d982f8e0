"""The engine answers every request in every state from one thread, even when its work fails."""

from __future__ import annotations

import math
import random
import re
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator
from concurrent.futures import CancelledError
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.answers.head_ablation import HeadId
from core.answers.plugin_report import Bounds
from core.config import RunConfig
from core.data.preparation import prepare_data
from core.data.prepared_data import PreparedData
from core.engine import Engine
from core.errors import UserError
from core.events import Event, Prepared, Progress, RunFinished, StateChanged, Trouble
from core.processes.records import REQUESTS
from core.requests import (
    AddSentence,
    Branch,
    ChangeSetting,
    CheckPlugin,
    Close,
    DissectHead,
    Evaluate,
    FindUnreadable,
    Finish,
    Learn,
    LeaveOutHeads,
    LocateData,
    MakeMasks,
    MoveRun,
    OpenRun,
    Pause,
    Prepare,
    ReloadPlugins,
    Request,
    SearchBeam,
    SetPace,
    SetProcesses,
    Start,
    Stop,
    Translate,
)
from core.run_folder import RunFolder
from core.serving import session
from core.torchrun import max_processes
from core.training.trainer import Trainer
from tests.core.serving.running import TEXT, finished_run
from tests.core.watcher import SECONDS, Watcher, answered, begun, tiny_config

pytestmark = pytest.mark.usefixtures("tiny_data_at_hand")


def every_request(runs_dir: Path, run: Path) -> list[Request[object]]:
    """One request of every kind except Close; `run` is opened and branched. The last one prepares other data."""
    check = CheckPlugin(plugin="copy_task", with_learning=False, bounds=Bounds(options_seconds=0.0))
    requests: list[Request[object]] = [
        *(Learn(), Learn(steps=2), Pause(), Pause(), SetPace(steps_per_second=50.0), SetPace(steps_per_second=None)),
        *(Translate(texts=(TEXT,)), Translate(texts=(TEXT,), step=3), AddSentence(source="1 1"), Stop(), Finish()),
        *(Start(runs_dir=runs_dir), MoveRun(runs_dir=runs_dir), LocateData(), ReloadPlugins(), check),
        *(ChangeSetting(key="training.label_smoothing", value=0.2), SetProcesses(num_processes=1), Evaluate()),
        *(SearchBeam(source=TEXT, beam_size=3, length_penalty=0.6), MakeMasks(target=TEXT, num_padding=2)),
        DissectHead(source=TEXT, reference=TEXT, kind="cross", layer=0, head=1),
        LeaveOutHeads(source=TEXT, reference=TEXT, heads=(HeadId("cross", 0, 1),)),
        FindUnreadable(texts=(TEXT, "")),
        *(OpenRun(run=run), Branch(run=run, step=2, runs_dir=runs_dir)),
        Prepare(config=tiny_config(seed=1, max_steps=15)),
    ]
    return requests


def test_every_request_is_answered_before_anything_is_prepared(engine: Engine, tmp_path: Path) -> None:
    *requests, prepare = every_request(tmp_path, tmp_path / "deleted")
    assert {type(one) for one in (*requests, prepare)} == set(REQUESTS.values()) - {Close}
    for request in requests:
        future = engine.ask(request)
        error = future.exception(SECONDS)
        assert error is None or isinstance(error, UserError), request


@pytest.mark.usefixtures("engines_share_a_host")
def test_impossible_values_in_requests_are_refused_in_a_sentence(
    engine: Engine, watcher: Watcher, tmp_path: Path
) -> None:
    run, too_long = begun(engine, tmp_path), tmp_path / ("x" * 300)
    beam = SearchBeam(source=TEXT, beam_size=3, length_penalty=0.6)
    impossible: list[tuple[Request[object], str]] = [
        *(
            (replace(beam, beam_size=size), f"beam_size: expected at .*, given {size}")
            for size in (0, -1, 10**6, 10**30)
        ),
        *((replace(beam, length_penalty=one), "length_penalty: expected") for one in (1e300, -1.0, math.nan, math.inf)),
        *((SetPace(steps_per_second=pace), "steps a second above 0") for pace in (0.0, -1.0, math.nan, math.inf)),
        *((SetProcesses(num_processes=number), "expected 1 to") for number in (0, -1, max_processes() + 1, 10**9)),
        *((MakeMasks(target=TEXT, num_padding=number), "expected 0 to 16 <pad>") for number in (-1, 17, 10**5, 10**30)),
        *(
            (Translate(texts=(TEXT, TEXT), references=(TEXT,) * number), "a reference for each of 2 texts")
            for number in (1, 3)
        ),
        (OpenRun(run=run, checkpoint="9" * 5000), "has no checkpoint"),
        (MoveRun(runs_dir=too_long), f"{too_long} cannot be written: File name too long"),
    ]
    for request, sentence in impossible:
        with pytest.raises(UserError, match=sentence):
            answered(engine, request)
    answered(engine, Learn(steps=1))  # pace and number of processes are unchanged
    assert watcher.steps() == [1] and watcher.all(Trouble) == []


@pytest.mark.usefixtures("engines_share_a_host")
def test_a_path_with_a_nul_byte_is_refused_in_a_sentence(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    run, nothing = begun(engine, tmp_path), tmp_path / "a\0b"
    requests: list[Request[object]] = [
        *(Start(runs_dir=nothing), Start(runs_dir=tmp_path, run_dir=nothing), MoveRun(runs_dir=nothing)),
        *(OpenRun(run=nothing), Translate(texts=(TEXT,), run=nothing)),
        *(Branch(run=nothing, step=0, runs_dir=tmp_path), Branch(run=run, step=0, runs_dir=nothing)),
    ]
    for request in requests:
        with pytest.raises(UserError, match=re.escape(f"{str(nothing)!r}: it has a NUL byte in it")):
            answered(engine, request)
    with pytest.raises(UserError, match=r"expected a plugin.*, and there is none"):
        answered(engine, CheckPlugin(plugin=f"{nothing}.py"))
    data = {"plugin": "parallel_text", "options": {"train_source": str(nothing)}}
    with pytest.raises(UserError, match=re.escape(f"train_source: there is no {nothing}")):
        answered(engine, Prepare(config=RunConfig.model_validate({"dataset": data})))
    assert [trouble for trouble in watcher.all(Trouble) if trouble.details] == []


@pytest.mark.parametrize("seed", range(4))
def test_every_future_of_many_random_requests_is_answered(seed: int, tmp_path: Path) -> None:
    rng, watcher = random.Random(seed), Watcher()
    with Engine([watcher]) as engine:
        earlier = finished_run(engine, tmp_path, max_steps=3, probe_every=2)
        begun(engine, tmp_path, max_steps=30)
        futures = []
        for request in rng.choices(every_request(tmp_path, earlier), k=60):
            futures.append((request, engine.ask(request)))
            if rng.random() < 0.2:
                futures[rng.randrange(len(futures))][1].cancel()
            time.sleep(rng.choice((0.0, 0.0, 0.01, 0.05)))
        answered(engine, Stop())
        unanswered = [request for request, future in futures if not future.done()]
        assert all(isinstance(request, CheckPlugin) for request in unanswered)  # runs beside other requests
    for request, future in futures:
        error = None if future.cancelled() else future.exception(timeout=0)
        assert error is None or isinstance(error, UserError), (request, error)
    faults = [event for event in watcher.all(Trouble) if event.details]
    assert faults == []
    assert all(RunFolder.open(run).state.pid is None for run in tmp_path.iterdir())


def test_an_error_in_the_request_loop_saves_the_run(
    engine: Engine, watcher: Watcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begun(engine, tmp_path)
    answered(engine, Learn(steps=7))

    def fail(_: object) -> float:
        raise ZeroDivisionError

    monkeypatch.setattr("core.serving.request_loop.RequestLoop.seconds_to_wait", fail)
    engine.ask(Pause())  # wakes it
    watcher.wait(StateChanged, lambda change: change.state == "failed")
    assert "ZeroDivisionError" in watcher.wait(Trouble).sentence
    assert RunFolder.open(run).checkpoint_step("last") == 7
    assert (RunFolder.open(run).state.state, RunFolder.open(run).state.reason) == ("stopped", "fault")
    assert [end.reason for end in watcher.all(RunFinished)] == ["fault"]
    assert (run / "log.txt").read_text(encoding="utf-8").count("in fail\n") == 1
    with pytest.raises(UserError, match=r"The engine is closed.*Start Headlight again"):
        answered(engine, Learn())


def test_an_error_in_the_request_loop_saves_the_run_even_if_its_job_fails_to_end(
    engine: Engine, watcher: Watcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_under_way = threading.Event()

    def evaluate(*_: object, **__: object) -> Generator[None, None, None]:
        try:
            while True:
                is_under_way.set()
                yield None
        finally:
            raise ZeroDivisionError

    def fail(_: object) -> float:
        raise ZeroDivisionError

    run = begun(engine, tmp_path)
    answered(engine, Learn(steps=2))
    monkeypatch.setattr(Trainer, "evaluate", evaluate)
    evaluation = engine.ask(Evaluate(split="valid"))
    assert is_under_way.wait(SECONDS)
    monkeypatch.setattr("core.serving.request_loop.RequestLoop.seconds_to_wait", fail)
    with pytest.raises(ZeroDivisionError):
        evaluation.result(SECONDS)
    assert (RunFolder.open(run).checkpoint_step("last"), RunFolder.open(run).state.state) == (2, "stopped")


@pytest.fixture
def blocked(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Block the first preparation for ever; the event is set when it has begun."""
    is_under_way = threading.Event()

    def prepare(*arguments: Any) -> Generator[Progress | Trouble | None, None, PreparedData]:
        if not is_under_way.is_set():
            is_under_way.set()
            while True:
                yield None
        return (yield from prepare_data(*arguments))

    monkeypatch.setattr(session, "prepare_data", prepare)
    return is_under_way


@pytest.mark.usefixtures("engines_share_a_host")
def test_a_later_prepare_cancels_an_earlier_one(engine: Engine, watcher: Watcher, blocked: threading.Event) -> None:
    earlier = engine.ask(Prepare(config=tiny_config(seed=1)))
    assert blocked.wait(SECONDS)
    later = engine.ask(Prepare(config=tiny_config(seed=2)))
    assert later.result(SECONDS).config.seed == 2
    with pytest.raises(CancelledError):
        earlier.result(SECONDS)
    assert [event.config.seed for event in watcher.all(Prepared)] == [2]


@pytest.mark.usefixtures("engines_share_a_host")
@pytest.mark.parametrize("error", [RuntimeError("lost"), UserError("The cache was emptied.")])
def test_work_whose_clean_up_fails_blocks_no_request(
    watcher: Watcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """Stop cancels a preparation whose clean-up fails: its future gets the error, and the engine keeps answering."""

    is_under_way = threading.Event()

    def preparing(*_: object) -> Iterator[None]:
        try:
            while True:
                yield None
                is_under_way.set()
        finally:
            raise error

    monkeypatch.setattr(session.Session, "prepare", preparing)
    with Engine([watcher], cache_dir=tmp_path / "cache") as engine:
        preparation = engine.ask(Prepare(config=tiny_config()))
        assert is_under_way.wait(SECONDS)
        answered(engine, Stop())
        with pytest.raises(type(error), match=str(error)):
            preparation.result(SECONDS)
        answered(engine, Stop())
    assert bool(watcher.all(Trouble)) == isinstance(error, RuntimeError), "only an unexpected error is emitted"


@pytest.mark.usefixtures("engines_share_a_host")
def test_stop_during_a_prepare_cancels_the_requests_waiting_for_it(
    engine: Engine, watcher: Watcher, tmp_path: Path, blocked: threading.Event
) -> None:
    engine.ask(Prepare(config=tiny_config()))
    assert blocked.wait(SECONDS)
    start = engine.ask(Start(runs_dir=tmp_path))
    assert answered(engine, Stop()) is None
    with pytest.raises(CancelledError):
        start.result(SECONDS)
    assert watcher.states() == ["preparing", "empty"]


@pytest.mark.usefixtures("engines_share_a_host")
def test_failed_requests_give_the_reason_and_the_engine_keeps_answering(engine: Engine, tmp_path: Path) -> None:
    unknown = tiny_config().model_copy(update={"dataset": tiny_config().dataset.model_copy(update={"plugin": "nope"})})
    with pytest.raises(UserError, match="nope"):
        answered(engine, Prepare(config=unknown))
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="is not a run"):
        answered(engine, OpenRun(run=tmp_path / "file"))
    answered(engine, Prepare(config=tiny_config()))
    with pytest.raises(UserError, match="cannot be written"):
        answered(engine, Start(runs_dir=tmp_path / "file"))
    answered(engine, Start(runs_dir=tmp_path))


@pytest.mark.usefixtures("engines_share_a_host")
def test_a_listener_that_fails_is_dropped_and_reported(tmp_path: Path) -> None:
    calls: list[Event] = []

    def broken(event: Event) -> None:
        calls.append(event)
        raise ValueError("out of order")

    watcher = Watcher()
    with Engine([broken, watcher]) as engine:
        finished_run(engine, tmp_path)
    assert len(calls) == 1
    assert "out of order" in watcher.wait(Trouble).sentence
    assert watcher.all(RunFinished)


def test_after_close_every_request_is_refused(tmp_path: Path) -> None:
    engine = Engine()
    run = begun(engine, tmp_path, max_steps=10**6)
    learning = engine.ask(Learn())
    closing = engine.ask(Close())
    refused = engine.ask(Pause())
    closing.result(SECONDS)
    learning.result(SECONDS)
    with pytest.raises(UserError, match="closed"):
        refused.result(SECONDS)
    engine.close()
    assert RunFolder.open(run).state.state == "stopped"
    assert not [thread for thread in threading.enumerate() if thread.name == "engine"]


@pytest.mark.usefixtures("engines_share_a_host")
def test_all_events_come_from_one_thread(tmp_path: Path) -> None:
    threads: set[str] = set()
    with Engine([lambda _: threads.add(threading.current_thread().name)]) as engine:
        finished_run(engine, tmp_path)
    assert threads == {"engine"}


IDLE_ENGINE = """
import sys, time
from core.engine import Engine
with Engine() as engine:
    deadline = time.monotonic() + 60
    while not engine._host._rows and time.monotonic() < deadline:
        time.sleep(0.01)
    print(len(engine._host._rows) > 0, "torch" in sys.modules)
print(engine.is_closed, "torch" in sys.modules)
"""


def test_before_the_first_request_it_lists_plugins_without_loading_torch() -> None:
    """The interpreter is then free for the window, which is being built meanwhile; closed then, it ends at once."""
    result = subprocess.run([sys.executable, "-c", IDLE_ENGINE], capture_output=True, text=True, timeout=200)
    assert (result.stdout, result.stderr) == ("True False\nTrue False\n", "")
