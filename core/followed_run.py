"""A run that another process writes, as this one can know it: what that process's engine said when it prepared it."""

from __future__ import annotations

from core.data.prepared_data import PreparedData
from core.events import Prepared
from core.history import History
from core.model_size import count_parameters, num_positions
from core.run_folder import RunFolder


def read_followed(folder: RunFolder) -> History:
    """The history of a run, and its `prepared`. Raises UserError that names a damaged file."""
    history = History.read(folder)
    history.prepared = prepared_from(folder)
    return history


def prepared_from(folder: RunFolder) -> Prepared:
    """What the folder's documents tell of data and model, with the settings changed until now."""
    data = PreparedData.from_document(folder.vocabulary(), folder.subword_models())
    config = folder.latest_config()
    src_tokens, tgt_tokens = data.src_vocabulary.tokens, data.tgt_vocabulary.tokens
    return Prepared(
        config=config,
        num_parameters=count_parameters(config.model, len(src_tokens), len(tgt_tokens), num_positions(config, data)),
        src_tokens=src_tokens,
        tgt_tokens=tgt_tokens,
        num_pairs=data.num_pairs,
        left_out=data.left_out,
        limits=data.limits,
        unigram_loss=data.unigram_loss,
        examples=data.examples,
        fingerprint=data.fingerprint,
        run=folder.path,
    )
