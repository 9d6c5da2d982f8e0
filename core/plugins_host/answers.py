"""Hold what a plugin's small methods return against their types, so that a wrong one is named at once."""

import math
from collections.abc import Mapping, Sequence

from core.plugins_host.faults import Fault


def texts(method: str, answer: object) -> list[str]:
    """Return a sequence of texts as a list."""
    if isinstance(answer, str) or not isinstance(answer, Sequence) or not all(isinstance(text, str) for text in answer):
        raise Fault(f"{method}() returned {answer!r:.200}, expected a list of texts.")
    return list(answer)


def symbols(answer: object) -> tuple[list[str], list[str]] | None:
    """Return the source and the target tokens of endless data."""
    if answer is None:
        return None
    if not isinstance(answer, Sequence) or len(answer) != 2:
        raise Fault(f"symbols() returned {answer!r:.200}, expected a pair (source tokens, target tokens).")
    return texts("symbols", answer[0]), texts("symbols", answer[1])


def figures(method: str, answer: object) -> dict[str, float]:
    """Return numbers by the names of their metrics."""
    if not isinstance(answer, Mapping) or not all(_is_figure(name, value) for name, value in answer.items()):
        raise Fault(f"{method}() returned {answer!r:.200}, expected numbers by name, such as {{'letters_right': 0.9}}.")
    return {name: float(value) for name, value in answer.items()}


def limits(answer: object) -> dict[str, float]:
    """Return the best values that anyone can reach: a run keeps them, and what is not finite cannot be kept."""
    found = figures("limits", answer)
    for name, value in found.items():
        if not math.isfinite(value):
            sentence = f"limits() gives {name!r} as {value}; expected a finite number."
            raise Fault(sentence, remedy="Leave it out where it is not known")
    return found


def _is_figure(name: object, value: object) -> bool:
    return isinstance(name, str) and isinstance(value, int | float) and not isinstance(value, bool)
