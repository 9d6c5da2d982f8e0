"""The models and batches that are timed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Precision = Literal["float32", "bfloat16"]

DROPOUT = 0.1
LABEL_SMOOTHING = 0.1
OUTPUT_LENGTH = 20
"""The number of tokens that each decoding writes."""
BEAM_SIZE = 5


@dataclass(frozen=True, kw_only=True)
class Size:
    """A model, and batches for it without padding."""

    name: str
    num_layers: int  # of each stack
    d_model: int
    d_ff: int
    num_heads: int
    vocab_size: int  # of each side, with the four special tokens
    batch_size: int  # sentences
    length: int  # tokens of source and of target, with <eos>

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.num_layers} + {self.num_layers} layers, d_model {self.d_model}, d_ff {self.d_ff}, "
            f"{self.num_heads} heads, vocabulary {self.vocab_size:,}, {self.batch_size} x {self.length} tokens"
        )


MEDIUM = Size(
    name="medium", num_layers=3, d_model=256, d_ff=1024, num_heads=4, vocab_size=8000, batch_size=128, length=16
)
SMALL = Size(name="small", num_layers=2, d_model=128, d_ff=512, num_heads=4, vocab_size=11, batch_size=32, length=10)
TINY = Size(name="tiny", num_layers=1, d_model=16, d_ff=24, num_heads=4, vocab_size=23, batch_size=4, length=6)
"""So small that a test can run the benchmarks."""
