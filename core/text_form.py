"""Normalises every source text before it is tokenised; a text that a person types goes the same way."""

import unicodedata
from collections.abc import Sequence
from itertools import chain
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import Field

UnicodeForm = Literal["none", "NFC", "NFD", "NFKC", "NFKD"]
Cut = Annotated[str, Field(min_length=1)]


class TextForm(NamedTuple):
    """The form of a dataset's texts; by default they stay as they come."""

    lowercase: bool = False
    normalisation: UnicodeForm = "none"
    cuts: tuple[Cut, ...] = ()  # how each column of a source is cut, see `cut_columns`; empty: no columns
    single_spaces: bool = False  # collapse white space to single spaces, and strip it at the ends

    def accepts(self, text: str) -> bool:
        """Whether it has a source's number of columns, separated by tabs, or no tab, as a source that is cut has."""
        return not self.cuts or "\t" not in text or text.count("\t") + 1 == len(self.cuts)

    def apply(self, text: str) -> str:
        """The text in this form; unchanged if it is in this form already, as every source of the dataset is.

        A text of several columns has tabs between them until they are cut.
        """
        text = self.normalise(text)
        columns = text.split("\t")
        if len(columns) == len(self.cuts) and not (len(columns) == 1 and _is_cut(text, self.cuts[0])):
            return cut_columns(columns, self.cuts)
        return " ".join(text.split()) if self.single_spaces else text

    def normalise(self, text: str) -> str:
        """The text in this Unicode form and case; its columns and spaces stay as they are."""
        text = self._in_unicode_form(text)
        return self._in_unicode_form(text.lower()) if self.lowercase else text  # NFC joins h and U+0331, but not H

    def _in_unicode_form(self, text: str) -> str:
        return text if self.normalisation == "none" else unicodedata.normalize(self.normalisation, text)

    @classmethod
    def from_json(cls, parts: Sequence[Any]) -> Self:
        """The form from its list in JSON; an earlier version may have stored fewer parts of it."""
        form = cls(*parts)
        return form._replace(cuts=tuple(form.cuts))


AS_IT_COMES = TextForm()


def cut_columns(columns: Sequence[str], cuts: Sequence[str]) -> str:
    """The tokens of all columns, joined by spaces. A cut is "words", "characters", or the separator of tokens."""
    tokens = (_tokens(column, how) for column, how in zip(columns, cuts, strict=True))
    return " ".join(chain.from_iterable(tokens))


def _tokens(text: str, how: str) -> list[str]:
    if how == "words":
        return text.split()
    if how == "characters":
        return ["␣" if letter.isspace() else letter for letter in text.strip()]
    return ["".join(part.split()) for part in text.split(how) if part.strip()]


def _is_cut(text: str, how: str) -> bool:
    if how == "characters":
        return all(len(word) == 1 for word in text.split())
    return how == "words" or how not in text
