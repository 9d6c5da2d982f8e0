"""The interface for plugin authors: the design's example, options, pairs and splits."""

import random
from collections import Counter
from typing import Any, Generic, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from core.plugin import DatasetPlugin, Options, Pair, draw_for, option, split_of


class WordOptions(Options):
    length: int = option(6, ge=1, le=64, help="Letters in each word.")
    share_kept: float = option(1, ge=0.0, label="Share")

    def check(self) -> None:
        if self.length == 13:
            raise ValueError("13 brings bad luck")


class Words(DatasetPlugin[WordOptions]):
    name = "words"
    title = "Words"

    def pairs(self, split, rng):  # type: ignore[no-untyped-def]  # as authors may write it
        yield Pair("a" * self.options.length, "b")


def test_a_plugin_needs_only_a_name_a_title_and_pairs() -> None:
    plugin = Words(WordOptions(length=2))
    assert list(plugin.pairs("train", random.Random(0))) == [Pair("aa", "b", None)]
    assert (Words.tokenizer, Words.endless, Words.options_class) == ("characters", False, WordOptions)
    assert (plugin.symbols(), plugin.limits(), plugin.metrics([], []), plugin.examples()) == (None, {}, {}, [])


def test_a_subclass_of_a_plugin_keeps_its_options() -> None:
    class MoreWords(Words):
        name = "more_words"

    assert MoreWords.options_class is WordOptions


AnyOptions = TypeVar("AnyOptions", bound=Options)
Extra = TypeVar("Extra")


class Base(DatasetPlugin[AnyOptions]):
    """A base class for several plugins of one author."""


class WithMore(DatasetPlugin[AnyOptions], Generic[Extra, AnyOptions]):
    """A base class whose options are not the first type parameter."""


def test_options_are_found_in_the_type_parameters_of_an_authors_base_class() -> None:
    class OfBase(Base[WordOptions]): ...

    class OfMore(WithMore[int, WordOptions]): ...

    class OfTheLast(OfBase): ...

    assert {one.options_class for one in (OfBase, OfMore, OfTheLast)} == {WordOptions}
    assert Base.options_class is WithMore.options_class is Options


def test_options_are_frozen_and_declare_label_range_and_help() -> None:
    fields = WordOptions.model_json_schema()["properties"]
    assert fields["length"] == {
        "default": 6, "minimum": 1, "maximum": 64, "type": "integer", "title": "Length",
        "description": "Letters in each word.",
    }  # fmt: skip
    assert fields["share_kept"]["title"] == "Share"
    with pytest.raises(ValidationError, match="frozen"):
        WordOptions().length = 3


@pytest.mark.parametrize(
    "options", [{"length": "6"}, {"length": 6.5}, {"length": True}, {"length": 0}, {"lengths": 6}, {"length": 13}]
)
def test_wrong_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        WordOptions(**options)  # type: ignore[arg-type]


def test_a_pair_is_frozen() -> None:
    with pytest.raises(AttributeError):
        Pair("a", "b").source = "c"  # type: ignore[misc]


@given(st.text())
def test_every_text_belongs_to_one_split(text: str) -> None:
    assert split_of(text) in ("train", "valid", "test") and split_of(text) == split_of(text)


def test_splits_are_four_fifths_a_tenth_and_a_tenth_and_never_change() -> None:
    counts = Counter(split_of(str(number)) for number in range(20_000))
    assert counts["train"] == pytest.approx(16_000, abs=300)
    assert counts["valid"] == pytest.approx(2_000, abs=200) and counts["test"] == pytest.approx(2_000, abs=200)
    # A change here would move sentences of finished runs from their held-out split into training.
    assert {text: split_of(text) for text in KNOWN_SPLITS} == KNOWN_SPLITS


def test_pairs_are_drawn_until_one_belongs_to_the_split() -> None:
    numbers = iter(range(100))
    drawn = [draw_for("valid", lambda: Pair(str(next(numbers)), "odd or even")) for _ in range(5)]
    assert [pair.source for pair in drawn] == [str(n) for n in range(100) if split_of(str(n)) == "valid"][:5]


@pytest.mark.parametrize("source", [None, b"8", 8])
def test_a_source_that_is_not_text_is_refused_with_its_value(source: Any) -> None:
    for ask in (lambda: split_of(source), lambda: draw_for("valid", lambda: Pair(source, "b"))):
        with pytest.raises(TypeError, match=rf"^expected a text, .* given {source!r}$"):
            ask()


def test_a_split_that_no_source_belongs_to_ends_with_an_error() -> None:
    with pytest.raises(ValueError, match=r"^too few different sources for a valid split: widen the options"):
        draw_for("valid", lambda: Pair("0", "belongs to test"))


def test_empty_sources_are_reported_as_empty() -> None:
    with pytest.raises(ValueError, match=r"^no source for a test split: the last one drawn is empty"):
        draw_for("test", lambda: Pair("", "b"))


KNOWN_SPLITS = {"0": "test", "ü": "train", "ich möchte ein Bier": "train", "8": "valid", "11": "valid", "15": "test"}
