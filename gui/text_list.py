"""Reads and writes a list of texts in one line, so that what is shown can be typed back."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from core.settings.overriding import parse_value

_ITEM = re.compile(r"""\s*(?:("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|([^,]*?))\s*(?:,|$)""")


def parse_texts(line: str) -> list[str]:
    """The texts between commas; a quoted one is read as YAML. Raises UserError for an unknown escape.

    Characters that are special in YAML (`|`, `:`, `#`) are plain text here: the user need not know YAML.
    """
    *texts, _ = (parse_value(quoted, quoted) if quoted else plain for quoted, plain in _ITEM.findall(line))
    return texts


def format_texts(texts: Sequence[str]) -> str:
    """The texts joined by commas; one that would be read back differently is quoted."""
    return ", ".join(map(_format, texts))


def _format(text: str) -> str:
    is_plain = text and text == text.strip() and "," not in text and text[0] not in "\"'["
    return text if is_plain else json.dumps(text, ensure_ascii=False)
