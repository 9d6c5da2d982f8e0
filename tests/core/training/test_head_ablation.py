"""Ablating heads: output and loss equal those of the model with all heads and with these switched off."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from core.answers.head_ablation import HeadId
from core.errors import UserError
from core.model.evaluation import evaluating
from core.model.heads_off import heads_off
from core.model.weights import named_weights
from core.plugins_host.host import PluginHost
from core.requests import LeaveOutHeads, Prepare
from core.serving.session import Session
from tests.core.watcher import tiny_config

HEADS = (HeadId("cross", 0, 1), HeadId("encoder_self", 0, 0))


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """A session with an untrained model of one layer and two heads."""
    with PluginHost() as host:
        made = Session(lambda _: None, host, tmp_path_factory.mktemp("cache"))
        for _ in made.prepare(Prepare(config=tiny_config())):
            pass
        yield made
        made.close()


def request_of(session: Session) -> LeaveOutHeads:
    pair = session.run.trainer.data.pair("valid", 0)
    return LeaveOutHeads(source=pair.source, reference=pair.target, heads=HEADS)


def test_outputs_equal_the_models_with_all_heads_and_with_heads_off(session: Session) -> None:
    trainer = session.run.trainer
    seen = session.questions.leave_out_heads(request_of(session))
    probed = trainer.probe().sentences[0]
    with heads_off(trainer.model, HEADS):
        without = trainer.probe().sentences[0]
    for mine, theirs in ((seen.complete.sentence, probed), (seen.without.sentence, without)):
        assert mine.output == theirs.output
        assert mine.by_reference is not None and theirs.by_reference is not None
        np.testing.assert_allclose(
            mine.by_reference.output_probability, theirs.by_reference.output_probability, atol=1e-6
        )
    assert (seen.step, seen.heads, seen.num_valid) == (0, HEADS, 64)


def test_the_loss_is_over_the_first_validation_pairs(session: Session) -> None:
    model, pairs = session.run.trainer.model, session.run.trainer.data.split("valid")
    seen = session.questions.leave_out_heads(request_of(session))
    for mine, heads in ((seen.complete, ()), (seen.without, HEADS)):
        nats = []
        with evaluating(model), heads_off(model, heads):
            for index in range(seen.num_valid):
                src, tgt = (torch.tensor([part[index].tolist()]) for part in (pairs.src, pairs.tgt))
                logits = model(src, tgt[:, :-1], torch.ones_like(src).bool(), torch.ones_like(tgt[:, 1:]).bool())
                nats += F.cross_entropy(logits[0], tgt[0, 1:], reduction="none").tolist()
        assert mine.valid_loss == pytest.approx(np.mean(nats), abs=1e-5)
    assert seen.without.valid_loss != seen.complete.valid_loss


def test_the_weights_do_not_change_by_a_bit_even_on_an_error(session: Session) -> None:
    before = {name: tensor.clone() for name, tensor in named_weights(session.run.trainer.model).items()}
    request = request_of(session)
    session.questions.leave_out_heads(request)
    with pytest.raises(UserError, match="has no cross layer 1 head 3"):
        session.questions.leave_out_heads(replace(request, heads=(HeadId("cross", 0, 2),)))
    with pytest.raises(UserError, match="positions"):
        session.questions.leave_out_heads(replace(request, reference="1 " * 100))
    with pytest.raises(UserError, match="empty"):
        session.questions.leave_out_heads(replace(request, source=""))
    for name, tensor in named_weights(session.run.trainer.model).items():
        assert torch.equal(tensor, before[name]), name


def test_a_sentence_without_reference_is_only_free_running(session: Session) -> None:
    seen = session.questions.leave_out_heads(replace(request_of(session), reference=None))
    assert seen.complete.sentence.by_reference is None and seen.without.sentence.free_running.tgt_output
