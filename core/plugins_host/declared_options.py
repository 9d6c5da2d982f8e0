"""Refuses declarations of options that can never work, but that pydantic accepts or refuses without naming them."""

import inspect
import math
from typing import Any

from pydantic import PydanticUserError, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError

from core.plugin import ACCEPTED, Options
from core.plugins_host.code_lines import attribute_line, first_line
from core.plugins_host.common_mistakes import TYPES_REMEDY
from core.plugins_host.utf8_text import is_utf8_text
from core.plugins_host.worker_errors import WorkerError, options_error

UNDEFINED_REMEDY = "Import or define the name that is missing"


def require_usable_options(options_class: type[Options]) -> None:
    """Raise WorkerError at the line of the first option whose declaration makes it unusable."""
    for name, field in options_class.model_fields.items():
        complaint, remedy = _declaration_error(name, field)
        if complaint:
            file, line = option_at(name, options_class)
            raise WorkerError(f"Option {name!r} {complaint}.", file=file, line=line, remedy=remedy)


def require_sendable_types(defaults: Options) -> None:
    """Raise WorkerError at the line of the first option whose default is refused once it has been sent as JSON.

    Every call sends the options so, and the author would be told that 2020-01-01 was given where a text was expected.
    """
    for name in type(defaults).model_fields:
        if not _is_sendable(name, defaults):
            file, line = option_at(name, type(defaults))
            sentence = f"Option {name!r} has a type that no YAML file can hold."
            raise WorkerError(sentence, file=file, line=line, remedy=TYPES_REMEDY)


def _is_sendable(name: str, defaults: Options) -> bool:
    try:
        type(defaults).model_validate(defaults.model_dump(mode="json", include={name}), context=ACCEPTED)
    except PydanticSerializationError:
        return False
    except ValidationError as error:
        return error.errors()[0]["loc"][:1] != (name,)
    return True


def option_at(name: str, options_class: type[Options]) -> tuple[str, int]:
    """The file and line that declare an option, in the class or in one that it is derived from."""
    declaring = next(cls for cls in options_class.__mro__ if name in inspect.get_annotations(cls))
    return inspect.getfile(declaring), attribute_line(name, declaring)


def undefined_type_error(error: PydanticUserError, options_class: type[Options]) -> WorkerError:
    """What is wrong with a class of options that names a type which is not defined, at its first line."""
    sentence = f"{type(error).__name__}: {error.message}"
    file, line = inspect.getfile(options_class), first_line(options_class)
    return WorkerError(sentence, file=file, line=line, remedy=UNDEFINED_REMEDY)


def default_error(error: ValidationError, options_class: type[Options]) -> WorkerError:
    """What is wrong with the defaults, at the line of the first option whose default is refused, or of `check`."""
    first = error.errors()[0]
    sentence = f"The {'default' if first['loc'] else 'defaults'} of {options_error(error, options_class)}"
    if first["loc"] and first["type"] != "frozen_instance":
        file, line = option_at(str(first["loc"][0]), options_class)
        return WorkerError(sentence, file=file, line=line)
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
    if any(isinstance(bound, float) and math.isnan(bound) for bound in (least, most)):
        return "can have no value: none is at least or at most nan", "Let ge and le be numbers, or leave them out"
    if least is not None and most is not None and least > most:
        return f"can have no value: it goes from {least} to {most}", "Let ge be the least value and le the greatest"
    return "", ""


def _bound(field: FieldInfo, end: str) -> Any:
    return next((getattr(bound, end) for bound in field.metadata if hasattr(bound, end)), None)
