"""Finds the lines where a plugin declares something."""

import inspect
import re
from typing import Any


def first_line(declared: Any) -> int:
    """The line where a class or function begins."""
    return inspect.getsourcelines(declared)[1]


def attribute_line(name: str, cls: type) -> int:
    """The line of a class that gives an attribute its value or type; the first line if a base class does."""
    lines, first = inspect.getsourcelines(cls)
    declared = (offset for offset, line in enumerate(lines) if re.split("[:=]", line)[0].strip() == name)
    return first + next(declared, 0)
