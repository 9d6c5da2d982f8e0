"""What every view shares."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gui.bridge import EngineBridge
from gui.playhead import Playhead
from gui.redraw import Redraws
from gui.selection import Selection
from gui.theme import Theme


@dataclass(frozen=True)
class Context:
    """The models behind the views; views talk to each other through these only."""

    bridge: EngineBridge
    playhead: Playhead
    selection: Selection
    theme: Theme
    redraws: Redraws
    runs_dir: Path


def make_context(bridge: EngineBridge, theme: Theme, runs_dir: Path) -> Context:
    """The models of one window."""
    playhead, selection = Playhead(), Selection()
    return Context(bridge, playhead, selection, theme, Redraws(bridge, playhead, selection, theme), runs_dir)
