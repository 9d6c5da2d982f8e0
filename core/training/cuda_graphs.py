"""Work on a GPU that is launched at once, as a CUDA graph, when it comes again.

A step of a small model is hundreds of operations of a few microseconds each, and launching one takes longer than
running it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import cache

import torch
from torch import Tensor

_MAX_GRAPHS = 256


class CudaGraphs:
    """Runs work on a GPU: the first time as it is, later as a graph recorded the second time.

    Work with one key must do the same operations each time, on inputs and to results in the same memory. All graphs use
    the same memory for what lies between, since one runs at a time; so any of them may overwrite what another returned.
    """

    def __init__(self, device: torch.device) -> None:
        self._stream = _recording_stream(device)
        self._memory = torch.cuda.graph_pool_handle()
        self._graphs: dict[Hashable, tuple[torch.cuda.CUDAGraph, Tensor]] = {}
        self._seen: set[Hashable] = set()  # kernels are loaded when they first run, and cannot be while recording
        self._has_room = True

    def run(self, key: Hashable, work: Callable[[], Tensor]) -> Tensor:
        """Do `work`, or what was recorded for `key`, and return its result."""
        if key not in self._graphs:
            if key not in self._seen or not self._has_room:
                result = work()
                self._seen.add(key)
                return result
            try:
                self._graphs[key] = self._record(work)
            except torch.OutOfMemoryError:  # there may be enough for the work without a graph
                self._has_room = False
                return work()
            self._has_room = len(self._graphs) < _MAX_GRAPHS
        graph, result = self._graphs[key]
        graph.replay()
        return result

    def _record(self, work: Callable[[], Tensor]) -> tuple[torch.cuda.CUDAGraph, Tensor]:
        """Without what `torch.cuda.graph` does first, each time: it waits for the GPU, and frees cached memory.

        Before torch 2.9, it also collects Python's garbage, in a tenth of a second.
        """
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.stream(self._stream):
            graph.capture_begin(pool=self._memory, capture_error_mode="thread_local")
            try:
                result = work()
            except Exception:
                with suppress(RuntimeError):  # since the recording was broken off
                    graph.capture_end()
                raise
            graph.capture_end()
        return graph, result


@cache  # cuBLAS keeps 35 MB for each
def _recording_stream(device: torch.device) -> torch.cuda.Stream:
    return torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
