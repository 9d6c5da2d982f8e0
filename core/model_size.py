"""The size of a model and of its training, computed without building it (and so without torch)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from core.config import DecodingConfig, ModelConfig, RunConfig
from core.data.prepared_data import PreparedData
from core.errors import UserError


def model_sizes(config: RunConfig, data: PreparedData) -> tuple[int, int, int]:
    """The arguments of this run's `Transformer` besides its settings: both vocabulary sizes, and positions."""
    positions = num_positions(config.decoding, data.max_src_length, data.max_tgt_length)
    return len(data.src_vocabulary), len(data.tgt_vocabulary), positions


def num_parameters(config: RunConfig, data: PreparedData) -> int:
    """The number of trainable parameters in this run's model."""
    return count_parameters(config.model, *model_sizes(config, data))


def require_same_size(
    run: Path, step: int, weights: Mapping[str, NDArray[Any]], config: RunConfig, data: PreparedData
) -> None:
    """Raise UserError if config and vocabulary describe a model of another size than the run's weights of `step`.

    Building that model may take more memory than there is.
    """
    num_stored, num_described = sum(array.size for array in weights.values()), num_parameters(config, data)
    if num_stored != num_described:
        raise UserError(
            f"{run}: config and vocabulary describe a model of {num_described:,} weights, "
            f"and the checkpoint of step {step} holds {num_stored:,}.",
            "Use the config and the vocabulary that these weights were trained with.",
        )


def num_positions(decoding: DecodingConfig, max_src_length: int, max_tgt_length: int) -> int:
    """The positions a run's model needs, for its longest source, target and free-running output with `<eos>`."""
    lengths = [max_src_length, max_tgt_length]
    return max(lengths if decoding.max_length == "auto" else [*lengths, decoding.max_length])


def count_parameters(model: ModelConfig, src_vocab_size: int, tgt_vocab_size: int, max_positions: int) -> int:
    """The number of trainable parameters in a `Transformer` of these sizes; tied ones count once."""
    return sum(parameter_breakdown(model, src_vocab_size, tgt_vocab_size, max_positions).values())


def parameter_breakdown(
    model: ModelConfig, src_vocab_size: int, tgt_vocab_size: int, max_positions: int
) -> dict[str, int]:
    """Parameters by part of the model: embeddings, positions, encoder, decoder, output."""
    d_model, part = model.d_model, sublayer_parameters(model)
    attention, feed_forward, norm = part["attention"], part["feed_forward"], part["norm"]
    final_norm = norm if model.norm_first else 0
    num_embeddings = tgt_vocab_size if model.tie_embeddings == "all" else src_vocab_size + tgt_vocab_size
    output = 0 if model.tie_embeddings != "none" else tgt_vocab_size * d_model
    return {
        "embeddings": num_embeddings * d_model,
        "positions": 2 * max_positions * d_model if model.positions == "learned" else 0,
        "encoder": model.num_encoder_layers * (attention + feed_forward + 2 * norm) + final_norm,
        "decoder": model.num_decoder_layers * (2 * attention + feed_forward + 3 * norm) + final_norm,
        "output": output + model.bias * tgt_vocab_size,
    }


def sublayer_parameters(model: ModelConfig) -> dict[str, int]:
    """Parameters of one attention, one feed-forward network and one LayerNorm."""
    d_model, bias = model.d_model, int(model.bias)
    return {
        "attention": 4 * d_model * (d_model + bias),
        "feed_forward": 2 * d_model * model.d_ff + bias * (model.d_ff + d_model),
        "norm": d_model * (1 + bias),
    }


def batch_bytes(config: RunConfig, data: PreparedData) -> int:
    """Roughly the bytes that a batch of the longest sentences keeps for the backward pass, in float32."""
    model, (src, tgt) = config.model, (data.max_src_length, data.max_tgt_length)
    sentences = config.training.batch_size or max(1, (config.training.batch_tokens or 0) // tgt)
    inner, heads = 2 * model.d_ff, 2 * model.num_heads
    encoder = src * (_ENCODER_ROWS * model.d_model + inner + heads * src)
    decoder = tgt * (_DECODER_ROWS * model.d_model + inner + heads * (src + tgt))
    return 4 * sentences * (model.num_encoder_layers * encoder + model.num_decoder_layers * decoder)


# Vectors of d_model per token and layer: norms, queries, keys, values, contexts, outputs, sums.
_ENCODER_ROWS, _DECODER_ROWS = 9, 14
