"""`auto` precision and threads: measured once, cached, explained, and without effect on a run's random numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from core.config import RunConfig
from core.data.prepared_data import PreparedData
from core.machine.processor import has_bfloat16_products
from core.training.auto_precision.cache import cache_file
from core.training.auto_precision.choice import PrecisionChoice, choose_precision, faster_precision
from core.training.auto_precision.timing import Seconds, measure
from core.training.resolve import resolve
from tests.core.training.auto_precision.test_sample import PAPER
from tests.core.training.small_runs import DATASET, MODEL, finish

LARGER = {**MODEL, "d_model": 128}
"""A model that with a batch of 256 is just large enough for a choice."""


def chosen(data: PreparedData, model: dict[str, Any] = LARGER, **training: Any) -> tuple[list[Any], PrecisionChoice]:
    """Choose precision and threads; return the progress events and the choice."""
    document = {"dataset": DATASET, "model": model, "training": {"device": "cpu", "batch_size": 256, **training}}
    requested = RunConfig.model_validate(document)
    return finish(choose_precision(resolve(requested, data), requested.training, data))


@pytest.mark.skipif(not has_bfloat16_products(), reason="this processor does not multiply in bfloat16")
def test_precision_is_measured_once_and_cached(data: PreparedData) -> None:
    progress_events, first = chosen(data)
    assert {progress.stage for progress in progress_events} == {"measuring speed"}
    assert first.reason.startswith(f"precision: {first.config.training.precision} (a step takes ")
    assert f"threads: {first.config.training.num_threads} (" in first.reason
    assert chosen(data) == ([], first)


def test_measuring_keeps_the_random_state_and_the_number_of_threads() -> None:
    before, num_threads = torch.get_rng_state(), torch.get_num_threads()
    small = PAPER.model.model_copy(update={"d_model": 16, "d_ff": 16})
    sample = replace(PAPER, model=small, src_vocab_size=9, tgt_vocab_size=9, sentences=2)
    measuring = measure(sample, label_smoothing=0.1)
    next(measuring)
    assert torch.get_num_threads() == num_threads
    _, seconds = finish(measuring)
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.get_num_threads() == num_threads
    assert seconds.float32 > 0 and seconds.bfloat16 > 0


def test_a_tiny_model_is_not_measured(data: PreparedData) -> None:
    progress_events, choice = chosen(data, model=MODEL, batch_size=8)
    assert not progress_events
    assert (choice.config.training.precision, choice.config.training.num_threads) == ("float32", 1)
    assert choice.reason.endswith("threads: 1 (its steps are too small to share)")
    assert not cache_file().exists()


def test_explicit_settings_are_kept(data: PreparedData) -> None:
    progress_events, choice = chosen(data, precision="bfloat16", num_threads=3)
    assert not progress_events and choice.reason == ""
    assert (choice.config.training.precision, choice.config.training.num_threads) == ("bfloat16", 3)
    progress_events, choice = chosen(data, precision="bfloat16")
    assert not progress_events and choice.reason.startswith("threads: ")


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(Seconds(1.0, 0.5), "bfloat16"), (Seconds(1.0, 0.95), "float32"), (Seconds(1.0, 2.0), "float32")],
)
def test_bfloat16_must_be_clearly_faster(seconds: Seconds, expected: str) -> None:
    assert faster_precision(seconds) == expected
