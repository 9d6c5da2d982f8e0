"""The vocabulary of tokens and ids."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.data.special_tokens import SPECIAL_TOKENS, UNK_ID
from core.data.vocabulary import GrowingVocabulary, Vocabulary, most_frequent_first, unique_tokens


def test_special_tokens_come_first() -> None:
    vocabulary = Vocabulary(["a", "b"])
    assert vocabulary.tokens == (*SPECIAL_TOKENS, "a", "b")
    assert vocabulary.own_tokens == ["a", "b"] and "a" in vocabulary
    assert vocabulary.ids(["b", "a", "z"]) == [5, 4, UNK_ID]
    assert vocabulary.tokens_of([4, 5, UNK_ID]) == ["a", "b", "<unk>"]


def test_text_spelled_like_a_special_token_is_unknown() -> None:
    tokens = most_frequent_first({"<pad>": 9, "<eos>": 9, "a": 1}, 1)
    assert tokens == ["a"]
    assert Vocabulary(tokens).ids(SPECIAL_TOKENS) == [UNK_ID] * 4


def test_frequent_tokens_come_first_and_equal_ones_by_spelling() -> None:
    assert most_frequent_first({"b": 2, "c": 5, "a": 2, "rare": 1}, 2) == ["c", "a", "b"]


def test_looking_up_a_token_does_not_add_it() -> None:
    vocabulary = Vocabulary(["a"])
    vocabulary.ids(["new"])
    assert "new" not in vocabulary
    assert len(vocabulary) == 5


def test_listed_tokens_keep_their_order_without_duplicates() -> None:
    assert unique_tokens(["10", "2", "<eos>", "10", "1"]) == ["10", "2", "1"]


@given(st.lists(st.sampled_from(["a", "b", "c", "<pad>", "<unk>"])), st.integers(1, 3))
def test_a_growing_vocabulary_gives_the_ids_of_a_known_one(texts: list[str], min_frequency: int) -> None:
    growing = GrowingVocabulary()
    ids = np.array([0, 1, *growing.iter_ids(texts), 2], dtype=np.int32)
    counts = growing.counts_by_token(np.bincount(ids, minlength=len(growing)))
    assert counts == Counter(texts)
    vocabulary = Vocabulary(most_frequent_first(counts, min_frequency))
    assert growing.ids_in(vocabulary)[ids].tolist() == [0, 1, *vocabulary.ids(texts), 2]
