"""Quotes a value in an error."""


def short_repr(value: object, longest: int) -> str:
    """The value as Python writes it, at most so many characters; an ellipsis says that it is cut."""
    text = repr(value)
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
