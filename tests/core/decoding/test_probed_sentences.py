"""A probe's numbers, compared with direct calls of the model; probing draws no random numbers and changes nothing."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from core.config import DecodingConfig, ModelConfig
from core.data.prepared_data import PreparedData
from core.data.special_tokens import BOS_ID, EOS_ID, PAD_ID
from core.decoding.probed_sentences import SentenceToProbe, probe_sentences
from core.decoding.translate import translate
from core.model.evaluation import evaluating
from core.model.recording import record_attention
from core.model.transformer import Transformer
from core.probes import Feed, ProbedSentence
from core.requests import Translate
from tests.core.training.small_runs import MODEL

SENTENCES = [
    # The last two point beyond the sentence.
    SentenceToProbe("a b c", "a b c", ((0, 0), (1, 1), (2, 2), (3, 2), (2, 3))),
    SentenceToProbe("f e d c b a"),
    SentenceToProbe("a z", "a b"),
]
LAYERS, HEADS = 2, 2


@pytest.fixture(scope="module")
def model(data: PreparedData) -> Transformer:
    torch.manual_seed(3)
    config = ModelConfig.model_validate({**MODEL, "num_decoder_layers": LAYERS, "num_encoder_layers": LAYERS})
    return Transformer(config, len(data.src_vocabulary), len(data.tgt_vocabulary), data.max_src_length)


@pytest.fixture(scope="module")
def probed(model: Transformer, data: PreparedData) -> tuple[ProbedSentence, ...]:
    return probe_sentences(model, data, SENTENCES, data.max_tgt_length)


def feeds(probed: tuple[ProbedSentence, ...]) -> list[tuple[ProbedSentence, Feed]]:
    return [(one, feed) for one in probed for feed in (one.by_reference, one.free_running) if feed is not None]


def test_shapes_are_those_of_the_tokens(probed: tuple[ProbedSentence, ...]) -> None:
    assert [one.src_tokens for one in probed] == [
        ("a", "b", "c", "<eos>"), ("f", "e", "d", "c", "b", "a", "<eos>"), ("a", "<unk>", "<eos>"),
    ]  # fmt: skip
    for one, feed in feeds(probed):
        source, target = len(one.src_tokens), len(feed.tgt_output)
        assert one.encoder_self.shape == (LAYERS, HEADS, source, source)
        assert feed.decoder_self.shape == (LAYERS, HEADS, target, target)
        assert feed.cross.shape == (LAYERS, HEADS, target, source)
        assert feed.top_probability.shape == (target, 5) and len(feed.top_tokens) == len(feed.tgt_input) == target
        assert {array.dtype for array in (one.encoder_self, feed.decoder_self, feed.cross)} == {np.dtype(np.float16)}


def test_attention_rows_sum_to_one_and_no_target_position_sees_later_ones(probed: tuple[ProbedSentence, ...]) -> None:
    for one, feed in feeds(probed):
        for attention in (one.encoder_self, feed.decoder_self, feed.cross):
            np.testing.assert_allclose(attention.astype(np.float64).sum(-1), 1.0, atol=4e-3)
        assert not np.triu(feed.decoder_self.astype(np.float64), k=1).any()


def test_feeds_have_the_right_inputs_and_outputs(
    probed: tuple[ProbedSentence, ...], model: Transformer, data: PreparedData
) -> None:
    first = probed[0].by_reference
    assert first is not None and probed[1].by_reference is None
    assert first.tgt_input == ("<bos>", "a", "b", "c") and first.tgt_output == ("a", "b", "c", "<eos>")
    assert probed[0].alignment == ((0, 0), (1, 1), (2, 2))
    request = Translate(texts=tuple(one.source for one in SENTENCES))
    translated = translate(model, data, request, decoding=DecodingConfig(), step=0)
    assert [one.output for one in probed] == [one.output for one in translated]
    for one in probed:
        free = one.free_running
        assert free.tgt_input == ("<bos>", *free.tgt_output[:-1])
        assert free.predicted == free.tgt_output and not free.output_rank.any()


def test_probabilities_and_attention_equal_those_of_single_sentences(
    probed: tuple[ProbedSentence, ...], model: Transformer, data: PreparedData
) -> None:
    for one, feed in feeds(probed):
        src = torch.tensor([data.encode_source(one.source)[0]])
        tgt_input = torch.tensor([[data.tgt_vocabulary.tokens.index(token) for token in feed.tgt_input]])
        with evaluating(model), record_attention(model) as record:
            logits = model(src, tgt_input, torch.ones_like(src).bool(), torch.ones_like(tgt_input).bool())[0]
            np.testing.assert_allclose(record.cross[:, 0].numpy(), feed.cross, atol=1e-3)
            np.testing.assert_allclose(record.encoder_self[:, 0].numpy(), one.encoder_self, atol=1e-3)
            np.testing.assert_allclose(record.decoder_self[:, 0].numpy(), feed.decoder_self, atol=1e-3)
            logits[:, [PAD_ID, BOS_ID]] = -torch.inf
            probabilities = logits.softmax(-1)
        chosen = [data.tgt_vocabulary.tokens.index(token) for token in feed.tgt_output]
        expected = probabilities[range(len(chosen)), chosen].numpy()
        np.testing.assert_allclose(feed.output_probability, expected, rtol=1e-4)
        ranks = [int((row > row[id]).sum()) for row, id in zip(probabilities, chosen, strict=True)]
        assert feed.output_rank.tolist() == ranks
        top = probabilities.topk(5)
        assert [[data.tgt_vocabulary.tokens.index(t) for t in row] for row in feed.top_tokens] == top.indices.tolist()
        np.testing.assert_allclose(feed.top_probability, top.values.numpy(), rtol=1e-4)
        assert EOS_ID not in chosen[:-1]


def test_probing_draws_no_random_number_and_does_not_change_the_model(model: Transformer, data: PreparedData) -> None:
    model.train()
    before = torch.get_rng_state()
    probe_sentences(model, data, SENTENCES, 5)
    assert torch.equal(torch.get_rng_state(), before)
    assert model.training
