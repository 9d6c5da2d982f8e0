"""Learns the subwords of a dataset: one model for both sides if they share their subwords, or one for each."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path

from core.config import SubwordName, TokenizerConfig
from core.data.learning_subwords import Sides, SizeTooSmall, learn_subwords, num_subwords, require_size
from core.data.subwords import SubwordModels
from core.data.tokenizer_settings import with_size
from core.events import Progress


def learn_each_side(
    config: TokenizerConfig, stem: Path, num_pairs: int
) -> Generator[Progress, None, tuple[SubwordModels, TokenizerConfig]]:
    """The models of the sides cut into subwords, learned from STEM's pairs, and the settings with their final size.

    Raises SizeTooSmall with the size that is enough for all sides, and UserError if the texts give too few subwords.
    """
    models, refusals = dict[str, bytes](), list[SizeTooSmall]()
    for sides, name in _to_learn(config):
        try:
            models[sides] = yield from learn_subwords(name, stem, num_pairs, sides, config.size)
        except SizeTooSmall as error:
            refusals.append(error)
    if refusals:
        raise max(refusals, key=lambda error: error.needed)
    if config.size == "auto":
        config = with_size(config, max(num_subwords(models).values()))
    else:
        require_size(models, config.size)
    return dict.fromkeys(("src", "tgt"), models["both"]) if "both" in models else models, config


def _to_learn(config: TokenizerConfig) -> Iterator[tuple[Sides, SubwordName]]:
    if config.shares_subwords:
        yield "both", config.subwords["src"]
    else:
        yield from config.subwords.items()
