"""Turns requests, events and answers into plain values for JSON, with their arrays apart, and back. No pickle.

The declared types of a record decide what its values become again: nothing that arrives names a class itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from inspect import isclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from core.events import Event
from core.requests import Request

Arrays = list[NDArray[Any]]

EVENTS: dict[str, type[Event]] = {kind.__name__: kind for kind in Event.__subclasses__()}
REQUESTS: dict[str, type[Request[Any]]] = {kind.__name__: kind for kind in Request.__subclasses__()}


def answer_type(request: type[Request[Any]]) -> Any:
    """The type of a request's answer: `tuple[Translation, ...]` for Translate."""
    return get_args(request.__orig_bases__[0])[0]  # type: ignore[attr-defined]


def as_plain(value: Any, arrays: Arrays) -> Any:
    """A value for JSON; each array in it is appended to `arrays`, and replaced by its index there.

    Raises TypeError for anything that does not belong in a record.
    """
    match value:
        case None | bool() | int() | float() | str():
            return value
        case Path():
            return str(value)
        case np.ndarray():
            arrays.append(value)
            return len(arrays) - 1
        case BaseModel():
            return value.model_dump(mode="json")
        case tuple() | list():
            return [as_plain(one, arrays) for one in value]
        case Mapping():
            return {key: as_plain(one, arrays) for key, one in value.items()}
        case _ if is_dataclass(value):
            return {field.name: as_plain(getattr(value, field.name), arrays) for field in fields(value)}
    raise TypeError(f"{type(value).__name__} cannot cross to another process")


def from_plain(kind: Any, plain: Any, arrays: Arrays) -> Any:
    """The inverse of `as_plain`, for a value of this declared type. What is declared as Any stays plain."""
    origin, inner = get_origin(kind), get_args(kind)
    if plain is None:
        return None
    if origin in (Union, UnionType):  # with None: records have no other unions
        (kind,) = (one for one in inner if one is not NoneType)
        return from_plain(kind, plain, arrays)
    if origin is np.ndarray:
        return arrays[plain]
    if origin is tuple:
        kinds = [inner[0]] * len(plain) if inner[-1] is Ellipsis else inner
        return tuple(from_plain(one, value, arrays) for one, value in zip(kinds, plain, strict=True))
    if origin in (dict, Mapping):
        return {key: from_plain(inner[1], value, arrays) for key, value in plain.items()}
    if isclass(kind) and is_dataclass(kind):
        hints = _hints(kind)
        return kind(**{name: from_plain(hints[name], value, arrays) for name, value in plain.items()})
    if isclass(kind) and issubclass(kind, tuple):  # a NamedTuple
        hints = _hints(kind)
        return kind(*(from_plain(one, value, arrays) for one, value in zip(hints.values(), plain, strict=True)))
    if isclass(kind) and issubclass(kind, BaseModel):
        return kind.model_validate(plain)
    return Path(plain) if kind is Path else plain


@cache
def _hints(kind: type[Any]) -> dict[str, Any]:
    return get_type_hints(kind)
