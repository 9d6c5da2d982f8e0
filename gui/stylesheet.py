"""The application's stylesheet: `resources/window.qss` in the theme's colours and sizes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gui.theme import Colours

_GROWS = re.compile(r"\b(?!1px)(\d+)px\b")  # hairlines stay


def stylesheet(colours: Colours, px: Callable[[float], int]) -> str:
    """Rules on top of palette and font; `px` turns a length of the file into one of the screen."""
    rules = files("resources").joinpath("window.qss").read_text(encoding="utf-8")
    grown = _GROWS.sub(lambda length: f"{px(int(length[1]))}px", rules)
    return Template(grown).substitute(asdict(colours), arrow_up=_arrow("up"), arrow_down=_arrow("down"))


def _arrow(direction: str) -> str:
    """The path of an arrow, in a grey that is seen on light and dark; a stylesheet cannot tint."""
    return Path(str(files("resources.icons").joinpath(f"arrow_{direction}.svg"))).as_posix()
