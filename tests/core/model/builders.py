"""Small models and batches with padding for the tests of core.model and core.decoding."""

from typing import Any, NamedTuple

import torch
from torch import Tensor

from core.config import ModelConfig
from core.data.special_tokens import BOS_ID, EOS_ID, PAD_ID
from core.model.transformer import Transformer

SRC_VOCAB, TGT_VOCAB, MAX_POSITIONS = 11, 13, 24

# Every setting that changes the arithmetic, with each value at least twice.
VARIANTS: list[dict[str, Any]] = [
    {},
    {"norm_first": False},
    {"bias": False, "activation": "gelu"},
    {"norm_first": False, "bias": False, "positions": "learned"},
    {"positions": "learned", "tie_embeddings": "decoder"},
    {"norm_first": False, "activation": "gelu", "tie_embeddings": "all"},
    {"bias": False, "positions": "learned", "tie_embeddings": "all"},
    {"norm_first": False, "bias": False, "tie_embeddings": "decoder"},
]


def variant_name(variant: dict[str, Any]) -> str:
    return " ".join(f"{key}={value}" for key, value in variant.items()) or "default"


def small_config(**changes: Any) -> ModelConfig:
    sizes = {"d_model": 16, "num_heads": 4, "num_encoder_layers": 2, "num_decoder_layers": 3, "d_ff": 24}
    return ModelConfig(**{**sizes, "dropout": 0.0, **changes})


def small_model(
    seed: int = 0, dtype: torch.dtype = torch.float32, tgt_vocab: int = TGT_VOCAB, **changes: Any
) -> Transformer:
    """A model in evaluation mode with random parameters, even biases and norms, so that leaving out one is noticed."""
    config = small_config(**changes)
    src_vocab = tgt_vocab if config.tie_embeddings == "all" else SRC_VOCAB
    torch.manual_seed(seed)
    torch.set_default_dtype(dtype)  # for the sinusoids: converted later, they would keep the error of float32
    try:
        model = Transformer(config, src_vocab, tgt_vocab, MAX_POSITIONS).eval()
    finally:
        torch.set_default_dtype(torch.float32)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name or name.endswith("bias"):
                parameter.add_(0.3 * torch.randn_like(parameter))
            elif "embedding" in name or name == "output.weight":
                parameter.normal_(std=0.25)  # larger than at initialisation, so that sentences differ clearly
    return model


class Inputs(NamedTuple):
    """The arguments of `Transformer.forward`."""

    src: Tensor
    tgt_input: Tensor
    src_mask: Tensor
    tgt_mask: Tensor


def padded(sentences: list[list[int]], length: int = 0) -> Tensor:
    """The padded ids [B, max(length, longest)]."""
    length = max(length, *(len(sentence) for sentence in sentences))
    return torch.tensor([sentence + [PAD_ID] * (length - len(sentence)) for sentence in sentences])


def inputs_of(src: list[list[int]], tgt_input: list[list[int]], src_length: int = 0, tgt_length: int = 0) -> Inputs:
    src_ids, tgt_ids = padded(src, src_length), padded(tgt_input, tgt_length)
    return Inputs(src_ids, tgt_ids, src_ids != PAD_ID, tgt_ids != PAD_ID)


SRC_SENTENCES = [[4, 5, 6, 7, 8, EOS_ID], [9, EOS_ID], [10, 4, 4, EOS_ID]]
TGT_SENTENCES = [[BOS_ID, 5, 6], [BOS_ID, 9, 10, 11, 12], [BOS_ID]]


def small_inputs() -> Inputs:
    """Three sentences of different lengths on both sides."""
    return inputs_of(SRC_SENTENCES, TGT_SENTENCES)
