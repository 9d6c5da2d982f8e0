"""The model, compared with the paper's equations and torch's own, and unaffected by padding and later positions."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from core.errors import UserError
from core.model.transformer import Transformer
from core.model.weights import named_weights
from tests.core.model.builders import (
    MAX_POSITIONS,
    SRC_SENTENCES,
    TGT_SENTENCES,
    TGT_VOCAB,
    VARIANTS,
    inputs_of,
    small_config,
    small_inputs,
    small_model,
    variant_name,
)
from tests.core.model.transcription import Paper

every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)


def gradients_of(loss: Tensor, model: Transformer) -> tuple[Tensor, ...]:
    """The gradients of all parameters; a parameter without one is an error."""
    return torch.autograd.grad(loss, [*model.parameters()])


@every_variant
def test_the_model_equals_the_papers_equations(variant: dict[str, Any]) -> None:
    model = small_model(dtype=torch.float64, **variant)
    numbers = {name: tensor.numpy() for name, tensor in named_weights(model).items()}
    logits = model(*small_inputs()).detach().numpy()
    for row, (src, tgt_input) in enumerate(zip(SRC_SENTENCES, TGT_SENTENCES, strict=True)):
        expected = Paper(small_config(**variant), numbers).logits(src, tgt_input)
        np.testing.assert_allclose(logits[row, : len(tgt_input)], expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm_first", [True, False])
def test_the_model_equals_nn_transformer_with_the_same_weights(norm_first: bool, activation: str, bias: bool) -> None:
    model = small_model(norm_first=norm_first, activation=activation, bias=bias)
    torchs = torchs_transformer(model, norm_first, activation, bias)
    src, tgt_input, src_mask, tgt_mask = small_inputs()
    later = torch.ones(tgt_input.shape[1], tgt_input.shape[1], dtype=torch.bool).triu(1)
    expected = torchs(
        model.src_embedding(src),
        model.tgt_embedding(tgt_input),
        tgt_mask=later,
        src_key_padding_mask=~src_mask,
        memory_key_padding_mask=~src_mask,
        tgt_key_padding_mask=~tgt_mask,
    )
    got = model.decode(tgt_input, model.encode(src, src_mask), src_mask, tgt_mask)
    torch.testing.assert_close(got[tgt_mask], expected[tgt_mask], rtol=0, atol=1e-5)


def torchs_transformer(model: Transformer, norm_first: bool, activation: str, bias: bool) -> nn.Transformer:
    config = small_config()
    width, heads, d_ff = config.d_model, config.num_heads, config.d_ff
    kind: dict[str, Any] = {"norm_first": norm_first, "activation": activation, "bias": bias, "batch_first": True}
    encoder = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(width, heads, d_ff, 0.0, **kind),
        config.num_encoder_layers,
        nn.LayerNorm(width, bias=bias) if norm_first else None,
        enable_nested_tensor=False,
    )
    decoder = nn.TransformerDecoder(
        nn.TransformerDecoderLayer(width, heads, d_ff, 0.0, **kind),
        config.num_decoder_layers,
        nn.LayerNorm(width, bias=bias) if norm_first else None,
    )
    torchs = nn.Transformer(width, heads, batch_first=True, custom_encoder=encoder, custom_decoder=decoder)
    torchs.load_state_dict(dict(torchs_weights(model)))
    return torchs.train()  # its inference path has other code, and there is no dropout


TORCHS_NAMES = {
    "self_attention.qkv.": "self_attn.in_proj_",
    "self_attention.output.": "self_attn.out_proj.",
    "cross_attention.output.": "multihead_attn.out_proj.",
    "feed_forward.inner.": "linear1.",
    "feed_forward.outer.": "linear2.",
    "self_attention_norm.": "norm1.",
    "cross_attention_norm.": "norm2.",
}


def torchs_weights(model: Transformer) -> list[tuple[str, Tensor]]:
    """Our weights under nn.Transformer's names, with q and kv of cross-attention joined as there."""
    own = {name: tensor for name, tensor in named_weights(model).items() if name.startswith(("encoder", "decoder"))}
    renamed = []
    for name, tensor in own.items():
        if ".cross_attention.kv." in name:
            continue
        if ".cross_attention.q." in name:
            tensor = torch.cat([tensor, own[name.replace(".q.", ".kv.")]])
        theirs = name.replace("cross_attention.q.", "multihead_attn.in_proj_")
        for ours, their in TORCHS_NAMES.items():
            theirs = theirs.replace(ours, their)
        last_norm = "norm2." if theirs.startswith("encoder") else "norm3."
        renamed.append((theirs.replace("feed_forward_norm.", last_norm), tensor))
    return renamed


