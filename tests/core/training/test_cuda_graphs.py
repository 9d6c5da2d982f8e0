"""What is recorded as a graph, and when; without a GPU. Graphs themselves are tested in test_gpu.py."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import partial
from typing import Any
from weakref import ref

import pytest
import torch
from torch import Tensor

from core.training import cuda_graphs
from core.training.cuda_graphs import CudaGraphs


class Graph:
    """A graph without a GPU."""

    def replay(self) -> None:
        pass


@pytest.fixture
def graphs(monkeypatch: pytest.MonkeyPatch) -> CudaGraphs:
    """It only does the work while it records it."""

    def recorded(_: CudaGraphs, work: Callable[[], Tensor]) -> tuple[Any, Tensor]:
        return Graph(), work()

    monkeypatch.setattr(cuda_graphs, "_idle_streams", defaultdict(list))
    monkeypatch.setattr(torch.cuda, "Stream", lambda _: None)
    monkeypatch.setattr(torch.cuda, "graph_pool_handle", lambda: None)
    monkeypatch.setattr(CudaGraphs, "_recorded", recorded)
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
        if len(held) == 2:
            raise torch.OutOfMemoryError
        return result

    for _ in range(4):
        graphs.run("key", work)
    assert len(held) == 5 and not graphs._graphs


def test_there_are_not_more_graphs_than_allowed(graphs: CudaGraphs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_graphs, "_MAX_GRAPHS", 2)
    done: list[str] = []

    def work(key: str) -> Tensor:
        done.append(key)
        return torch.zeros(())

    for key in "aabbccaabbcc":
        graphs.run(key, partial(work, key))
    assert "".join(done) == "aabbcccc" and set(graphs._graphs) == {"a", "b"}
