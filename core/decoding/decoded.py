"""What decoding a batch gives."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Decoded:
    """The outputs of a batch, in the order of its sentences.

    `tokens` are ids without `<bos>` and `<eos>`. `finished` is False where max_length came before `<eos>`.
    With alternatives asked for (else empty), of each sentence and each step (the one that chose `<eos>` included): the
    probability of the chosen token [steps], and the most probable ids and their probabilities [steps, k], best first.
    Probabilities are over what can be produced: all tokens but `<pad>` and `<bos>`.
    """

    tokens: list[list[int]]
    finished: list[bool]
    probabilities: list[NDArray[np.float32]]
    alternative_ids: list[NDArray[np.int64]]
    alternative_probabilities: list[NDArray[np.float32]]
