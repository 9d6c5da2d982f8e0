"""Describes what went wrong in a plugin, as a sentence with file and line."""

import builtins
import difflib
import inspect
import re
import sys
import traceback
from collections.abc import Collection
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from core import plugin as plugin_api
from core.at_path import is_dir, is_file
from core.plugin import API_VERSION, BadData, DatasetPlugin, Options
from core.plugins_host.common_mistakes import remedy_for
from core.user_input.quoting import format_value, quoted_hint

REMEDIES: dict[type[BaseException], str] = {
    ImportError: "Import core.plugin and the standard library only, or install it beside Headlight",
    MemoryError: "Yield each pair as it is made instead of keeping all",
    SystemExit: "Let it raise an exception instead of exiting",
}
"""What to do about an exception, if there is more to say than to fix it."""
DEFAULT_REMEDY = "Fix it"
BESIDE_REMEDY = (
    "Put that code into the plugin, which cannot import the files beside it, or both into a package "
    "(`plugins new NAME --package` writes one)"
)
REFUSED_REMEDY = "Change the options, or fix it"

MAX_MESSAGE_LENGTH = 1000


class WorkerError(Exception):
    """An error of a plugin (`kind` "plugin"), of the user's options or files ("options"), or a refusal ("refused")."""

    def __init__(
        self, sentence: str, *, file: str = "", line: int = 0, kind: str = "plugin", remedy: str = DEFAULT_REMEDY
    ) -> None:
        sentence = " ".join(map(str.strip, sentence.splitlines()))  # NumPy shows an array in several lines
        super().__init__(sentence)
        self.record: dict[str, Any] = {"sentence": sentence, "file": file, "line": line, "kind": kind, "remedy": remedy}


def defined_at(plugin: DatasetPlugin[Any], method: str) -> tuple[str, int]:
    """The file and line where a plugin's method is defined."""
    function = getattr(type(plugin), method)
    return inspect.getfile(function), inspect.getsourcelines(function)[1]


def worker_error(error: BaseException, plugin_file: str, package_files: Collection[str] = ()) -> WorkerError:
    """Describe an exception of plugin code, with the innermost line of the plugin in its traceback.

    The plugin's files are `package_files` for an installed package, otherwise `plugin_file`.
    """
    if isinstance(error, WorkerError):
        return error
    message_lines = _message_lines(error)
    if isinstance(error, BadData):
        return WorkerError(" ".join(message_lines), kind="options")
    first_line = message_lines[0] if message_lines else ""
    sentence = f"{type(error).__name__}: {first_line}" if first_line else type(error).__name__
    if isinstance(error, SyntaxError) and error.filename:
        return WorkerError(f"{type(error).__name__}: {error.msg}", file=error.filename, line=error.lineno or 0)
    if isinstance(error, ImportError) and error.name == "core.plugin":  # it imports a name of another version
        sentence += f"; this Headlight has version {API_VERSION} of it"
    if question := _probable_meaning(error):
        sentence += f"; {question}?"
    frames = _frames(error)
    own_files = package_files or (plugin_file,)
    own = [frame for frame in frames if frame.filename in own_files]
    file, line = (own[-1].filename, own[-1].lineno or 0) if own else (plugin_file, 0)
    if _is_refusal(error, frames, own_files):
        return WorkerError(
            f"{type(error).__name__}: {' '.join(message_lines)}",
            file=file,
            line=line,
            kind="refused",
            remedy=REFUSED_REMEDY,
        )
    return WorkerError(sentence, file=file, line=line, remedy=_remedy(error, first_line, plugin_file))


def _remedy(error: BaseException, message: str, plugin_file: str) -> str:
    by_kind = next((remedy for kind, remedy in REMEDIES.items() if isinstance(error, kind)), DEFAULT_REMEDY)
    if isinstance(error, ImportError):
        by_kind = BESIDE_REMEDY if _is_beside(error, plugin_file) else by_kind
        by_kind = DEFAULT_REMEDY if error.name in sys.modules else by_kind  # the module is there, but not that name
    return remedy_for(message) or by_kind


def _is_beside(error: ImportError, plugin_file: str) -> bool:
    """Whether a plugin imports a file or folder beside it, by its name or relatively."""
    if not plugin_file:  # the modules of an installed package can import each other
        return False
    if error.name is None:
        return str(error).startswith("attempted relative import")
    beside = Path(plugin_file).parent / error.name.partition(".")[0]
    return is_dir(beside) or is_file(beside.with_suffix(".py"))


def _probable_meaning(error: BaseException) -> str:
    """What a name that does not exist was probably meant to be; empty if nobody can tell."""
    if isinstance(error, ImportError) and error.name in sys.modules:
        found = re.match(r"cannot import name '(\w+)'", str(error))
        name, known = found[1] if found else "", list(vars(sys.modules[error.name]))
    elif isinstance(error, AttributeError | NameError) and error.name is not None:
        name, known = error.name, _known_names(error)
    else:
        return ""
    if isinstance(error, NameError) and name in sys.stdlib_module_names:
        return f"is `import {name}` missing"
    nearest = [near for near in difflib.get_close_matches(name, known, cutoff=0.8) if near != name]
    return f"did you mean {nearest[0]!r}" if nearest else ""


