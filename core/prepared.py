"""Makes the `Prepared` event of a run, whether this process has its model or another has."""

from __future__ import annotations

from pathlib import Path

from core.config import RunConfig
from core.data.prepared_data import PreparedData
from core.events import Prepared
from core.model_size import num_parameters


def prepared_event(
    initial_config: RunConfig, config: RunConfig, data: PreparedData, run: Path | None, picked: str = ""
) -> Prepared:
    """The model was made with `initial_config`; `config` is the current one. Both are resolved; `run` is the folder."""
    return Prepared(
        config=config,
        num_parameters=num_parameters(initial_config, data),
        src_tokens=data.src_vocabulary.tokens,
        tgt_tokens=data.tgt_vocabulary.tokens,
        num_pairs=data.num_pairs,
        left_out=data.left_out,
        plugin_left_out=data.plugin_left_out,
        limits=data.limits,
        longest_source=data.longest_source,
        unigram_loss=data.unigram_loss,
        examples=data.examples,
        fingerprint=data.fingerprint,
        run=run,
        picked=picked,
    )
