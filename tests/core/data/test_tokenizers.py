"""Converting texts to tokens and back."""

from hypothesis import given
from hypothesis import strategies as st

from core.data.tokenizers import make_tokenizer


@given(st.text())
def test_characters_survive_tokenising_and_joining(text: str) -> None:
    tokenizer = make_tokenizer("characters")
    assert tokenizer.join(tokenizer.tokenize(text)) == text


@given(st.lists(st.text(min_size=1).filter(lambda word: len(word.split()) == 1 and word == word.strip())))
def test_words_survive_tokenising_and_joining(words: list[str]) -> None:
    tokenizer = make_tokenizer("whitespace")
    assert tokenizer.tokenize(tokenizer.join(words)) == words
