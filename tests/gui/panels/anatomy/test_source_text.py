"""Source text is what the inspect module finds."""

from __future__ import annotations

import importlib
import inspect
import textwrap

import pytest

from gui.panels.anatomy import topics
from gui.panels.anatomy.source_text import source_of
from gui.panels.anatomy.topic import Topic, plain_equation

TOPICS = [kind for kind in vars(topics).values() if isinstance(kind, type) and issubclass(kind, Topic)]
PLACES = [place for kind in TOPICS for place in kind.functions]


@pytest.mark.parametrize("place", [*PLACES, "core.model.attention:MultiHeadAttention.attend", "core.probes:Feed"])
def test_source_equals_that_of_inspect(place: str) -> None:
    module, _, name = place.partition(":")
    thing = importlib.import_module(module)
    for part in name.split("."):
        thing = getattr(thing, part)
    assert source_of(place) == textwrap.dedent(inspect.getsource(thing))


def test_an_equation_is_read_out_without_markup() -> None:
    assert (
        plain_equation("sin(<i>pos</i> / 10000<sup>2<i>i</i>/<i>d</i></sup>)&nbsp;d<sub>k</sub>")
        == "sin(pos / 10000^(2i/d)) d_k"
    )
