"""Refuses declarations of options that can never work, but that pydantic accepts or refuses without naming them."""

import inspect
from typing import Any

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from core.plugin import Options
from core.plugins_host.code_lines import attribute_line, first_line
from core.plugins_host.utf8_text import is_utf8_text
from core.plugins_host.worker_errors import WorkerError, options_error


def require_usable_options(options_class: type[Options]) -> None:
    """Raise WorkerError at the line of the first option whose declaration makes it unusable."""
    for name, field in options_class.model_fields.items():
        complaint, remedy = _declaration_error(name, field)
        if complaint:
            file, line = inspect.getfile(options_class), attribute_line(name, options_class)
            raise WorkerError(f"Option {name!r} {complaint}.", file=file, line=line, remedy=remedy)


def default_error(error: ValidationError, options_class: type[Options]) -> WorkerError:
    """What is wrong with the defaults, at the line of the first option whose default is refused, or of `check`."""
    first = error.errors()[0]
    sentence = f"The {'default' if first['loc'] else 'defaults'} of {options_error(error, options_class)}"
    if first["loc"] and first["type"] != "frozen_instance":
        line = attribute_line(str(first["loc"][0]), options_class)
        return WorkerError(sentence, file=inspect.getfile(options_class), line=line)
    file, line = inspect.getfile(options_class.check), first_line(options_class.check)
    return WorkerError(sentence, file=file, line=line)


def _declaration_error(name: str, field: FieldInfo) -> tuple[str, str]:
    """What is wrong with the option, and what to write instead; empty texts if nothing is."""
    least, most = _bound(field, "ge"), _bound(field, "le")
    if name == "check":
        return "has the name of the method that looks at all options", "Rename it"
    if wrong := [text for text in (field.title, field.description) if not isinstance(text, str | None)]:
        return f"has the label or help {wrong[0]!r}, expected a text", "Put it in quotation marks"
    if isinstance(field.default, str) and not is_utf8_text(field.default):
        return f"has the default {field.default!r}, which cannot be written as UTF-8", "Write whole characters"
    if (least, most) == (None, None):
        return "", ""
    if isinstance(field.default, str | list | tuple | dict) and field.annotation not in (int, float):
        return f"has a range and the default {field.default!r}; ge and le are for numbers", "Leave ge and le out"
    if least is not None and most is not None and least > most:
        return f"can have no value: it goes from {least} to {most}", "Let ge be the least value and le the greatest"
    return "", ""


def _bound(field: FieldInfo, end: str) -> Any:
    return next((getattr(bound, end) for bound in field.metadata if hasattr(bound, end)), None)
