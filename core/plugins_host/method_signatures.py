"""Refuses methods that cannot be called as Headlight calls them, at their line, before a run depends on them."""

import inspect
from typing import Any

from core.plugin import DatasetPlugin, Options
from core.plugins_host.code_lines import attribute_line, first_line
from core.plugins_host.worker_errors import WorkerError
from core.short_repr import short_repr

METHODS = ("pairs", "metrics", "limits", "examples", "text_form", "files", "left_out")
"""Every run calls these."""


def require_callable_methods(plugin: type[DatasetPlugin[Any]]) -> None:
    """Raise WorkerError at the first method with other parameters than it is called with."""
    for method in (*METHODS, "symbols") if plugin.endless else METHODS:
        _require_callable(plugin, method, DatasetPlugin)
    _require_callable(plugin.options_class, "check", Options)


def _require_callable(cls: type, method: str, base: type) -> None:
    declared: Any = getattr(cls, method)
    if declared is getattr(base, method):  # not the plugin's own, and signatures take time
        return
    expected = inspect.signature(getattr(base, method))
    if not callable(declared):
        complaint = f"{method} is {short_repr(declared, 100)}, expected a method {method}{_names(expected)}"
        raise WorkerError(f"{cls.__name__}.{complaint}.", file=inspect.getfile(cls), line=attribute_line(method, cls))
    if not accepts(cls, method, len(expected.parameters) - 1):
        complaint = f"has {method}{_names(_signature(declared))}, expected {method}{_names(expected)}"
        file, line = inspect.getfile(declared), first_line(declared)
        raise WorkerError(f"{cls.__name__} {complaint}.", file=file, line=line)


def accepts(cls: type, method: str, num_arguments: int) -> bool:
    """Whether the method of an object of this class can be called with so many arguments, given by position."""
    takes_self = inspect.isfunction(inspect.getattr_static(cls, method))
    try:
        _signature(getattr(cls, method)).bind(*range(num_arguments + takes_self))
    except TypeError:
        return False
    except ValueError:  # written in C, as the wrapper of functools.lru_cache: nothing is known of it
        return True
    return True


def _signature(declared: Any) -> inspect.Signature:
    """The parameters of a function itself: a decorator may take others than the function it wraps."""
    return inspect.signature(declared, follow_wrapped=False)


def _names(signature: inspect.Signature) -> str:
    """The parameters without their types: `(self, split, rng)`."""
    bare = [parameter.replace(annotation=parameter.empty) for parameter in signature.parameters.values()]
    return str(signature.replace(parameters=bare, return_annotation=signature.empty))
