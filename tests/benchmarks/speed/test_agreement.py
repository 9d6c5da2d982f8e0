"""The benchmark refuses to time contenders that compute something different, here broken on purpose."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from benchmarks.speed import ours
from benchmarks.speed.agreement import Disagreement, require_same_loss, require_same_tokens, same_models
from benchmarks.speed.data import prepare, train_batches
from benchmarks.speed.rivals import textbook_only
from benchmarks.speed.sizes import TINY


def test_a_different_loss_is_refused(tmp_path: Path) -> None:
    data = prepare(TINY, tmp_path)
    trainer = ours.make_trainer(TINY, data, tmp_path / "run", num_threads=1)
    batch = train_batches(data, TINY)[0]
    (same,) = same_models(textbook_only(TINY).models, trainer.model, norm_first=True).values()
    require_same_loss("textbook", same, trainer.model, batch)
    with torch.no_grad():
        same.get_parameter("decoder.layers.0.cross_attention.v.weight")[0] *= 2.0
    with pytest.raises(Disagreement, match="textbook has a loss of"):
        require_same_loss("textbook", same, trainer.model, batch)


def test_different_tokens_are_refused() -> None:
    require_same_tokens("a", [[4, 5], [6]], [[4, 5], [6]])
    with pytest.raises(Disagreement, match=r"Sentence 1: a writes \[7\], ours \[6\]"):
        require_same_tokens("a", [[4, 5], [7]], [[4, 5], [6]])
