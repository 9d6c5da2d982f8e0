"""Says that probabilities are not numbers, which happens once a run has diverged."""

from __future__ import annotations

import numpy as np

from core.answers.translation import Translation
from core.probes import Feed

NOT_A_NUMBER = "The probabilities are not a number (NaN), because the run has diverged."


def has_diverged(feed: Feed) -> bool:
    """Whether the model gave a token no number as its probability."""
    return bool(np.isnan(feed.output_probability).any())


def divergence_note(translation: Translation) -> str:
    """What to do about weights whose probabilities are not numbers; empty if they are."""
    if translation.sentence is None or not has_diverged(translation.sentence.free_running):
        return ""
    return (
        f"With the weights of step {translation.step:,} the probabilities are not a number (NaN): the run had diverged "
        "by then. Choose the weights of an earlier step, or drag the playhead back."
    )
