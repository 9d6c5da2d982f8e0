"""Work on a GPU that is launched at once, as a CUDA graph, when it comes again.

A step of a small model is hundreds of operations of a few microseconds each, and launching one takes longer than
running it.
"""

from __future__ import annotations

import weakref
from collections import defaultdict
from collections.abc import Callable, Hashable
from contextlib import suppress

import torch
from torch import Tensor

_MAX_GRAPHS = 256

# Streams on which nobody records. Few are made, since torch before 2.12 keeps 35 MB of cuBLAS for each, and later
# versions free that with any graph recorded on the stream, though others may use it (PyTorch issue 193402).
_idle_streams: defaultdict[torch.device, list[torch.cuda.Stream]] = defaultdict(list)


class CudaGraphs:
    """Runs work on a GPU: the first time as it is, later as a graph recorded the second time.

    Work with one key must do the same operations each time, on inputs and to results in the same memory. All graphs use
    the same memory for what lies between, since one runs at a time; so any of them may overwrite what another returned.
    """

    def __init__(self, device: torch.device) -> None:
        idle = _idle_streams[device]
        self._stream = idle.pop() if idle else torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        weakref.finalize(self, idle.append, self._stream).atexit = False
        self._device = device
        self._graphs: dict[Hashable, tuple[torch.cuda.CUDAGraph, Tensor]] = {}
        self._seen: set[Hashable] = set()  # kernels are loaded when they first run, and cannot be while recording
        self._max_graphs = _MAX_GRAPHS
        self._is_memory_short = False

    def run(self, key: Hashable, work: Callable[[], Tensor]) -> Tensor:
        """Do `work`, or what was recorded for `key`, and return its result."""
        if key in self._seen and key not in self._graphs and len(self._graphs) < self._max_graphs:
            self._record(key, work)
        if key not in self._graphs:
            result = work()
            self._seen.add(key)
            return result
        graph, result = self._graphs[key]
        graph.replay()
        return result

    def clear(self) -> None:
        """Free all graphs and their memory, once they have run. Work is recorded anew when it comes again."""
        if self._graphs:
            torch.cuda.synchronize(self._device)
        self._graphs.clear()
        self._seen.clear()

    def stop(self) -> bool:
        """Free all graphs and record no more. Returns whether there were any."""
        had_graphs = bool(self._graphs)
        self.clear()
        self._max_graphs = 0
        return had_graphs

    def _record(self, key: Hashable, work: Callable[[], Tensor]) -> None:
        """Add a graph of the work, if there is enough memory for one. There may be enough for the work without it.

        A recording cannot use the freed memory that torch keeps. Once one has failed, it is given back before each; if
        another one fails then, there are no more.
        """
        if self._is_memory_short:
            torch.cuda.empty_cache()
        if not self._graphs:  # torch refuses a handle whose graphs are all gone
            self._memory = torch.cuda.graph_pool_handle()
        with suppress(torch.OutOfMemoryError):
            self._graphs[key] = self._recorded(work)
        if key not in self._graphs:
            if self._is_memory_short:
                self._max_graphs = len(self._graphs)
            self._is_memory_short = True

    def _recorded(self, work: Callable[[], Tensor]) -> tuple[torch.cuda.CUDAGraph, Tensor]:
        """Without what `torch.cuda.graph` does first, each time: it waits for the GPU, and frees cached memory.

        Before torch 2.9, it also collects Python's garbage, in a tenth of a second.
        """
        graph, current = torch.cuda.CUDAGraph(), torch.cuda.current_stream(self._device)
        # Before torch 2.13, a recording begins with zeros, written by its stream, where graphs read how many random
        # numbers were drawn before them: not while any has yet to read that, nor after the next one's is written.
        self._stream.wait_stream(current)
        try:
            with torch.cuda.stream(self._stream):
                try:
                    graph.capture_begin(pool=self._memory, capture_error_mode="thread_local")
                    result = work()
                except Exception:
                    with suppress(RuntimeError):  # since the recording was broken off, or did not begin
                        graph.capture_end()
                    raise
                graph.capture_end()
        finally:
            current.wait_stream(self._stream)
        return graph, result
