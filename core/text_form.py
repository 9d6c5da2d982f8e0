"""What is done to every source text before it is cut into tokens; a text that a person types goes the same way."""

import unicodedata
from typing import Literal, NamedTuple

UnicodeForm = Literal["none", "NFC", "NFD", "NFKC", "NFKD"]


class TextForm(NamedTuple):
    """The form that texts of a dataset have; as it comes, unless said."""

    lowercase: bool = False
    normalisation: UnicodeForm = "none"

    def of(self, text: str) -> str:
        """The text in this form."""
        if self.normalisation != "none":
            text = unicodedata.normalize(self.normalisation, text)
        return text.lower() if self.lowercase else text


AS_IT_COMES = TextForm()