@every_variant
def test_no_target_position_has_a_gradient_from_a_later_one(variant: dict[str, Any]) -> None:
    model = small_model(dtype=torch.float64, **variant)
    src, tgt_input, src_mask, tgt_mask = inputs_of([SRC_SENTENCES[0]], [[1, 5, 6, 7, 8]])
    vectors: list[Tensor] = []
    model.tgt_embedding.register_forward_hook(lambda _m, _i, out: vectors.append(out))
    logits = model(src, tgt_input, src_mask, tgt_mask)
    for position in range(5):
        (gradient,) = torch.autograd.grad(logits[0, position].square().sum(), vectors, retain_graph=True)
        reached = gradient[0].abs().sum(-1) > 0
        assert reached.tolist() == [t <= position for t in range(5)]


@every_variant
def test_changing_later_target_positions_does_not_affect_earlier_ones(variant: dict[str, Any]) -> None:
    model = small_model(**variant)
    before = model(*inputs_of([SRC_SENTENCES[0]], [[1, 5, 6, 7, 8]]))
    after = model(*inputs_of([SRC_SENTENCES[0]], [[1, 5, 6, 12, 4]]))
    torch.testing.assert_close(after[0, :3], before[0, :3], rtol=0, atol=1e-6)
    assert (after[0, 3:] - before[0, 3:]).abs().amax(-1).min() > 1e-3


@every_variant
def test_more_padding_does_not_affect_the_logits(variant: dict[str, Any]) -> None:
    model = small_model(dtype=torch.float64, **variant)
    inputs = small_inputs()
    longer = inputs_of(SRC_SENTENCES, TGT_SENTENCES, src_length=19, tgt_length=17)
    own, padded = model(*inputs), model(*longer)
    assert not padded.isnan().any()
    torch.testing.assert_close(padded[longer.tgt_mask], own[inputs.tgt_mask], rtol=0, atol=1e-12)


def test_ids_at_padded_positions_do_not_affect_the_logits() -> None:
    model = small_model()
    inputs = small_inputs()
    noise = inputs._replace(
        src=inputs.src.masked_fill(~inputs.src_mask, 7), tgt_input=inputs.tgt_input.masked_fill(~inputs.tgt_mask, 9)
    )
    assert torch.equal(model(*noise)[inputs.tgt_mask], model(*inputs)[inputs.tgt_mask])


@every_variant
def test_a_batch_equals_its_sentences_one_by_one(variant: dict[str, Any]) -> None:
    model = small_model(**variant)
    together = model(*small_inputs())
    for row, (src, tgt_input) in enumerate(zip(SRC_SENTENCES, TGT_SENTENCES, strict=True)):
        single = model(*inputs_of([src], [tgt_input]))[0]
        torch.testing.assert_close(together[row, : len(tgt_input)], single, rtol=0, atol=1e-5)


