"""The counted operations, compared with calculations by hand and with torch's own counter."""

from __future__ import annotations

from pathlib import Path

import torch
from torch.utils.flop_counter import FlopCounterMode

from benchmarks.speed import limit
from benchmarks.speed.data import prepare, train_batches
from benchmarks.speed.sizes import TINY
from benchmarks.speed.textbook import Textbook


def test_a_product_counts_its_multiplications_and_additions() -> None:
    assert limit.Product(times=3, batch=2, rows=5, inner=7, columns=11).operations == 2 * 3 * 2 * 5 * 7 * 11


def test_a_training_step_has_as_many_operations_as_torch_counts_for_the_textbook(tmp_path: Path) -> None:
    batch = train_batches(prepare(TINY, tmp_path), TINY)[0]
    with FlopCounterMode(display=False) as counter:
        Textbook(TINY).loss(batch).backward()
    assert limit.operations(limit.of_training_step(TINY)) == counter.get_total_flops()


def test_decoding_counts_one_pass_without_attention_to_later_positions() -> None:
    """Decoding token by token does the work of one pass over all positions, without attention to later positions."""
    length, sentences = TINY.length, 3
    ids = torch.full((sentences, length), 4)
    textbook = Textbook(TINY).eval()
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        textbook.predict(ids, textbook.encode(ids, ids > 0), ids > 0, ids > 0)
    later = 2 * 2 * TINY.num_layers * sentences * TINY.d_model * (length * (length - 1) // 2)
    assert limit.operations(limit.of_decoding(TINY, sentences, sentences, length)) == counter.get_total_flops() - later
