"""A list of texts in one line: as it is typed, and as it is shown so that it can be typed back."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from core.config import typed_value

_ONE = re.compile(r"""\s*(?:("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|([^,]*?))\s*(?:,|$)""")


def read_texts(line: str) -> list[str]:
    """The texts between commas; one in quotes is what YAML reads of it. Raises UserError for an unknown escape.

    Signs that say something in YAML (`|`, `:`, `#`) are texts like others: a person who types a list need not know it.
    """
    *texts, _ = (typed_value(quoted, quoted) if quoted else plain for quoted, plain in _ONE.findall(line))
    return texts


def written_texts(texts: Sequence[str]) -> str:
    """With commas between them; in quotes what would be read otherwise."""
    return ", ".join(map(_written, texts))


def _written(text: str) -> str:
    is_plain = text and text == text.strip() and "," not in text and text[0] not in "\"'["
    return text if is_plain else json.dumps(text, ensure_ascii=False)
