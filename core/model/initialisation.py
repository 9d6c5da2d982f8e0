"""The weights a model starts from."""

import torch
from torch import Tensor, nn

from core.model.attention import CrossAttention, SelfAttention
from core.model.positions import LearnedPositions


@torch.no_grad()
def initialise(model: nn.Module) -> None:
    """Xavier uniform for every matrix (Glorot and Bengio 2010), each fused one taken apart; biases zero, norms one.

    Embeddings and learned positions are normal with deviation 1/sqrt(d_model). The model multiplies token vectors by
    sqrt(d_model) (Vaswani et al. 2017, section 3.4), so they enter at size 1 whatever the vocabulary, near the
    sinusoids' 0.7; the same matrix as a tied output gives logits of size 1, a first loss near ln V.
    Xavier would make both depend on the vocabulary: size 1.4 for 11 words, 0.2 for 8,000.
    """
    for module in model.modules():
        match module:
            case nn.Linear():
                nn.init.xavier_uniform_(module.weight)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
            case nn.Embedding() | LearnedPositions():
                nn.init.normal_(module.weight, std=module.weight.shape[1] ** -0.5)
    for module in model.modules():
        match module:
            case SelfAttention():
                _xavier_of_parts(module.qkv.weight, 3)
            case CrossAttention():
                _xavier_of_parts(module.kv.weight, 2)


def _xavier_of_parts(weight: Tensor, parts: int) -> None:
    for part in weight.chunk(parts):
        nn.init.xavier_uniform_(part)
