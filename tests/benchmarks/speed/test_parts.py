"""Runs each part of the benchmark at a tiny size, so that it keeps working; the times are not checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.speed import parts, training
from benchmarks.speed.sizes import TINY, Precision
from benchmarks.speed.table import as_record, lines

LIBRARIES = {"transformers' Marian", "x-transformers", "JoeyNMT"}
TRAINING = {
    "Headlight",
    "textbook",
    "textbook, dropout only where we have it",
    "nn.Transformer",
    "its matrix products alone",
}
DECODING = {"Headlight", "textbook", "nn.Transformer", "its matrix products alone"}


@pytest.fixture
def conditions(tmp_path: Path) -> parts.Conditions:
    return parts.Conditions(tmp_path, rounds=2, threads=1)


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_training_is_compared_in_one_precision(conditions: parts.Conditions, precision: Precision) -> None:
    comparison = parts.train_alike(TINY, precision, conditions)
    assert {entry.name for entry in comparison.seconds} | set(comparison.missing) == TRAINING | LIBRARIES
    assert {entry.setting for entry in comparison.seconds} == {f"{precision}, 1 thread"}
    assert all(len(seconds) == conditions.rounds and min(seconds) > 0 for seconds in comparison.seconds.values())


@pytest.mark.parametrize("multiplies", [True, False])
def test_training_is_compared_under_the_best_setting_of_each(
    conditions: parts.Conditions, monkeypatch: pytest.MonkeyPatch, multiplies: bool
) -> None:
    monkeypatch.setattr(training, "has_bfloat16_products", lambda: multiplies)
    comparison = parts.train_at_best(TINY, conditions)
    settings = [entry.setting for entry in comparison.seconds if entry.name == "textbook"]
    assert settings == ["float32, 1 thread", "bfloat16, 1 thread"][: 1 + multiplies]
    assert sum(entry.name == "Headlight" for entry in comparison.seconds) == 1
    assert set(as_record(comparison)["ratios"]) | set(comparison.missing) == TRAINING | LIBRARIES


@pytest.mark.parametrize("num_sentences", [1, 3])
def test_greedy_decoding_is_compared(conditions: parts.Conditions, num_sentences: int) -> None:
    comparison = parts.decode(TINY, num_sentences, 1, conditions)
    assert {entry.name for entry in comparison.seconds} | set(comparison.missing) == DECODING | LIBRARIES | {
        "CTranslate2"
    }
    table = "\n".join(lines(comparison))
    assert all(name in table for name in [*DECODING, *LIBRARIES])


def test_beam_search_is_compared_with_the_libraries_that_have_it(conditions: parts.Conditions) -> None:
    comparison = parts.decode(TINY, 3, 2, conditions)
    names = {entry.name for entry in comparison.seconds}
    assert names - {"transformers' Marian", "CTranslate2"} == {"Headlight", "its matrix products alone"}
