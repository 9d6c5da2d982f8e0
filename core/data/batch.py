"""A batch of padded pairs, and its way to a device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from core.data.special_tokens import BOS_ID, EOS_ID

_ID_BYTES = 8


class BatchShape(NamedTuple):
    """The shape of a batch's tensors."""

    size: int  # sentences
    src_length: int
    tgt_length: int

    @property
    def num_bytes(self) -> int:
        """Of all five tensors."""
        num_ids = self.size * (self.src_length + 2 * self.tgt_length)
        return _ID_BYTES * num_ids + self.size * (self.src_length + self.tgt_length)

    def rounded_up(self, max_length: int) -> BatchShape:
        """The smallest shape that has room for this one, among few.

        Lengths grow by an eighth at most, and stay within `max_length`. The number of sentences becomes a multiple of
        8; from 50 on, it grows by an eighth at most, too.
        """
        size = _rounded_up(self.size, at_least=8)
        src_length, tgt_length = (min(_rounded_up(length), max_length) for length in self[1:])
        return BatchShape(size, src_length, tgt_length)


def _rounded_up(number: int, at_least: int = 1) -> int:
    """To a multiple of a power of two: of the one between a sixteenth and an eighth of it, or of `at_least`."""
    step = max(at_least, (1 << number.bit_length()) >> 4)
    return -(-number // step) * step


@dataclass(frozen=True, eq=False)
class Batch:
    """B padded pairs; masks are True at tokens. src ends with `<eos>`; tgt_output is tgt_input shifted by one token."""

    src: Tensor  # int64 [B, S]
    src_mask: Tensor  # bool [B, S]
    tgt_input: Tensor  # int64 [B, T], begins with <bos>
    tgt_output: Tensor  # int64 [B, T], ends with <eos>
    tgt_mask: Tensor  # bool [B, T]
    num_target_tokens: int  # <eos> counted, padding not

    @classmethod
    def in_memory(cls, memory: Tensor, shape: BatchShape, num_target_tokens: int) -> Batch:
        """The batch whose tensors are views of `memory`, as `pack` fills it."""
        size, src_length, tgt_length = shape
        num_src, num_tgt = size * src_length, size * tgt_length
        num_id_bytes = _ID_BYTES * (num_src + 2 * num_tgt)
        ids, masks = memory[:num_id_bytes].view(torch.int64), memory[num_id_bytes:].view(torch.bool)
        src, tgt_input, tgt_output = torch.split(ids, [num_src, num_tgt, num_tgt])
        src_mask, tgt_mask = torch.split(masks, [num_src, num_tgt])
        return cls(
            src.view(size, src_length),
            src_mask.view(size, src_length),
            tgt_input.view(size, tgt_length),
            tgt_output.view(size, tgt_length),
            tgt_mask.view(size, tgt_length),
            num_target_tokens,
        )

    @property
    def shape(self) -> BatchShape:
        """Of its tensors."""
        size, src_length = self.src.shape
        return BatchShape(size, src_length, self.tgt_input.shape[1])

    def to(self, device: torch.device) -> Batch:
        """The batch on another device; the batch itself if that is the CPU."""
        if device.type == "cpu":
            return self
        if device.type == "cuda":
            memory = self.pack(self.shape, device).to(device, non_blocking=True)
            return Batch.in_memory(memory, self.shape, self.num_target_tokens)
        # Waiting: MPS would read the memory copied from after it is freed (PyTorch issue 189690).
        src, src_mask, tgt_input, tgt_output, tgt_mask = (part.to(device) for part in self._tensors)
        return Batch(src, src_mask, tgt_input, tgt_output, tgt_mask, self.num_target_tokens)

    def pack(self, shape: BatchShape, device: torch.device) -> Tensor:
        """Its tensors in one piece of memory [shape.num_bytes], for one copy to `device`, with padding up to `shape`.

        Added sentences are empty: they have `<eos>` to read, `<bos>` to begin with, since attention needs a token, and
        nothing to write.
        """
        # Zeros are <pad>. From other memory than page-locked, copies may wait for all that the GPU has yet to do.
        memory = torch.zeros(shape.num_bytes, dtype=torch.uint8, pin_memory=device.type == "cuda")
        packed = Batch.in_memory(memory, shape, self.num_target_tokens)
        for part, padded in zip(self._tensors, packed._tensors, strict=True):
            padded[: part.shape[0], : part.shape[1]] = part
        added = slice(len(self.src), None)
        packed.src[added, 0], packed.src_mask[added, 0] = EOS_ID, True
        packed.tgt_input[added, 0], packed.tgt_mask[added, 0] = BOS_ID, True
        return memory

    def rows(self, rows: slice) -> Batch:
        """Some of its pairs, with unchanged padding."""
        tgt_mask = self.tgt_mask[rows].contiguous()
        src, src_mask, tgt_input, tgt_output = (
            part[rows].contiguous() for part in (self.src, self.src_mask, self.tgt_input, self.tgt_output)
        )
        return Batch(src, src_mask, tgt_input, tgt_output, tgt_mask, int(tgt_mask.sum()))

    @property
    def _tensors(self) -> tuple[Tensor, ...]:
        return self.src, self.src_mask, self.tgt_input, self.tgt_output, self.tgt_mask
