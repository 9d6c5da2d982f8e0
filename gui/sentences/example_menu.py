"""The menu of sentences to translate: the plugin's examples, the probe's sentences, and validated ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

from core.history import History
from gui.sentences.tokens import shortened
from gui.widgets.labels import escape_mnemonics

_NUM_VALIDATED = 8
_LONGEST = 60  # characters of a sentence in the menu


class ExampleMenu(QMenu):
    """Filled from `history()` each time it opens; `picked` carries a source text."""

    picked = Signal(str)

    def __init__(self, history: Callable[[], History], parent: QWidget) -> None:
        super().__init__(parent)
        self._history = history
        self.setAccessibleName("Examples")
        self.aboutToShow.connect(self.fill)

    def fill(self) -> None:
        """Offer the sentences that there are now."""
        self.clear()
        sections = menu_sections(self._history())
        for title, texts in sections.items():
            self.addSeparator()  # Qt does not draw the first
            self.addAction(title).setEnabled(False)  # not `addSection`: with a stylesheet Qt does not draw its title
            for text in texts:
                action = self.addAction(escape_mnemonics(shortened(text, _LONGEST)))
                action.triggered.connect(lambda _=False, text=text: self.picked.emit(text))
        if not sections:
            self.addAction("None yet: choose a dataset in Setup first").setEnabled(False)


def menu_sections(history: History) -> dict[str, list[str]]:
    """Section title -> source texts. No text appears twice; empty sections are left out."""
    probe = history.probes.newest()
    newest = history.newest_validation()
    validated = newest.sentences[:_NUM_VALIDATED] if newest is not None else ()
    seen: set[str] = set()
    sections = {
        "Examples of the dataset": _new(history.prepared.examples if history.prepared else (), seen),
        "Followed in every probe": _new((one.source for one in probe.sentences) if probe else (), seen),
        "From the last validation": _new((one.source for one in validated), seen),
    }
    return {title: texts for title, texts in sections.items() if texts}


def _new(texts: Iterable[str], seen: set[str]) -> list[str]:
    new = [text for text in dict.fromkeys(texts) if text not in seen]
    seen.update(new)
    return new
