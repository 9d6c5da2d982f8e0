"""CUDA graphs without a GPU: what is recorded is Python's to do again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from core.training import cuda_graphs
from core.training.cuda_graphs import CudaGraphs

Work = Callable[[], Tensor]


class RepeatingGraph:
    """Replayed, it does the recorded work again: on the memory and with the numbers of then, as a graph does."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self.result = torch.empty(0)

    def replay(self) -> None:
        self.result.data = self._work()


def let_graphs_repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Record RepeatingGraphs."""

    def recorded(_: CudaGraphs, work: Work) -> tuple[Any, Tensor]:
        graph = RepeatingGraph(work)
        return graph, graph.result

    record_by(monkeypatch, recorded)


def record_by(monkeypatch: pytest.MonkeyPatch, recorded: Callable[[CudaGraphs, Work], tuple[Any, Tensor]]) -> None:
    """Have CudaGraphs record by this function, and need no GPU for the rest."""
    monkeypatch.setattr(cuda_graphs, "_idle_streams", defaultdict(list))
    monkeypatch.setattr(torch.cuda, "Stream", lambda _: None)
    monkeypatch.setattr(torch.cuda, "graph_pool_handle", object)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda _: None)
    monkeypatch.setattr(CudaGraphs, "_recorded", recorded)
