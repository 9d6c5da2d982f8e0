"""JoeyNMT's Transformer, built as its configuration files do; its greedy search has no key-value cache."""

from __future__ import annotations

import logging
from types import SimpleNamespace

import torch
from joeynmt.model import build_model
from joeynmt.search import greedy
from joeynmt.vocabulary import Vocabulary
from torch import Tensor

from benchmarks.speed.rival import Rival
from benchmarks.speed.sizes import DROPOUT, LABEL_SMOOTHING, Size
from core.data.batch import Batch
from core.data.special_tokens import BOS_ID, EOS_ID, PAD_ID, UNK_ID


class Peer(Rival):
    """A pre-norm model of a size."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        vocabulary = _vocabulary(size.vocab_size)
        stack = {
            "type": "transformer",
            "num_layers": size.num_layers,
            "num_heads": size.num_heads,
            "hidden_size": size.d_model,
            "ff_size": size.d_ff,
            "dropout": DROPOUT,
            "layer_norm": "pre",
            "embeddings": {"embedding_dim": size.d_model, "scale": True, "dropout": DROPOUT},
        }
        config = {"initializer": "xavier_uniform", "embed_initializer": "xavier_uniform"}
        logging.getLogger("joeynmt.model").setLevel(logging.WARNING)  # it logs that it builds the model
        self.model = build_model(config | {"encoder": stack, "decoder": stack}, vocabulary, vocabulary)
        self.model.loss_function = ("crossentropy", LABEL_SMOOTHING)

    def loss(self, batch: Batch) -> Tensor:
        """Its own loss: the divergence from a smoothed distribution over the whole vocabulary."""
        total, *_ = self.model(
            return_type="loss",
            src=batch.src,
            src_length=batch.src_mask.sum(1),
            src_mask=batch.src_mask[:, None],
            trg_input=batch.tgt_input,
            trg=batch.tgt_output,
            trg_mask=batch.tgt_mask[:, None],
        )
        mean: Tensor = total / batch.num_target_tokens
        return mean

    @torch.inference_mode()
    def decode(self, src: Tensor, src_mask: Tensor, beam_size: int, length: int) -> Tensor:
        """Its greedy search. [B, length]."""
        assert beam_size == 1
        mask = src_mask[:, None]
        memory, *_ = self.model(return_type="encode", src=src, src_length=src_mask.sum(1), src_mask=mask)
        written: Tensor = greedy(mask, length, self.model, memory, None, min_output_length=length)[0]
        return written


def _vocabulary(num_tokens: int) -> Vocabulary:
    """A vocabulary of this size; JoeyNMT orders the special tokens differently, but accepts our ids."""
    names = {f"{name}_token": f"<{name}>" for name in ("unk", "pad", "bos", "eos")}
    ids = {"unk_id": 0, "pad_id": 1, "bos_id": 2, "eos_id": 3}
    special = SimpleNamespace(**names, **ids, sep_token=None, lang_tags=[])
    vocabulary = Vocabulary([f"w{number}" for number in range(num_tokens - len(names))], special)
    vocabulary.pad_index, vocabulary.bos_index = PAD_ID, BOS_ID
    vocabulary.eos_index, vocabulary.unk_index = EOS_ID, UNK_ID
    return vocabulary
