"""The sentences that a run probes, and their alignments."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.config import DatasetConfig
from core.data.preparation import prepare_data
from core.data.prepared_data import PreparedData
from core.plugins_host.host import PluginHost
from core.training import probe
from core.training.probe import first_sentences
from tests.core.training.small_runs import DATASET, MakeTrainer, finish


@pytest.mark.parametrize(
    ("tokenizer", "is_aligned"),
    [
        ("auto", True),
        ({"src": "whitespace", "tgt": "whitespace"}, True),
        ({"src": "characters", "tgt": "characters"}, False),
        ({"src": "whitespace", "tgt": "characters"}, False),
    ],
)
def test_alignments_are_used_only_with_the_plugins_own_tokenizers(
    host: PluginHost, tmp_path: Path, tokenizer: object, is_aligned: bool
) -> None:
    dataset = DatasetConfig.model_validate({**DATASET, "tokenizer": tokenizer})
    _, data = finish(prepare_data(dataset, host, tmp_path))
    assert [bool(one.alignment) for one in first_sentences(data)] == [is_aligned] * 4


def test_an_output_is_bounded_however_long_one_target_of_the_data_is(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "MAX_LENGTH", 2)
    trainer = make_trainer()
    assert trainer.max_length > 2
    assert {len(one.free_running.tgt_output) for one in trainer.probe().sentences} == {2}


def test_pairs_far_longer_than_others_are_not_probed(data: PreparedData, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "MAX_LENGTH", 3)
    assert [len(one.source.split()) + 1 for one in first_sentences(data)] == [3] * 4
    monkeypatch.setattr(probe, "MAX_LENGTH", 2)  # no pair is so short
    assert [one.source for one in first_sentences(data)] == [data.pair("valid", index).source for index in range(4)]
