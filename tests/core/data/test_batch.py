"""A batch's shape, and its tensors in one piece of memory."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from core.data.batch import Batch, BatchShape
from core.data.batching import make_batch
from core.data.special_tokens import BOS_ID, EOS_ID, PAD_ID
from core.data.token_arrays import PairArrays, source_arrays, target_arrays


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (BatchShape(1, 1, 7), BatchShape(8, 1, 7)),
        (BatchShape(32, 15, 16), BatchShape(32, 15, 16)),
        (BatchShape(65, 17, 33), BatchShape(72, 18, 36)),
        (BatchShape(1000, 97, 100), BatchShape(1024, 104, 104)),
    ],
)
def test_few_shapes_have_room_for_all(shape: BatchShape, expected: BatchShape) -> None:
    assert shape.rounded_up(max_length=512) == expected
    assert shape.rounded_up(max_length=100) == (
        expected.size,
        min(expected.src_length, 100),
        min(expected.tgt_length, 100),
    )


def test_packed_into_one_piece_of_memory_a_batch_gets_padding_and_empty_sentences() -> None:
    sources, targets = [[5, 6, 7], [8]], [[9, 10], [11, 12, 13, 14]]
    pairs = PairArrays(
        *(
            arrays(np.concatenate(ids).astype(np.int32), list(map(len, ids)))
            for arrays, ids in ((source_arrays, sources), (target_arrays, targets))
        )
    )
    batch = make_batch(pairs, np.arange(2))
    shape = BatchShape(3, batch.shape.src_length + 2, batch.shape.tgt_length + 1)
    memory = batch.pack(shape, torch.device("cpu"))
    packed = Batch.in_memory(memory, shape, batch.num_target_tokens)
    assert packed.shape == shape and len(memory) == shape.num_bytes
    firsts = {"src": EOS_ID, "src_mask": True, "tgt_input": BOS_ID, "tgt_output": PAD_ID, "tgt_mask": True}
    for name, first in firsts.items():
        part, padded = getattr(batch, name), getattr(packed, name)
        expected = torch.full_like(padded, PAD_ID)
        expected[: part.shape[0], : part.shape[1]] = part
        expected[2, 0] = first
        torch.testing.assert_close(padded, expected, rtol=0, atol=0)