@pytest.mark.parametrize("attention_dropout", [0.0, 0.5])
def test_a_sentence_of_padding_gives_no_nan_and_does_not_affect_others(attention_dropout: float) -> None:
    model = small_model(attention_dropout=attention_dropout)
    inputs = small_inputs()
    empty = inputs._replace(src_mask=inputs.src_mask.clone(), tgt_mask=inputs.tgt_mask.clone())
    empty.src_mask[1] = empty.tgt_mask[1] = False
    torch.testing.assert_close(model(*empty)[[0, 2]], model(*inputs)[[0, 2]], rtol=0, atol=1e-6)
    loss = model.train()(*empty).square().sum()
    assert loss.isfinite()
    assert all(gradient.isfinite().all() for gradient in gradients_of(loss, model))


def test_every_parameter_has_a_gradient() -> None:
    for variant in VARIANTS:
        model = small_model(**variant)
        inputs = small_inputs()
        model(*inputs)[inputs.tgt_mask].logsumexp(-1).sum().backward()
        still = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
        assert still == []


def test_dropout_is_active_only_in_training() -> None:
    model = small_model(dropout=0.3)
    inputs = small_inputs()
    assert torch.equal(model(*inputs), model(*inputs))
    model.train()
    assert not torch.equal(model(*inputs), model(*inputs))


def test_the_same_seed_gives_the_same_gradients() -> None:
    def gradients() -> tuple[Tensor, ...]:
        model = small_model(seed=3, dropout=0.2, attention_dropout=0.2).train()
        return gradients_of(model(*small_inputs()).square().mean(), model)

    assert all(torch.equal(a, b) for a, b in zip(gradients(), gradients(), strict=True))


@pytest.mark.parametrize("attention_dropout", [0.0, 0.1])
def test_forward_and_backward_pass_work_in_bfloat16(attention_dropout: float) -> None:
    model = small_model(dropout=0.1, attention_dropout=attention_dropout)
    exact = model(*small_inputs())
    with torch.autocast("cpu", dtype=torch.bfloat16):
        coarse = model(*small_inputs())
        gradients = gradients_of(model.train()(*small_inputs()).float().square().mean(), model)
    assert coarse.dtype == torch.bfloat16
    assert (coarse - exact).abs().max() < 0.1 * exact.abs().max()
    assert all(gradient.isfinite().all() for gradient in gradients)


def test_tied_embeddings_are_one_parameter() -> None:
    by_decoder = small_model(tie_embeddings="decoder")
    assert by_decoder.output.weight is by_decoder.tgt_embedding.tokens.weight
    assert by_decoder.output.weight is not by_decoder.src_embedding.tokens.weight
    everything = small_model(tie_embeddings="all")
    assert everything.output.weight is everything.tgt_embedding.tokens.weight is everything.src_embedding.tokens.weight


def test_tying_all_refuses_two_vocabularies() -> None:
    with pytest.raises(UserError, match="9 and 10 tokens"):
        Transformer(small_config(tie_embeddings="all"), 9, 10, 5)


def test_a_sentence_longer_than_the_positions_is_refused() -> None:
    model = small_model()
    ids = torch.full((1, MAX_POSITIONS + 1), 5)
    mask = torch.ones_like(ids, dtype=torch.bool)
    with pytest.raises(UserError, match="src sequence of 25 tokens is longer than this model's 24 positions"):
        model.encode(ids, mask)
    memory = model.encode(ids[:, :-1], mask[:, :-1])
    with pytest.raises(UserError, match="tgt sequence of 25 tokens"):
        model.decode(ids, memory, mask[:, :-1], mask)


def test_projecting_some_positions_equals_projecting_all() -> None:
    model = small_model()
    inputs = small_inputs()
    hidden = model.decode(inputs.tgt_input, model.encode(inputs.src, inputs.src_mask), inputs.src_mask, inputs.tgt_mask)
    some = model.project(hidden[inputs.tgt_mask])
    assert some.shape == (int(inputs.tgt_mask.sum()), TGT_VOCAB)
    torch.testing.assert_close(some, model(*inputs)[inputs.tgt_mask], rtol=0, atol=1e-6)
