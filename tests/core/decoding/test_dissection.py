"""Dissecting a head: its numbers are the model's, and each step follows from the last by the paper's equations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch

from core.answers.anatomy import AttentionKind, DotProduct
from core.errors import UserError
from core.events import ProbeDone
from core.model.evaluation import evaluating
from core.plugins_host.host import PluginHost
from core.probes import ProbedSentence
from core.requests import DissectHead, MakeMasks, Prepare
from core.serving.session import Session
from tests.core.watcher import tiny_config

KINDS: tuple[AttentionKind, ...] = ("encoder_self", "decoder_self", "cross")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Session, ProbedSentence]]:
    """A session with an untrained model, and the first sentence of its probe."""
    with PluginHost() as host:
        session = Session(lambda _: None, host, tmp_path_factory.mktemp("cache"))
        probes = [
            event.probe for event in session.prepare(Prepare(config=tiny_config())) if isinstance(event, ProbeDone)
        ]
        yield session, probes[0].sentences[0]
        session.close()


def dissected(
    prepared: tuple[Session, ProbedSentence], kind: AttentionKind, head: int = 0, *, is_fed: bool = True
) -> DotProduct:
    session, sentence = prepared
    reference = sentence.reference if is_fed else None
    return session.questions.dissect_head(
        DissectHead(source=sentence.source, reference=reference, kind=kind, layer=0, head=head)
    )


@pytest.mark.parametrize("is_fed", [True, False])
@pytest.mark.parametrize("head", [0, 1])
@pytest.mark.parametrize("kind", KINDS)
def test_the_weights_equal_those_of_the_probe(
    prepared: tuple[Session, ProbedSentence], kind: AttentionKind, head: int, is_fed: bool
) -> None:
    sentence = prepared[1]
    feed = sentence.by_reference if is_fed else sentence.free_running
    assert feed is not None
    seen = dissected(prepared, kind, head, is_fed=is_fed)
    attention = {"encoder_self": sentence.encoder_self, "decoder_self": feed.decoder_self, "cross": feed.cross}[kind]
    np.testing.assert_allclose(seen.weights, attention[0, head], atol=1e-3)
    assert seen.query_tokens == (sentence.src_tokens if kind == "encoder_self" else feed.tgt_input)
    assert seen.key_tokens == (feed.tgt_input if kind == "decoder_self" else sentence.src_tokens)


@pytest.mark.parametrize("kind", KINDS)
def test_each_step_follows_from_the_one_before(prepared: tuple[Session, ProbedSentence], kind: AttentionKind) -> None:
    seen = dissected(prepared, kind)
    num_queries, num_keys, d_head = len(seen.query_tokens), len(seen.key_tokens), 16 // 2
    assert seen.queries.shape == (num_queries, d_head) and seen.keys.shape == seen.values.shape == (num_keys, d_head)
    scores = np.array(
        [[sum(q * k for q, k in zip(query, key, strict=True)) for key in seen.keys] for query in seen.queries]
    )
    np.testing.assert_allclose(seen.scores, scores, atol=1e-6)
    np.testing.assert_allclose(seen.scaled, scores / np.sqrt(d_head), atol=1e-6)
    allowed = np.tri(num_queries, dtype=bool) if kind == "decoder_self" else np.ones((num_queries, num_keys), bool)
    np.testing.assert_array_equal(seen.allowed, allowed)
    powers = np.exp(seen.scaled) * allowed
    weights = powers / powers.sum(1, keepdims=True)
    np.testing.assert_allclose(seen.weights, weights, atol=1e-6)
    np.testing.assert_allclose(seen.output, weights @ seen.values, atol=1e-6)


def test_queries_keys_and_values_are_the_projections_of_the_heads_part(
    prepared: tuple[Session, ProbedSentence],
) -> None:
    session, sentence = prepared
    trainer, head = session.run.trainer, 1
    layer = next(iter(trainer.model.encoder))
    ids = torch.tensor([trainer.data.encode_source(sentence.source)[0]])
    with evaluating(trainer.model):
        x = layer.self_attention_norm(trainer.model.src_embedding(ids))[0]
        projected = (x @ layer.self_attention.qkv.weight.T + layer.self_attention.qkv.bias).numpy()
    seen = dissected(prepared, "encoder_self", head)
    for index, part in enumerate((seen.queries, seen.keys, seen.values)):
        np.testing.assert_allclose(part, projected[:, index * 16 + head * 8 :][:, :8], atol=1e-6)


def test_a_negative_head_counts_from_the_end(prepared: tuple[Session, ProbedSentence]) -> None:
    np.testing.assert_array_equal(dissected(prepared, "cross", -1).weights, dissected(prepared, "cross", 1).weights)


def test_empty_and_overlong_texts_are_refused(prepared: tuple[Session, ProbedSentence]) -> None:
    session = prepared[0]
    request = DissectHead(source="", reference=None, kind="cross", layer=0, head=0)
    with pytest.raises(UserError, match="empty"):
        session.questions.dissect_head(request)
    with pytest.raises(UserError, match="positions"):
        session.questions.dissect_head(replace(request, source="1 2", reference="1 " * 100))


def test_masks_hide_padding_and_later_positions(prepared: tuple[Session, ProbedSentence]) -> None:
    session = prepared[0]
    masks = session.questions.make_masks(MakeMasks(target="1 2", num_padding=2))
    assert masks.tokens == ("<bos>", "1", "2", "<pad>", "<pad>")
    for row in range(5):
        for column in range(5):
            assert masks.padding[row, column] == (column < 3)
            assert masks.causal[row, column] == (column <= row)
            assert masks.both[row, column] == (column < 3 and column <= row)
    with pytest.raises(UserError, match="positions"):
        session.questions.make_masks(MakeMasks(target="1 " * 100, num_padding=0))
