"""Draws endless training data in shards: while one is in use, the next is drawn."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Event

from core.data.encoding import encode_pairs
from core.data.prepared_data import PreparedData
from core.data.token_arrays import PairArrays
from core.plugin import Pair
from core.plugins_host.host import PluginHost
from core.plugins_host.split_drawing import draw_lines

CLOSE_SECONDS = 1.0
"""Longer than any chunk takes; a plugin that hangs is killed with its host."""


class Shards:
    """The shards of a dataset's endless train split, in any order.

    The first was prepared and is on disk. Drawing the others waits for the plugin's process and does not touch torch,
    so a thread does it ahead of time, one for each shard.
    """

    def __init__(self, data: PreparedData, host: PluginHost) -> None:
        self._data, self._host = data, host
        self._prefetched: tuple[int, Future[PairArrays]] | None = None
        self._closing = Event()

    def pairs(self, shard: int) -> PairArrays:
        """The shard's pairs that are not too long. Raises UserError if the plugin fails."""
        if shard == 0:
            return self._data.split("train")
        number, drawn = self._prefetched or (None, None)
        self._prefetched = None
        if number == shard and drawn is not None and drawn.exception() is None:
            return drawn.result()
        # If drawing ahead failed, another request may have interrupted it; an error matters only if it recurs now.
        return self._draw(shard)

    def prefetch(self, shard: int) -> None:
        """Start to draw the shard that `pairs` will be asked for next, unless one is being drawn; does not wait."""
        if self._prefetched is not None:
            return
        executor = ThreadPoolExecutor(1, thread_name_prefix=f"shard {shard}")
        self._prefetched = shard, executor.submit(self._draw, shard)
        executor.shutdown(wait=False)  # the thread ends after this one task

    def close(self) -> None:
        """Stop drawing ahead. Call it before the host is closed."""
        self._closing.set()
        if self._prefetched is not None:
            wait([self._prefetched[1]], CLOSE_SECONDS)

    def _draw(self, shard: int) -> PairArrays:
        dataset, pairs = self._data.dataset, list[Pair]()
        options, seed = self._data.options, dataset.seed
        for lines in draw_lines(self._host, dataset.plugin, options, seed, "train", shard, accepted=True):
            pairs.extend(lines.pairs())
            if self._closing.is_set():
                break
        texts = [pair.source for pair in pairs], [pair.target for pair in pairs]
        arrays = encode_pairs(*texts, self._data.src_encoder, self._data.tgt_encoder)
        return arrays.selected(arrays.fitting(self._data.max_src_length, self._data.max_tgt_length))
