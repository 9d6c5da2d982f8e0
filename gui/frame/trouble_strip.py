"""The strip: one line that says what went wrong, or differently than asked, and what to do. Hidden if all is well."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout

from core.errors import Offer
from core.events import Trouble
from core.home_paths import shorten_home
from gui.faults.unhandled_exceptions import log_path
from gui.theme import GRID, Theme
from gui.widgets.buttons import IconButton, button
from gui.widgets.labels import plain_label, set_role

OFFERS: dict[Offer, tuple[str, str]] = {  # offer -> the button's text and help
    "": ("", ""),
    "another_folder": ("Choose another folder …", "Keep this run, and all later ones, in another folder"),
    "lower_rate": ("Continue at a lower rate", "Open the last checkpoint and continue at a tenth of the learning rate"),
}


class TroubleStrip(QFrame):
    """Shows a trouble until it is dismissed; later ones wait behind it."""

    offer_accepted = Signal(str)  # the Offer of the shown trouble

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("trouble_strip")
        self.setAccessibleName("Trouble")
        self._queue: list[Trouble] = []
        self._mark = plain_label("!", role="error")
        self.sentence = plain_label(role="error", wraps=True, is_copyable=True)
        self.advice = plain_label(wraps=True, is_copyable=True)
        self.offer_button = button("", "", name="What helps")
        self.copy_button = button("Copy details", "Copy the technical details to the clipboard")
        self.dismiss_button = IconButton(theme, "close", "Dismiss", "Dismiss (Esc)")
        self._row = layout = QHBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID // 2, GRID, GRID // 2)
        layout.setSpacing(GRID)
        layout.addWidget(self._mark)
        layout.addWidget(self.sentence)
        layout.addWidget(self.advice)
        layout.addWidget(self.offer_button)
        layout.addWidget(self.copy_button)
        layout.addWidget(self.dismiss_button)
        self.offer_button.clicked.connect(self._accept_offer)
        self.copy_button.clicked.connect(self._copy)
        self.dismiss_button.clicked.connect(self.dismiss)
        self.hide()

    def show_trouble(self, trouble: Trouble) -> None:
        """Show it, or queue it while another is shown. An equal one is queued only once."""
        if trouble not in self._queue:
            self._queue.append(trouble)
        self._refresh()

    def show_first(self, trouble: Trouble) -> None:
        """Show it now, ahead of the others; those with the same sentence are dropped, whatever their advice."""
        self._queue = [trouble, *(one for one in self._queue if one.sentence != trouble.sentence)]
        self._refresh()

    def drop_outdated(self) -> None:
        """Drop the troubles of an earlier attempt: something is being prepared again."""
        self._queue = [one for one in self._queue if not one.until_prepared]
        self._refresh()

    def drop_solved(self) -> None:
        """Drop the troubles that there is a button for: the run learns, so the user has helped without it."""
        self._queue = [one for one in self._queue if not one.offer]
        self._refresh()

    def dismiss(self) -> None:
        """Show the next trouble, or hide the strip."""
        del self._queue[:1]
        self._refresh()

    @property
    def trouble(self) -> Trouble | None:
        """The trouble being shown."""
        return self._queue[0] if self._queue else None

    def _refresh(self) -> None:
        trouble = self.trouble
        self.setVisible(trouble is not None)
        if trouble is None:
            return
        more = f"  ({len(self._queue) - 1} more)" if len(self._queue) > 1 else ""
        self.sentence.setText(trouble.sentence + more)
        advice = _advice(trouble)
        self.advice.setText(advice)
        self.advice.setVisible(bool(advice))
        for label in (self.sentence, self.advice):  # as many lines for each, and so as few as possible
            self._row.setStretchFactor(label, len(label.text()))
        self.setAccessibleDescription(f"{trouble.sentence} {advice}")
        self._mark.setVisible(not trouble.is_note)
        set_role(self, "note" if trouble.is_note else "")
        set_role(self.sentence, "" if trouble.is_note else "error")
        self.copy_button.setVisible(bool(trouble.details))
        self._offer(trouble.offer)

    def _offer(self, offer: Offer) -> None:
        text, help = OFFERS[offer]
        self.offer_button.setText(text)
        self.offer_button.setAccessibleName(text or "What helps")
        self.offer_button.setToolTip(help)
        self.offer_button.setVisible(bool(text))

    def _accept_offer(self) -> None:
        if self.trouble is not None:
            self.offer_accepted.emit(self.trouble.offer)

    def _copy(self) -> None:
        if self.trouble is not None:
            text = f"{self.trouble.sentence}\n{_advice(self.trouble)}\n{self.trouble.details}"
            QApplication.clipboard().setText(text)


def _advice(trouble: Trouble) -> str:
    """What to do and, if there are details, where they are kept."""
    place = f" The details are also in {shorten_home(log_path())}." if trouble.details else ""
    return f"{trouble.advice}{place}"
