"""The Runs view."""

from __future__ import annotations

from gui.view import View


class RunsView(View):
    """All runs: open, compare, continue."""

    name = "runs"
    title = "Runs"
    icon = "runs"
    help = "All runs: open, compare, continue"