def _known_names(error: AttributeError | NameError) -> list[str]:
    """The attributes of the object that lacks one, or the names that were known in the line that lacks one."""
    if isinstance(error, AttributeError):
        return dir(error.obj)
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return [*frame.f_locals, *frame.f_globals, *vars(builtins)]


def _frames(error: BaseException) -> list[traceback.FrameSummary]:
    """The lines that led to an exception. For a StopIteration that left a generator they are in its cause."""
    cause = error.__cause__ if isinstance(error.__cause__, StopIteration) else error
    return traceback.extract_tb(cause.__traceback__)


def _message_lines(error: BaseException) -> list[str]:
    """The lines of an exception's message, each with single spaces."""
    if isinstance(error, ValidationError):  # its message begins with the number of errors
        first = error.errors()[0]
        return [": ".join([*map(str, first["loc"][:1]), first["msg"]])]
    try:
        message = str(error)[:MAX_MESSAGE_LENGTH]
    except Exception:  # a plugin's own exception class may have a faulty __str__
        return []
    return [" ".join(line.split()) for line in message.splitlines() if line.strip()]


def _is_refusal(error: BaseException, frames: list[traceback.FrameSummary], own_files: Collection[str]) -> bool:
    """Whether the plugin refuses its options, by its own `raise ValueError` or that of `draw_for`.

    A ValueError from a library (`randrange` of an empty range) is a fault of the plugin.
    """
    if not isinstance(error, ValueError) or not frames:
        return False
    last = frames[-1]  # `raise ...`, or `if ...: raise ...`
    return last.filename in (*own_files, plugin_api.__file__) and bool(re.search(r"(^|[:;] *)raise ", last.line or ""))


def options_error(error: ValidationError, options_class: type[Options]) -> WorkerError:
    """The first thing that is wrong with the given options, in one line that names the key."""
    first = error.errors()[0]
    key = ".".join(["dataset", "options", *map(str, first["loc"][:1])])  # deeper are type names, too
    complaint = _complaint(first, options_class)
    names_option = complaint.partition(": ")[0] in options_class.model_fields  # as check() may begin its sentence
    return WorkerError(f"{key}{'.' if names_option else ': '}{complaint}", kind="options")


def _complaint(error: ErrorDetails, options_class: type[Options]) -> str:
    schema = options_class.model_json_schema().get("properties", {})
    name = str(error["loc"][0]) if error["loc"] else ""
    if error["type"] == "extra_forbidden":
        return _unknown_key(name, list(schema))
    if error["type"] in ("value_error", "assertion_error"):
        return " ".join(str(error["ctx"]["error"]).split()) or "check() refuses them without a sentence"
    if error["type"] == "frozen_instance":
        return "check() sets it, and options are frozen"
    if error["type"] == "missing":
        return f"expected one, such as {name}: int = option(6); given none"
    given = f"given {format_value(error['input'])}{_hint(error)}"
    return f"expected {expectation(schema[name])}, {given}" if name in schema else f"{error['msg']}, {given}"


def _hint(error: ErrorDetails) -> str:
    """What to do about an option without a value, or an unquoted number where a text was expected."""
    is_in_list = any(isinstance(part, int) for part in error["loc"])
    if error["input"] is None and not is_in_list:
        return "; leave the key out for its default"
    return quoted_hint(error)


def _unknown_key(name: str, known: list[str]) -> str:
    nearest = difflib.get_close_matches(name, known, n=1)
    if nearest:
        return f"unknown key; did you mean {nearest[0]!r}?"
    return f"unknown key; known are {', '.join(known)}" if known else "unknown key; this dataset has no options"


_NOUNS = {
    "integer": "a whole number",
    "number": "a number",
    "string": "a text",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "null",
}
_LISTS = {
    "integer": "a list of whole numbers such as [1, 3]",
    "string": "a list of texts such as [characters, words]",
}


def expectation(schema: dict[str, Any]) -> str:
    """Put one field's JSON schema into words: `a whole number from 1 to 64`."""
    if "anyOf" in schema:
        return " or ".join(map(expectation, schema["anyOf"]))
    if "enum" in schema or "const" in schema:
        return " or ".join(repr(value) for value in schema.get("enum", [schema.get("const")]))
    noun = _NOUNS.get(schema.get("type", ""), f"a {schema.get('type', 'valid value')}")
    noun = _LISTS.get(schema.get("items", {}).get("type", ""), noun)
    return noun + _range(schema.get("minimum"), schema.get("maximum"))


def _range(minimum: float | None, maximum: float | None) -> str:
    if minimum is not None and maximum is not None:
        return f" from {minimum:g} to {maximum:g}"
    if minimum is not None:
        return f" of at least {minimum:g}"
    return f" of at most {maximum:g}" if maximum is not None else ""
