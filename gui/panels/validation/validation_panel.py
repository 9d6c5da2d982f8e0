"""The base class of panels about the newest validation at or before step s."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from core.analysis.validation_figures import ValidationFigures
from core.events import Prepared, StateChanged, ValidationDone
from core.history import History
from gui.panel import Panel
from gui.theme import Theme
from gui.validation_reader import ValidationReader
from gui.widgets.labels import plain_label


class ValidationPanel(Panel):
    """Subclasses implement `draw`. A muted line below says how to read the picture, or what is pointed at."""

    redraw_on = (Prepared, StateChanged, ValidationDone)
    is_picture = True
    title_suffix = ""  # how the decoder was fed, for titles that say so

    def __init__(self, theme: Theme, reader: ValidationReader, legend: str = "") -> None:
        super().__init__(theme)
        self._reader = reader
        self.legend = legend
        self.readout = plain_label(legend, role="muted", wraps=True)

    @contextmanager
    def exporting(self) -> Iterator[None]:
        """Within the block the line says how to read the picture, whatever is pointed at."""
        text = self.readout.text()
        self._set_readout(self.legend)
        try:
            yield
        finally:
            self._set_readout(text)

    def show_readout(self, text: str) -> None:
        """Show what is pointed at; if empty, how to read the picture."""
        self.readout.setText(text or self.legend)

    def _set_readout(self, text: str) -> None:
        """Show this text in as many lines as it needs, at once."""
        self.readout.setText(text)
        self.body.activate()

    def show_step(self, history: History, step: int) -> None:
        """Draw the newest validation at or before `step`."""
        figures = self._reader.figures(history, step)
        if figures is None:
            self.show_empty(self._reader.why_no_figures(history, step) or self._what_to_wait_for(history))
            return
        self.show_body()
        self.set_title(f"{self.title}{self.title_suffix} · step {figures.step:,}")
        self.draw(figures)

    def _what_to_wait_for(self, history: History) -> str:
        """Where or when there will be figures; Space is named only where it learns."""
        if history.validations:
            return f"The first validation of this run is at step {min(history.validations):,}: move the playhead there."
        if history.state in ("finished", "failed"):
            return "This run ended before its first validation."
        if history.last_step == 0 and history.state != "empty":
            return f"{self.empty_sentence.removesuffix('.')}: press Space to learn."
        return self.empty_sentence

    def draw(self, figures: ValidationFigures) -> None:
        """Draw these figures."""
        raise NotImplementedError
