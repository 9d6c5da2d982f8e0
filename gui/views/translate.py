"""The Translate view."""

from __future__ import annotations

from gui.view import View


class TranslateView(View):
    """Translate with the weights of this step."""

    name = "translate"
    title = "Translate"
    icon = "translate"
    help = "Translate with the weights of this step"
