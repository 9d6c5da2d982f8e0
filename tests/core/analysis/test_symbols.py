"""Cutting a validation's texts into symbols, and aligning hypotheses with references."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from core.analysis.symbols import Symbols, align_symbols
from core.edit_distance import edit_distances
from tests.core.analysis.sentences import subwords, validated

WORDS = st.lists(st.sampled_from("abc"), max_size=6)


def test_symbols_are_aligned_as_equal_replaced_left_out_or_added() -> None:
    assert align_symbols(list("abcd"), list("axcd")) == [("a", "a"), ("b", "x"), ("c", "c"), ("d", "d")]
    assert align_symbols(list("abc"), list("ac")) == [("a", "a"), ("b", None), ("c", "c")]
    assert align_symbols(list("ac"), list("abc")) == [("a", "a"), (None, "b"), ("c", "c")]
    assert align_symbols([], ["a"]) == [(None, "a")]


@given(WORDS, WORDS)
def test_the_differences_equal_the_edit_distance_and_no_symbol_is_lost(one: list[str], other: list[str]) -> None:
    pairs = align_symbols(one, other)
    assert sum(a != b for a, b in pairs) == edit_distances([one], [other])[0]
    assert [a for a, _ in pairs if a is not None] == one
    assert [b for _, b in pairs if b is not None] == other


def test_texts_are_cut_into_the_runs_tokens_or_into_words() -> None:
    for one, expected in (
        (validated("a b", "b"), [("a", None), ("b", "b")]),
        (replace(validated("ab", "b"), tokens=("a", "b", "<eos>")), [("a", None), ("b", "b")]),
        (replace(validated("ab", "<unk>b"), tokens=("a", "b", "<eos>")), [("a", "<unk>"), ("b", "b")]),
        (subwords("▁kal t ▁es", "kaltes"), [("kalt", None), ("es", "kaltes")]),
    ):
        assert Symbols.of([one]).aligned(one) == expected


def test_a_reference_of_one_letter_is_cut_like_all_others() -> None:
    short, long = validated("V", "IV"), replace(validated("XI", "XI"), tokens=("X", "I", "<eos>"))
    assert Symbols.of([short, long]).aligned(short) == [(None, "I"), ("V", "V")]
    assert Symbols.of([short, validated("V I", "V")]).aligned(short) == [("V", "IV")]


def test_an_unknown_token_stands_for_its_word() -> None:
    unknown = replace(validated("a zebra c", "a"), tokens=("a", "<unk>", "c", "<eos>"))
    symbols = Symbols.of([validated("a b", "b"), unknown])
    assert symbols.are_tokens and symbols.right_teacher_forced(unknown) == [True, True, True]


def test_a_word_is_right_under_teacher_forcing_if_all_its_tokens_are() -> None:
    made = subwords("▁kal t ▁ es ▁ ▁bier", "kaltes", (0, 3, 1, 0, 0, 0, 0))
    symbols = Symbols.of([made])
    assert symbols.right_teacher_forced(made) == [False, False, True]
    assert len(symbols.right_teacher_forced(made)) == len(made.reference.split())
    sentence = validated("a b c", "a", (0, 2, 0, 1))
    assert Symbols.of([sentence]).right_teacher_forced(sentence) == [True, False, True]
