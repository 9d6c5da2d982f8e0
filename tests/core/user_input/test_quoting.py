"""Values in errors, as a user writes them."""

from typing import Any

import pytest

from core.user_input.quoting import format_value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (None, "null"),
        ("a\nb", r"'a\nb'"),
        ("True", "'True'"),
        (3, "3"),
        (1, "1"),
        ([1, None, [False, "x"]], "[1, null, [false, 'x']]"),
        ({"a": None, "b": [True]}, "{'a': null, 'b': [true]}"),
        ("x" * 100, "'" + "x" * 56 + "..."),
    ],
)
def test_a_value_is_on_one_line_and_in_the_words_of_yaml(value: Any, text: str) -> None:
    assert format_value(value) == text
