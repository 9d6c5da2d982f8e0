"""The Attention view."""

from __future__ import annotations

from gui.view import View


class AttentionView(View):
    """One head large, and all heads."""

    name = "attention"
    title = "Attention"
    icon = "attention"
    help = "One head large, and all heads"
