"""Phonetic script to letters: the mapping, the noise, the two scores and their lower limits."""

import random
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.plugin import Pair, Split
from plugins.phonetic_to_letter import LETTERS, NAMES, PLUGIN, PhoneticOptions, clean_letters

DOCUMENT_NAMES = "ei bi: si: di: i: ef dʒi: eit∫ ai dʒei kei el em en əu pi: kju: ɑ: es ti: ju: vi: d∧blju: eks wai zi:"


def plugin_with(**options: float) -> PLUGIN:
    return PLUGIN(PhoneticOptions.model_validate(options))


def drawn(split: Split, seed: int = 0, **options: float) -> list[Pair]:
    return list(plugin_with(**options).pairs(split, random.Random(seed)))


def test_the_names_are_those_of_the_document_in_alphabetical_order() -> None:
    assert DOCUMENT_NAMES.split() == NAMES
    assert "".join(LETTERS) == "abcdefghijklmnopqrstuvwxyz"


@given(r=st.floats(0, 1), length=st.integers(1, 12), seed=st.integers(0, 1000))
def test_both_sides_have_the_requested_number_of_tokens(r: float, length: int, seed: int) -> None:
    for pair in drawn("valid", seed, keep_probability=r, length=length, count=50):
        assert len(pair.source.split(" ")) == len(pair.target.split(" ")) == length
        assert set(pair.source.split()) <= set(NAMES) and set(pair.target.split()) <= set(LETTERS)


def test_the_train_split_has_four_fifths_of_the_count_and_the_others_a_fifth() -> None:
    assert (len(drawn("train", count=1000)), len(drawn("valid", count=1000)), len(drawn("test", count=1000))) == (
        800, 200, 200,
    )  # fmt: skip


def test_without_noise_every_target_is_the_clean_one() -> None:
    assert all(pair.target.split() == clean_letters(pair.source) for pair in drawn("valid", keep_probability=1.0))


def test_the_limits_for_the_document_equal_those_calculated_by_hand() -> None:
    limits = plugin_with().limits()
    assert limits["valid/letters_noisy"] == pytest.approx(0.9 + 0.1 / 26)
    assert limits["valid/letters_noisy"] == pytest.approx(0.904, abs=5e-4)
    assert limits["valid/loss"] == pytest.approx(0.537, abs=5e-4)
    assert limits["valid/loss"] * 7 / 6 == pytest.approx(0.626, abs=5e-4)


@pytest.mark.parametrize("r", [0.0, 0.3, 0.9, 1.0])
def test_predictions_that_know_mapping_and_noise_just_reach_the_limits(r: float) -> None:
    pairs = drawn("train", keep_probability=r, count=50_000)
    plugin = plugin_with(keep_probability=r)
    metrics = plugin.metrics(pairs, [" ".join(clean_letters(pair.source)) for pair in pairs])
    assert metrics["letters_clean"] == 1.0
    assert metrics["letters_noisy"] == pytest.approx(plugin.limits()["valid/letters_noisy"], abs=0.004)
    p = metrics["letters_noisy"]
    measured = -p * log(p) - ((1 - p) * log((1 - p) / 25) if p < 1 else 0)
    assert measured * 6 / 7 == pytest.approx(plugin.limits()["valid/loss"], abs=0.02)


def test_letters_are_compared_by_position_and_missing_ones_count_as_wrong() -> None:
    pairs = [Pair("ei bi: si:", "a b x"), Pair("di:", "d")]
    assert plugin_with().metrics(pairs, ["a b c", "d"]) == {"letters_clean": 1.0, "letters_noisy": 0.75}
    assert plugin_with().metrics(pairs, ["", "d d"]) == {"letters_clean": 0.25, "letters_noisy": 0.25}


def test_examples_are_made_of_known_names() -> None:
    assert all(set(example.split()) <= set(NAMES) for example in plugin_with(length=10).examples())
