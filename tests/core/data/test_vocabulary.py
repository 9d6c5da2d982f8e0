"""Tokens and their ids."""

from core.data.special_tokens import SPECIAL_TOKENS, UNK_ID
from core.data.vocabulary import Vocabulary, most_frequent_first


def test_special_tokens_come_first() -> None:
    vocabulary = Vocabulary(["a", "b"])
    assert vocabulary.tokens == (*SPECIAL_TOKENS, "a", "b")
    assert vocabulary.ids(["b", "a", "z"]) == [5, 4, UNK_ID]
    assert vocabulary.texts([4, 5, UNK_ID]) == ["a", "b", "<unk>"]


def test_text_spelled_like_a_special_token_is_unknown() -> None:
    tokens = most_frequent_first({"<pad>": 9, "<eos>": 9, "a": 1}, 1)
    assert tokens == ["a"]
    assert Vocabulary(tokens).ids(SPECIAL_TOKENS) == [UNK_ID] * 4


def test_frequent_tokens_come_first_and_equal_ones_by_spelling() -> None:
    assert most_frequent_first({"b": 2, "c": 5, "a": 2, "rare": 1}, 2) == ["c", "a", "b"]


def test_looking_up_does_not_teach() -> None:
    vocabulary = Vocabulary(["a"])
    vocabulary.ids(["new"])
    assert "new" not in vocabulary
    assert len(vocabulary) == 5
