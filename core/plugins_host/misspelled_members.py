"""Finds members of a plugin that are probably meant to be one of those that Headlight asks for: `example`, `tokeniser`.

They are no error, as a plugin may have members of its own; but its own are used somewhere in its file.
"""

import difflib
import inspect
import re
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

from core.plugin import DatasetPlugin
from core.plugins_host.code_lines import attribute_line, first_line
from core.plugins_host.method_signatures import accepts

KNOWN = tuple(name for name in {**vars(DatasetPlugin), **DatasetPlugin.__annotations__} if not name.startswith("_"))
_LEAST_SIMILARITY = 0.8


class Misspelled(NamedTuple):
    """A member, the name that it should probably have, and where it is."""

    name: str
    nearest: str
    file: str
    line: int


def misspelled_members(plugin: type[DatasetPlugin[Any]]) -> Iterator[Misspelled]:
    """The unused members like one that the plugin leaves out: a method with the same parameters, or a value."""
    own_classes = [cls for cls in plugin.__mro__ if issubclass(cls, DatasetPlugin) and cls is not DatasetPlugin]
    defined = {name for cls in own_classes for name in vars(cls)}
    missing = [name for name in KNOWN if name not in defined]
    for cls in own_classes:
        for name in [name for name in vars(cls) if name not in KNOWN and not name.startswith("_")]:
            nearest = _nearest(name, missing)
            if nearest and _is_alike(cls, name, nearest) and not _is_used(cls, name):
                yield Misspelled(name, nearest, inspect.getfile(cls), _line_of(cls, name))


def _nearest(name: str, known: list[str]) -> str:
    return next(iter(difflib.get_close_matches(name.lower(), known, n=1, cutoff=_LEAST_SIMILARITY)), "")


def _is_alike(cls: type, name: str, nearest: str) -> bool:
    """Whether both are methods with the same parameters, or both are values."""
    wanted = getattr(DatasetPlugin, nearest, None)  # name and title have no value there
    if callable(wanted) != callable(getattr(cls, name)):
        return False
    return not callable(wanted) or accepts(cls, name, len(inspect.signature(wanted).parameters) - 1)


def _is_used(cls: type, name: str) -> bool:
    return re.search(rf"\.{name}\b", inspect.getsource(sys.modules[cls.__module__])) is not None


def _line_of(cls: type, name: str) -> int:
    value = getattr(cls, name)
    return first_line(value) if inspect.isfunction(value) else attribute_line(name, cls)
