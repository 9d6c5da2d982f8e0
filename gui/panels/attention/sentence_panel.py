"""The base class of panels about one sentence as the model saw it at step s."""

from __future__ import annotations

from functools import partial

from core.events import Prepared, ProbeDone
from core.history import History
from gui.panel import Panel
from gui.sentences.selection import Selection
from gui.sentences.shown_sentence import NothingShown, SentenceSource, ShownSentence, shown_sentence
from gui.theme import Theme


class SentencePanel(Panel):
    """Subclasses implement `draw` for the chosen one of the probe's sentences, or for what `source` returns."""

    redraw_on = (Prepared, ProbeDone)

    def __init__(self, theme: Theme, selection: Selection, source: SentenceSource | None = None) -> None:
        super().__init__(theme)
        self._selection = selection
        self._source = source or partial(shown_sentence, selection)

    def show_step(self, history: History, step: int) -> None:
        """Draw the sentence with the newest weights at or before `step`."""
        shown = self._source(history, step)
        if isinstance(shown, NothingShown):
            self.show_empty(shown.reason)
        else:
            self.show_body()
            self.draw(history, shown)

    def draw(self, history: History, shown: ShownSentence) -> None:
        """Draw this sentence."""
        raise NotImplementedError
