"""Checks whether a small model can memorise 32 pairs, as it can if each target follows from its source."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator

import numpy as np
import torch

from core.answers.plugin_report import Finding, Learnability
from core.config import ModelConfig, TrainingConfig
from core.data.batch import Batch
from core.data.batching import make_batch
from core.data.encoding import TextEncoder, encode_pairs
from core.data.vocabulary import Vocabulary
from core.events import Progress
from core.model.transformer import Transformer
from core.plugin import Pair
from core.plugin_check.sample import Sample, SplitSample
from core.training.random_state import RandomState
from core.training.threads import threads
from core.training.updater import Updater

NUM_PAIRS = 32
MAX_TOKENS = 4096
"""In the batch, padding included: fewer pairs are learned if texts are long, so that no step takes long."""
LEARNED_LOSS = 0.1
"""The loss, in nats per target token, of learned pairs: the right token has nine tenths of the probability."""
MODEL = ModelConfig(d_model=64, num_heads=4, num_encoder_layers=1, num_decoder_layers=1, d_ff=256, dropout=0.0)
TRAINING = TrainingConfig(label_smoothing=0.0, device="cpu", precision="float32")
LEARNING_RATE = 5e-3
WARMUP_STEPS = 10
_CPU = torch.device("cpu")


def memorise_pairs(sample: Sample, seconds: float) -> Generator[Progress | None, None, Learnability]:
    """Train on the first 32 pairs until they are learned or `seconds` of computing time are spent.

    Yields after every step. Leaves the random state of a run and torch's number of threads as they were.
    """
    pairs = _first_pairs(sample)
    updater, batch = _make_updater(sample, pairs)
    step, loss, spent = 0, float("inf"), 0.0
    while loss > LEARNED_LOSS and spent < seconds:
        started = time.perf_counter()
        with threads(1):
            rate = LEARNING_RATE * min(1.0, (step + 1) / WARMUP_STEPS)
            loss = float(updater.step([batch], TRAINING, rate).loss)
        step, spent = step + 1, spent + time.perf_counter() - started
        stage = f"checking {sample.info.name}: learning {len(pairs)} pair{'s' * (len(pairs) != 1)}"
        yield Progress(stage=stage, done=step, total=None)
    return Learnability(num_pairs=len(pairs), steps=step, loss=loss, seconds=spent, is_learned=loss <= LEARNED_LOSS)


def _first_pairs(sample: Sample) -> list[Pair]:
    train = sample.splits["train"]
    num_pairs = min(NUM_PAIRS, len(train.pairs))
    while num_pairs > 1 and num_pairs * _longest(train, num_pairs) > MAX_TOKENS:
        num_pairs -= 1
    return train.pairs[:num_pairs]


def _longest(train: SplitSample, num_pairs: int) -> int:
    return max(map(len, train.src_tokens[:num_pairs])) + max(map(len, train.tgt_tokens[:num_pairs]))


def _make_updater(sample: Sample, pairs: list[Pair]) -> tuple[Updater, Batch]:
    src, tgt = map(Vocabulary, sample.kept_tokens)
    texts = [pair.source for pair in pairs], [pair.target for pair in pairs]
    arrays = encode_pairs(*texts, TextEncoder(sample.src_tokenizer, src), TextEncoder(sample.tgt_tokenizer, tgt))
    batch = make_batch(arrays, np.arange(len(pairs)))
    num_positions = max(batch.src.shape[1], batch.tgt_input.shape[1])
    with RandomState(0, _CPU).activated(), threads(1):
        return Updater(Transformer(MODEL, len(src), len(tgt), num_positions).eval(), TRAINING, _CPU), batch


def check_learnability(sample: Sample, learnability: Learnability) -> Iterator[Finding]:
    """Report pairs that were not learned, with the likely cause."""
    if learnability.is_learned:
        return
    targets: dict[str, set[str]] = {}
    for pair in _first_pairs(sample):
        targets.setdefault(pair.source, set()).add(pair.target)
    num_conflicting = sum(len(one) > 1 for one in targets.values())
    yield Finding(
        check="learnability",
        sentence=f"A small model has not learned the first {_named(learnability.num_pairs)} by heart: after "
        f"{learnability.steps:,} steps in {learnability.seconds:.0f} s its loss is {learnability.loss:.2f} nats a "
        f"token; expected {LEARNED_LOSS} at the most.",
        advice=f"{num_conflicting} of their sources {'has' if num_conflicting == 1 else 'have'} several targets: make "
        "each target follow from its source."
        if num_conflicting
        else "Make the first pairs short and their targets follow from their sources; long texts take longer.",
    )


def _named(num_pairs: int) -> str:
    return "training pair" if num_pairs == 1 else f"{num_pairs} training pairs"
