"""What is recorded as a graph, and when; without a GPU. Graphs themselves are tested in test_gpu.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from core.training import cuda_graphs
from core.training.cuda_graphs import CudaGraphs


class Graph:
    """A graph without a GPU."""

    def replay(self) -> None:
        pass


def test_work_that_failed_the_first_time_is_recorded_only_after_it_succeeded_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Some of its kernels may not be loaded yet."""
    happened: list[str] = []

    def recorded(_: CudaGraphs, work: Callable[[], Tensor]) -> tuple[Any, Tensor]:
        happened.append("recorded")
        return Graph(), work()

    def work() -> Tensor:
        happened.append("done")
        if len(happened) == 1:
            raise torch.OutOfMemoryError
        return torch.zeros(())

    monkeypatch.setattr(cuda_graphs, "_recording_stream", lambda _: None)
    monkeypatch.setattr(torch.cuda, "graph_pool_handle", lambda: None)
    monkeypatch.setattr(CudaGraphs, "_record", recorded)
    graphs = CudaGraphs(torch.device("cuda"))
    with pytest.raises(torch.OutOfMemoryError):
        graphs.run("key", work)
    for _ in range(3):
        graphs.run("key", work)
    assert happened == ["done", "done", "recorded", "done"]
