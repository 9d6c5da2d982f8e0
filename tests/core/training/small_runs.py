"""The small task and model that the tests of training share."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeVar

from core.generators import run_to_end
from core.training.trainer import Trainer

Returned = TypeVar("Returned")
Yielded = TypeVar("Yielded")
MakeTrainer = Callable[..., Trainer]

DATASET = {"plugin": "tiny_copy"}
MODEL = {"d_model": 16, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1, "d_ff": 32}


def finish(generator: Generator[Yielded | None, None, Returned]) -> tuple[list[Yielded], Returned]:
    """Run a generator to its end; return the yielded values except None, and its return value."""
    yielded = list[Yielded | None]()
    returned = run_to_end(generator, yielded.append)
    return [one for one in yielded if one is not None], returned
