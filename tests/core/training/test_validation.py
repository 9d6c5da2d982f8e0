"""The metrics of a split, compared with those of single sentences, and those of a model that has learnt the task."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from core.data.prepared_data import PreparedData
from core.decoding.translate import translate
from core.plugins_host.host import PluginHost
from core.requests import Translate
from core.training.trainer import Trainer
from core.training.validation import SplitScores, score_split
from tests.core.decoding.reference import eager_to_end
from tests.core.training.small_runs import MakeTrainer, finish


def scores(trainer: Trainer, host: PluginHost | None, limit: int | None = None) -> SplitScores:
    return finish(score_split(trainer.model, trainer.data, host, "valid", trainer.config.decoding, limit))[1]


def test_teacher_forced_metrics_equal_those_of_single_sentences(
    make_trainer: MakeTrainer, data: PreparedData, host: PluginHost
) -> None:
    trainer = make_trainer()
    found = scores(trainer, host)
    model = trainer.model.eval()
    log_probabilities, num_right = [], 0
    for index in range(40):
        pair = data.pair("valid", index)
        src = torch.tensor([data.encode_source(pair.source)[0]])
        ids = [*data.tgt_vocabulary.ids(pair.target.split()), 2]
        tgt_input = torch.tensor([[1, *ids[:-1]]])
        with torch.no_grad():
            rows = model(src, tgt_input, src > -1, tgt_input > -1)[0].double().log_softmax(-1)
        mine = [float(row[id]) for row, id in zip(rows, ids, strict=True)]
        num_right += sum(int(row.argmax()) == id for row, id in zip(rows, ids, strict=True))
        log_probabilities += mine
        one = found.sentences[index]
        assert (one.source, one.reference, one.tokens[-1]) == (pair.source, pair.target, "<eos>")
        np.testing.assert_allclose(one.probability, np.exp(mine), rtol=1e-4)
        assert one.rank == tuple(int((row > row[id]).sum()) for row, id in zip(rows, ids, strict=True))
        assert len(one.tokens) == len(one.rank)
    loss = -sum(log_probabilities) / len(log_probabilities)
    assert found.metrics["loss"] == pytest.approx(loss, rel=1e-5)
    assert found.metrics["perplexity"] == pytest.approx(math.exp(loss), rel=1e-5)
    assert found.metrics["token_accuracy"] == pytest.approx(num_right / len(log_probabilities))


def test_a_limit_decodes_fewer_sentences_and_scores_all_with_teacher_forcing(
    make_trainer: MakeTrainer, host: PluginHost
) -> None:
    trainer = make_trainer()
    unlimited, limited = scores(trainer, host), scores(trainer, host, 10)
    assert limited.sentences == unlimited.sentences[:10]
    assert limited.num_sentences == unlimited.num_sentences == 40
    assert limited.metrics["loss"] == unlimited.metrics["loss"]


def test_a_model_that_has_learnt_the_task_scores_well_in_every_metric(
    make_trainer: MakeTrainer, host: PluginHost
) -> None:
    trainer = make_trainer(
        max_steps=200, validate_every=200, probe_every=200, batch_size=32, label_smoothing=0.0,
        optimizer={"learning_rate": 1e-2}, schedule={"name": "cosine", "warmup_steps": 40},
    )  # fmt: skip
    finish(trainer.run())
    found = scores(trainer, host)
    assert found.metrics["exact_match"] > 0.8
    right = np.mean([one.hypothesis == one.reference for one in found.sentences])
    assert found.metrics["exact_match"] == right
    assert found.plugin_metrics["first_letter"] > 0.9
    assert found.metrics["token_accuracy"] > 0.9 and found.metrics["token_error_rate"] < 0.1
    assert scores(trainer, None).plugin_metrics == {}


def test_free_running_outputs_use_the_beam_of_the_settings(make_trainer: MakeTrainer, host: PluginHost) -> None:
    trainer = make_trainer()
    eager_to_end(trainer.model)
    greedy = [one.hypothesis for one in scores(trainer, host).sentences]
    trainer.change("decoding.beam_size", 2)
    trainer.change("decoding.length_penalty", 10.0)  # prefers the longest hypothesis
    found = scores(trainer, host)
    request, decoding = Translate(texts=tuple(one.source for one in found.sentences)), trainer.config.decoding
    translated = translate(trainer.model, trainer.data, request, decoding=decoding, step=trainer.step)
    assert [one.hypothesis for one in found.sentences] == [one.output for one in translated] != greedy


@pytest.mark.parametrize("best_metric", ["valid/loss", "valid/token_accuracy"])
def test_a_validation_whose_outputs_overflow_counts_none_right_and_is_stored(
    make_trainer: MakeTrainer, best_metric: str
) -> None:
    """Diverging weights stay finite for some steps, in which a validation may happen."""
    trainer = make_trainer(best_metric=best_metric)
    trainer.change("decoding.beam_size", 4)
    with torch.no_grad():
        trainer.model.src_embedding.tokens.weight.fill_(torch.finfo(torch.float32).max)
    assert not trainer.has_diverged
    event = finish(trainer.validate())[1]
    assert math.isnan(event.metrics["valid/loss"]) and event.metrics["valid/token_accuracy"] == 0.0
    assert trainer.folder.validated_sentences(0) == event.sentences
    for probed in trainer.probe().sentences:
        assert probed.by_reference is not None and (probed.by_reference.output_rank > 0).all()


def test_it_yields_between_batches_and_draws_no_random_number(make_trainer: MakeTrainer, host: PluginHost) -> None:
    trainer = make_trainer()
    before = torch.get_rng_state()
    yields = list(score_split(trainer.model, trainer.data, host, "valid", trainer.config.decoding, 30))
    assert len(yields) >= 2
    last_counts = {progress.stage: (progress.done, progress.total) for progress in yields}
    assert last_counts == {
        "scoring valid sentences": (40, 40),
        "decoding valid sentences": (30, 30),
        "collecting valid sentences": (30, 30),
        "comparing valid sentences": (30, 30),
    }
    assert torch.equal(torch.get_rng_state(), before)
