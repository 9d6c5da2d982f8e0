"""The computed number of parameters, compared with the real model's."""

import itertools

import pytest

from core.config import ModelConfig
from core.model.transformer import Transformer
from core.model_size import count_parameters, parameter_breakdown

SHAPES = [
    {"d_model": 8, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 3, "d_ff": 5},
    {"d_model": 12, "num_heads": 3, "num_encoder_layers": 2, "num_decoder_layers": 1, "d_ff": 40},
]


@pytest.mark.parametrize(
    ("norm_first", "bias", "positions", "tie"),
    list(itertools.product([True, False], [True, False], ["sinusoidal", "learned"], ["none", "decoder", "all"])),
)
def test_the_count_equals_that_of_the_model(norm_first: bool, bias: bool, positions: str, tie: str) -> None:
    for shape in SHAPES:
        chosen = {"norm_first": norm_first, "bias": bias, "positions": positions, "tie_embeddings": tie}
        config = ModelConfig.model_validate(shape | chosen)
        src_vocab_size, tgt_vocab_size = (17, 17) if tie == "all" else (17, 23)
        model = Transformer(config, src_vocab_size, tgt_vocab_size, 9)
        by_part = parameter_breakdown(config, src_vocab_size, tgt_vocab_size, 9)
        own = dict.fromkeys(by_part, 0)
        for name, parameter in model.named_parameters():
            top = name.split(".")[0]
            own["positions" if ".positions." in name else "embeddings" if "embedding" in top else top] += (
                parameter.numel()
            )
        assert by_part == own
        assert count_parameters(config, src_vocab_size, tgt_vocab_size, 9) == sum(own.values())
