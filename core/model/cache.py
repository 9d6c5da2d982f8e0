"""What a decoder remembers between two steps of decoding: keys and values of everything it has seen."""

from collections.abc import Sequence

import torch
from torch import Tensor

from core.model.attention import KeysValues


class LayerCache:
    """Keys and values of one layer's self-attention, in room for `max_length` positions taken at the first step."""

    def __init__(self, max_length: int) -> None:
        self.max_length = max_length
        self.length = 0
        self._room: KeysValues | None = None

    def append(self, new: KeysValues) -> KeysValues:
        """Keep keys and values of the next position, each [B, H, 1, d_head]; return all so far as views."""
        if self._room is None:
            batch, heads, _, d_head = new.keys.shape
            shape = (batch, heads, self.max_length, d_head)
            self._room = KeysValues(new.keys.new_empty(shape), new.values.new_empty(shape))
        keys, values = self._room
        keys[:, :, self.length] = new.keys[:, :, 0]
        values[:, :, self.length] = new.values[:, :, 0]
        self.length += 1
        return KeysValues(keys[:, :, : self.length], values[:, :, : self.length])

    def reorder(self, rows: Tensor) -> None:
        """Go on with these rows of the batch, in this order; a row may come back more than once or not at all."""
        if self._room is not None:
            self._room = KeysValues(*(_taken(room, rows, self.length) for room in self._room))


class DecoderCache:
    """Of every layer: the memory's keys and values, made once, and those of the target so far."""

    def __init__(self, memory: Sequence[KeysValues], memory_mask: Tensor, max_length: int) -> None:
        self.memory = list(memory)
        self.memory_mask = memory_mask
        self.layers = [LayerCache(max_length) for _ in self.memory]

    @property
    def length(self) -> int:
        """Target positions seen so far."""
        return self.layers[0].length

    def reorder(self, rows: Tensor) -> None:
        """Go on with these rows [N] of the batch: sentences leave, or beams change places."""
        self.memory = [KeysValues(kv.keys[rows], kv.values[rows]) for kv in self.memory]
        self.memory_mask = self.memory_mask[rows]
        for layer in self.layers:
            layer.reorder(rows)


def _taken(room: Tensor, rows: Tensor, length: int) -> Tensor:
    """The rows in new room of the same depth; only the first `length` positions hold anything to copy."""
    taken = room.new_empty((len(rows), *room.shape[1:]))
    torch.index_select(room[:, :, :length], 0, rows, out=taken[:, :, :length])
    return taken
