"""The settings of a run of a size, for programs that do not load torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.speed.sizes import DROPOUT, LABEL_SMOOTHING, OUTPUT_LENGTH, Size
from core.data.special_tokens import SPECIAL_TOKENS

PLUGINS = Path(__file__).parent / "plugins"
_MIN_BATCHES = 8
_NEVER = 1_000_000_000


def random_words(size: Size) -> dict[str, Any]:
    """The dataset's section of a config."""
    num_words, length = size.vocab_size - len(SPECIAL_TOKENS), size.length - 1
    num_batches = max(_MIN_BATCHES, -(-num_words // (size.batch_size * length)))
    options = {"num_words": num_words, "length": length, "num_pairs": num_batches * size.batch_size}
    return {"plugin": "random_words", "options": options}


def document(size: Size, **training: Any) -> dict[str, Any]:
    """The settings of a run of this size; `training` are settings of that section."""
    model = {
        "d_model": size.d_model,
        "num_heads": size.num_heads,
        "num_encoder_layers": size.num_layers,
        "num_decoder_layers": size.num_layers,
        "d_ff": size.d_ff,
        "dropout": DROPOUT,
    }
    seldom = dict.fromkeys(("max_steps", "validate_every", "checkpoint_every", "probe_every"), _NEVER)
    training = {
        "device": "cpu", "batch_size": size.batch_size, "label_smoothing": LABEL_SMOOTHING, **seldom, **training
    }  # fmt: skip
    return {
        "dataset": random_words(size),
        "model": model,
        "training": training,
        "decoding": {"max_length": OUTPUT_LENGTH},
    }
