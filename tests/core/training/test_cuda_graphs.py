"""What is recorded as a graph, and when; without a GPU. Graphs themselves are tested in test_gpu.py."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any
from weakref import ref

import pytest
import torch
from torch import Tensor

from core.training.cuda_graphs import CudaGraphs
from tests.core.training.graphs_without_gpu import record_by


class Graph:
    """A graph without a GPU."""

    def replay(self) -> None:
        pass


class Stream:
    """A stream without a GPU."""

    def wait_stream(self, other: Stream) -> None:
        pass


@pytest.fixture
def graphs(monkeypatch: pytest.MonkeyPatch) -> CudaGraphs:
    """It only does the work while it records it."""

    def recorded(_: CudaGraphs, work: Callable[[], Tensor]) -> tuple[Any, Tensor]:
        return Graph(), work()

    record_by(monkeypatch, recorded)
    return CudaGraphs(torch.device("cuda"))


def test_work_that_failed_the_first_time_is_recorded_only_after_it_succeeded_once(graphs: CudaGraphs) -> None:
    """Some of its kernels may not be loaded yet."""
    times = 0

    def work() -> Tensor:
        nonlocal times
        times += 1
        if times == 1:
            raise torch.OutOfMemoryError
        return torch.zeros(())

    with pytest.raises(torch.OutOfMemoryError):
        graphs.run("key", work)
    graphs.run("key", work)
    assert times == 2 and not graphs._graphs
    for _ in range(2):
        graphs.run("key", work)
    assert times == 3 and len(graphs._graphs) == 1


def test_work_is_done_without_a_graph_once_the_memory_of_a_failed_recording_is_free(graphs: CudaGraphs) -> None:
    held: list[ref[Tensor]] = []

    def work() -> Tensor:
        assert all(tensor() is None for tensor in held)
        result = torch.zeros(())
        held.append(ref(result))
        if len(held) in (2, 4):  # while recording
            raise torch.OutOfMemoryError
        return result

    for _ in range(4):
        graphs.run("key", work)
    assert len(held) == 6 and not graphs._graphs


@pytest.mark.parametrize("breaks_off_in", ["capture_begin", "work", "nothing"])
def test_every_recording_is_ended(breaks_off_in: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise nothing more could be done on its stream, and torch would free no cached memory."""
    called: list[str] = []

    def call(name: str) -> None:
        called.append(name)
        if name == breaks_off_in:
            raise torch.OutOfMemoryError
        if name == "capture_end" and breaks_off_in != "nothing":
            raise RuntimeError("it was broken off")

    class Recording(Graph):
        def capture_begin(self, **_: object) -> None:
            call("capture_begin")

        def capture_end(self) -> None:
            call("capture_end")

    def work() -> Tensor:
        call("work")
        return torch.zeros(())

    graphs = CudaGraphs.__new__(CudaGraphs)
    graphs._stream, graphs._device, graphs._memory = Stream(), torch.device("cpu"), None  # type: ignore[assignment]
    monkeypatch.setattr(torch.cuda, "CUDAGraph", Recording)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda _: Stream())
    monkeypatch.setattr(torch.cuda, "stream", lambda _: nullcontext())
    with nullcontext() if breaks_off_in == "nothing" else pytest.raises(torch.OutOfMemoryError):
        graphs._recorded(work)
    assert called.count("capture_end") == 1 and called[-1] == "capture_end"


def test_once_a_recording_failed_cached_memory_is_freed_before_others_in_memory_of_their_own(
    graphs: CudaGraphs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a recording cannot use; and torch refuses the handle of memory whose graphs are all gone."""
    happened: list[object] = []
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: happened.append("freed"))

    def recorded(one: CudaGraphs, work: Callable[[], Tensor]) -> tuple[Any, Tensor]:
        happened.append(one._memory)
        if len(happened) == 1:
            raise torch.OutOfMemoryError
        return Graph(), work()

    monkeypatch.setattr(CudaGraphs, "_recorded", recorded)
    for key in "aaaabb":
        graphs.run(key, lambda: torch.zeros(()))
    failed, _, memory, _, memory_of_the_next = happened
    assert happened[1] == happened[3] == "freed" and set(graphs._graphs) == {"a", "b"}
    assert memory is memory_of_the_next and memory is not failed
    graphs.clear()
    for _ in range(2):
        graphs.run("a", lambda: torch.zeros(()))
    assert happened[-1] is not memory


def test_graphs_are_freed_once_they_have_run(graphs: CudaGraphs, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        graphs.run("key", lambda: torch.zeros(()))
    graph, were_there = ref(graphs._graphs["key"][0]), list[bool]()
    monkeypatch.setattr(torch.cuda, "synchronize", lambda _: were_there.append(graph() is not None))
    assert graphs.stop() and were_there == [True] and graph() is None
    assert not graphs.stop() and len(were_there) == 1


def test_there_are_not_more_graphs_than_allowed(graphs: CudaGraphs) -> None:
    graphs._max_graphs = 2
    done: list[str] = []

    def work(key: str) -> Tensor:
        done.append(key)
        return torch.zeros(())

    for key in "aabbccaabbcc":
        graphs.run(key, partial(work, key))
    assert "".join(done) == "aabbcccc" and set(graphs._graphs) == {"a", "b"}
