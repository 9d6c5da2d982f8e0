"""Calls a plugin's optional methods and checks the types of their answers, so that a wrong one is reported at once."""

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

from pydantic import TypeAdapter, ValidationError

from core.plugin import PAIR_CHARACTERS, DatasetPlugin, Pair, Split
from core.plugins_host.utf8_text import is_utf8_text
from core.plugins_host.worker_errors import DEFAULT_REMEDY, WorkerError, defined_at
from core.short_repr import short_repr
from core.text_form import TextForm

Plugin = DatasetPlugin[Any]
_TEXT_FORM = TypeAdapter(TextForm)


def examples(plugin: Plugin) -> list[str]:
    """Source texts to offer for translation."""
    return _texts(plugin, "examples", plugin.examples())


def files(plugin: Plugin) -> list[str]:
    """Paths of the user's files. One may be no text: systems accept names that are not UTF-8."""
    answer: object = plugin.files()
    if isinstance(answer, str) or not isinstance(answer, Sequence) or not all(isinstance(one, str) for one in answer):
        raise _type_error(plugin, "files", answer, "a list of texts")
    return list(answer)


def symbols(plugin: Plugin) -> tuple[list[str], list[str]] | None:
    """The source and the target tokens of endless data; None if the plugin does not list them."""
    answer: object = plugin.symbols()
    if answer is None:
        return None
    if not isinstance(answer, Sequence) or len(answer) != 2:
        raise _type_error(plugin, "symbols", answer, "a pair (source tokens, target tokens)")
    return _texts(plugin, "symbols", answer[0]), _texts(plugin, "symbols", answer[1])


def text_form(plugin: Plugin) -> TextForm:
    """The form of the plugin's sources."""
    answer: object = plugin.text_form()
    try:
        return _TEXT_FORM.validate_python(answer, strict=True)
    except ValidationError as error:
        wrong = error.errors()[0]
        field = f" whose {wrong['loc'][0]} {wrong['msg'].removeprefix('Input ')}" if wrong["loc"] else ""
        raise _type_error(plugin, "text_form", answer, f"a TextForm{field}") from None


def left_out(plugin: Plugin, split: Split) -> int:
    """How many pairs of the split the plugin's own options have left out so far."""
    answer: object = plugin.left_out(split)
    if type(answer) is not int or answer < 0:
        raise _type_error(plugin, "left_out", answer, "a whole number of pairs")
    return answer


def metrics(plugin: Plugin, pairs: list[Pair], hypotheses: list[str]) -> dict[str, float]:
    """The plugin's own metrics of these hypotheses."""
    return _named_numbers(plugin, "metrics", plugin.metrics(pairs, hypotheses))


def limits(plugin: Plugin) -> dict[str, float]:
    """The best possible values of metrics. They must be finite, since a run stores them."""
    limits_by_name = _named_numbers(plugin, "limits", plugin.limits())
    for name, value in limits_by_name.items():
        if not math.isfinite(value):
            sentence = f"limits() gives {name!r} as {value}; expected a finite number."
            raise _error(plugin, "limits", sentence, "Leave it out where it is not known")
    return limits_by_name


def _texts(plugin: Plugin, method: str, answer: object) -> list[str]:
    if isinstance(answer, str) or not isinstance(answer, Sequence) or not all(map(is_utf8_text, answer)):
        raise _type_error(plugin, method, answer, "a list of texts that can be written as UTF-8")
    if (longest := max(map(len, answer), default=0)) > PAIR_CHARACTERS:
        sentence = f"{method}() returned a text of {longest:,} characters, expected at most {PAIR_CHARACTERS:,}."
        raise _error(plugin, method, sentence, "Make it as short as the texts of a pair")
    return list(answer)


def _named_numbers(plugin: Plugin, method: str, answer: object) -> dict[str, float]:
    if not isinstance(answer, Mapping) or not all(_is_named_number(name, value) for name, value in answer.items()):
        raise _type_error(plugin, method, answer, "numbers by name, such as {'letters_right': 0.9}")
    return {name: _float(value) for name, value in answer.items()}


def _is_named_number(name: object, value: object) -> bool:
    """Whether it is a number with a name that fits in a line of the terminal's."""
    is_name = isinstance(name, str) and name != "" and name.isprintable()
    return is_name and isinstance(value, Real) and not isinstance(value, bool)  # NumPy's numbers are Real, too


def _float(value: Any) -> float:
    """A real number as a float; infinity for an int that is too large for one."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _type_error(plugin: Plugin, method: str, answer: object, expected: str) -> WorkerError:
    return _error(plugin, method, f"{method}() returned {short_repr(answer, 200)}, expected {expected}.")


def _error(plugin: Plugin, method: str, sentence: str, remedy: str = DEFAULT_REMEDY) -> WorkerError:
    """An error at the line where the method is defined."""
    file, line = defined_at(plugin, method)
    return WorkerError(sentence, file=file, line=line, remedy=remedy)
