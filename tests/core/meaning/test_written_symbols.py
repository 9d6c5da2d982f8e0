"""Reference and hypothesis side by side."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from core.meaning.written_symbols import side_by_side, symbols_of
from core.training.metrics import edit_distances
from tests.core.meaning.sentences import validated

WORDS = st.lists(st.sampled_from("abc"), max_size=6)


def test_a_symbol_is_written_as_another_left_out_or_added() -> None:
    assert side_by_side(list("abcd"), list("axcd")) == [("a", "a"), ("b", "x"), ("c", "c"), ("d", "d")]
    assert side_by_side(list("abc"), list("ac")) == [("a", "a"), ("b", None), ("c", "c")]
    assert side_by_side(list("ac"), list("abc")) == [("a", "a"), (None, "b"), ("c", "c")]
    assert side_by_side([], ["a"]) == [(None, "a")]


@given(WORDS, WORDS)
def test_there_are_as_many_differences_as_the_edit_distance_and_nothing_is_lost(
    one: list[str], other: list[str]
) -> None:
    pairs = side_by_side(one, other)
    assert sum(a != b for a, b in pairs) == edit_distances([one], [other])[0]
    assert [a for a, _ in pairs if a is not None] == one
    assert [b for _, b in pairs if b is not None] == other


def test_texts_are_cut_into_the_runs_tokens_or_into_words() -> None:
    assert symbols_of(validated("a b", "b")) == (["a", "b"], ["b"])
    characters = replace(validated("ab", "b"), tokens=("a", "b", "<eos>"))
    assert symbols_of(characters) == (["a", "b"], ["b"])
    subwords = replace(validated("kalt es", "kaltes"), tokens=("▁kal", "t", "▁es", "<eos>"))
    assert symbols_of(subwords) == (["kalt", "es"], ["kaltes"])
