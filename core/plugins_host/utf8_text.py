"""Tells texts that a run's files can hold."""


def is_utf8_text(value: object) -> bool:
    """Whether it is a text without half a surrogate pair, which cannot be written as UTF-8."""
    try:
        return isinstance(value, str) and value.encode() is not None
    except UnicodeEncodeError:
        return False
