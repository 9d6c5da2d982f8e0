"""The application's stylesheet: `resources/window.qss` in the theme's colours and sizes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from string import Template

from gui.colours import Colours

_GROWS = re.compile(r"\b(?!1px)(\d+)px\b")  # hairlines stay


def stylesheet(colours: Colours, px: Callable[[float], int]) -> str:
    """Rules on top of palette and font; `px` turns a length of the file into one of the screen."""
    rules = files("resources").joinpath("window.qss").read_text(encoding="utf-8")
    grown = _GROWS.sub(lambda length: f"{px(int(length[1]))}px", rules)
    icons = {name: _icon(name) for name in ("arrow_up", "arrow_down", "tick")}
    return Template(grown).substitute(asdict(colours), **icons)


def _icon(name: str) -> str:
    """The path of an icon whose colour is seen on light and dark; a stylesheet cannot tint."""
    return Path(str(files("resources.icons").joinpath(f"{name}.svg"))).as_posix()
