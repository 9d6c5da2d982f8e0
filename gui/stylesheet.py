"""The application's stylesheet: `resources/window.qss` in the theme's colours and sizes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from string import Template

from gui.colours import Colours

_SCALED_LENGTH = re.compile(r"(border-radius: )?\b(?!1px)(\d+)px\b")  # a hairline stays one pixel wide
_CELL_PADDING = 8  # pixels at 100 %, in a table's heads and cells
_QT_CELL_PADDING = 3  # pixels of these that Qt itself leaves beside a cell's text, at any zoom


def stylesheet(colours: Colours, px: Callable[[float], int]) -> str:
    """The stylesheet's rules; `px` scales a length in the file to pixels on the screen."""
    rules = files("resources").joinpath("window.qss").read_text(encoding="utf-8")
    scaled = _SCALED_LENGTH.sub(lambda length: _scaled(length, px), rules)
    icons = {name: _icon(name) for name in ("arrow_up", "arrow_down", "tick")}
    cell_padding = f"{px(_CELL_PADDING) - _QT_CELL_PADDING}px"
    return Template(scaled).substitute(asdict(colours), **icons, cell_padding=cell_padding)


def _scaled(length: re.Match[str], px: Callable[[float], int]) -> str:
    """A length on the screen. A radius is rounded down: with more than half a side, Qt would draw a square corner."""
    radius, pixels = length[1], int(length[2])
    return f"{radius}{pixels * px(100) // 100}px" if radius else f"{px(pixels)}px"


def _icon(name: str) -> str:
    """The path of an icon that is visible on light and dark, since a stylesheet cannot tint it."""
    return Path(str(files("resources.icons").joinpath(f"{name}.svg"))).as_posix()
