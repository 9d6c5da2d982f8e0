"""Remembered keys and values when rows of the batch leave, repeat or change places."""

import torch

from tests.core.model.builders import SRC_SENTENCES, inputs_of, small_model

PREFIXES = torch.tensor([[1, 5, 6, 7, 8], [1, 9, 10, 11, 12], [1, 4, 4, 4, 4]])


def test_rows_keep_their_past_when_they_move() -> None:
    model = small_model(dtype=torch.float64)
    src, _, src_mask, _ = inputs_of(SRC_SENTENCES, [[1]] * 3)
    rows = torch.tensor([2, 0, 0, 1])
    with torch.inference_mode():
        memory = model.encode(src, src_mask)
        whole = model.decode(PREFIXES, memory, src_mask, torch.ones_like(PREFIXES, dtype=torch.bool))
        cache = model.start_decoding(memory, src_mask, 5)
        cache.reorder(torch.tensor([0, 1, 2]))  # before the first step there is nothing to move but the memory
        for t in range(3):
            model.decode_next(PREFIXES[:, t], cache)
        cache.reorder(rows)
        moved = [model.decode_next(PREFIXES[rows, t], cache) for t in (3, 4)]
    torch.testing.assert_close(torch.stack(moved, 1), whole[rows, 3:], rtol=0, atol=1e-12)
