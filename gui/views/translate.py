"""The Translate view: a typed sentence, its translation token by token, and the attention behind it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QLineEdit, QStackedLayout, QVBoxLayout, QWidget

from core.answers.translation import Translation
from core.events import CheckpointSaved, Event, Prepared, ProbeDone, SnapshotSaved, ValidationDone
from core.history import History
from gui.context import Context
from gui.panels.attention.attention_map import AttentionMap
from gui.panels.attention.head_chooser import HeadChooser
from gui.panels.attention.head_grid import HeadGrid
from gui.panels.translation.beam_panel import BeamPanel
from gui.panels.translation.token_table import TokenTable
from gui.panels.translation.two_tracks import TwoTracks
from gui.panels.translation.weights_panel import WeightsPanel
from gui.sentences.divergence import divergence_note
from gui.sentences.example_menu import ExampleMenu
from gui.sentences.long_text import allow_long_text
from gui.sentences.output_position import OutputPosition
from gui.sentences.tokens import quoted, shortened
from gui.sentences.typed_sentence import TypedSentence
from gui.sentences.weights_combo import WeightsCombo
from gui.theme import GRID
from gui.view import View
from gui.widgets.buttons import button
from gui.widgets.flow_layout import FlowLayout, with_label
from gui.widgets.labels import plain_label, set_role
from gui.widgets.scrolling_page import ScrollingPage
from gui.widgets.splitters import splitter
from gui.widgets.tabbed_pages import TabbedPages, column_of
from gui.widgets.token_font import TokenFont

_KEEPS_WEIGHTS = (Prepared, SnapshotSaved, CheckpointSaved, ValidationDone)
_PAGES = (
    ("Attention", "Where each token of the output looks in the sentence"),
    ("All heads", "All heads of the chosen kind, to choose one for Attention"),
    ("Beam search", "Greedy decoding beside a beam search, drawn as a tree of the hypotheses kept and cut"),
    ("Two weights", "The same sentence translated with the weights of another step, or of another run"),
)
HINT = "Type a sentence and press Enter, or pick an example: its translation follows the chosen weights."
_MAX_NAMED, _MAX_TOKEN_LENGTH = 5, 24  # of unknown tokens: how many are named, and characters of each


class TranslateView(View):
    """Enter translates; from then on the translation follows the chosen weights."""

    title = "Translate"
    icon = "translate"
    help = "Translate with the weights of this step"
    has_time_strip = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        theme, selection, bridge = context.theme, context.selection, context.bridge
        self.typed = TypedSentence(bridge, context.playhead)
        self.typed.setParent(self)  # so that its timers end with the view
        self._newest_reference = ""  # the reference of the newest translation
        self._offered_example = ""  # the example that was put into the field before the user typed
        self.position = OutputPosition()
        self.source_edit = QLineEdit()
        self.reference_edit = QLineEdit()
        self.examples_button = button("Examples", "Pick a sentence of the dataset (opens a menu)")
        self.examples = ExampleMenu(lambda: bridge.history, self.examples_button)
        self.examples_button.setMenu(self.examples)
        self.examples_button.setProperty("opens", "menu")
        self.weights_combo = WeightsCombo()
        self.translate_button = button("Translate", "Translate with the chosen weights (Enter)")
        self.note_label = plain_label(HINT, role="muted", wraps=True)
        self.follow_label = plain_label(wraps=True)
        self.stop_following_button = button("Stop following", "Show this window's own run again")
        self.tracks = TwoTracks(theme, self.typed, self.position)
        self.tokens = TokenTable(theme, self.typed, self.position)
        self.chooser = HeadChooser(theme, selection, self.typed.shown, has_feeds=False)
        self.map = AttentionMap(theme, selection, self.typed.shown)
        self.grid = HeadGrid(theme, selection, self.typed.shown, all_kinds=False)
        self.beam = BeamPanel(theme, self.typed, bridge)
        self.other = WeightsPanel(context, self.typed, self.position)
        self.pages = TabbedPages("What is shown of the translation", *_PAGES)
        self.chooser.empty_sentence = "Kind, layer and head are chosen here once there is a translation."
        self.map.empty_sentence = "The attention behind the translation appears here."
        self.panels = (self.tracks, self.tokens, self.chooser, self.map, self.grid, self.beam, self.other)
        self.add_panels(*self.panels)
        self._lay_out()
        self._connect()

    def translate(self, text: str) -> None:
        """Put this text into the field, translate it, and compare with its reference if the run knows one."""
        _set_text_from_start(self.source_edit, text)
        self.reference_edit.setText("")
        self.typed.translate(text)
        self.tokens.mark_for_next_round()  # it says that it is waiting

    def showEvent(self, event: QShowEvent) -> None:
        self._show_follower()
        self._offer_weights()
        self.source_edit.setFocus()
        length = len(self.source_edit.text())
        self.source_edit.setSelection(length, -length)  # from its end, so that the beginning is visible

    def hideEvent(self, event: QHideEvent) -> None:
        self.typed.watch(False)

    def _lay_out(self) -> None:
        self.source_edit.setAccessibleName("Source sentence")
        self.source_edit.setPlaceholderText("Type a sentence and press Enter")
        self.source_edit.setToolTip("The sentence to translate; Enter translates it")
        self.note_label.setAccessibleDescription("About the sentence")
        self.reference_edit.setAccessibleName("Reference")
        self.reference_edit.setPlaceholderText("The right answer, if known")
        self.reference_edit.setToolTip(
            "The model is also fed with it, to compare with the free run; filled in where the run knows it"
        )
        allow_long_text(self.source_edit, self.reference_edit)
        page = ScrollingPage()
        self._stack = QStackedLayout(self)
        self._stack.addWidget(page)
        self._stack.addWidget(self._following_page())
        asking = QWidget()
        row = FlowLayout(asking, GRID, is_even=True)  # else, zoomed, the sentence has room for three words
        row.add_stretching(self.source_edit, 4)
        row.addWidget(self.examples_button)
        row.add_stretching(with_label("reference", self.reference_edit), 3)
        row.addWidget(with_label("weights", self.weights_combo))
        row.addWidget(self.translate_button)
        behind = splitter(Qt.Orientation.Horizontal, (self.tokens, 4), (self._fill_pages(), 5))
        for part in (asking, self.note_label, self.tracks):
            page.column.addWidget(part)
        page.column.addWidget(behind, 1)

    def _following_page(self) -> QWidget:
        """The page shown while another process's run is followed: our weights would be taken for that run's."""
        page = QWidget()
        self.follow_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column = QVBoxLayout(page)
        column.setContentsMargins(GRID, GRID, GRID, GRID)
        column.setSpacing(2 * GRID)
        column.addStretch(1)
        column.addWidget(self.follow_label)
        column.addWidget(self.stop_following_button, 0, Qt.AlignmentFlag.AlignCenter)
        column.addStretch(1)
        return page

    def _fill_pages(self) -> QWidget:
        """The pages, filled: the attention behind the output, and more."""
        for page in (column_of(self.chooser, self.map), self.grid, self.beam, self.other):
            self.pages.add(page)
        return self.pages

    def _connect(self) -> None:
        bridge = self.context.bridge
        self.source_edit.returnPressed.connect(self._translate_typed)
        self.source_edit.textEdited.connect(self._clear_stale_reference)
        self.reference_edit.returnPressed.connect(self._translate_typed)
        self.translate_button.clicked.connect(self._translate_typed)
        self.examples.picked.connect(self.translate)
        self.weights_combo.chosen.connect(self.typed.choose_weights)
        self.typed.changed.connect(self._show)
        self.chooser.add_shortcuts(self)
        self.pages.page_changed.connect(self.context.redraw_scheduler.draw_soon)
        bridge.drained.connect(self._handle_events)
        bridge.run_forgotten.connect(self._offer_weights)
        self.context.follower.changed.connect(self._show_follower)
        self.stop_following_button.clicked.connect(self.context.follower.stop_following)
        TokenFont(self.context.theme, self.source_edit, self.reference_edit)
        self._show()
        self._offer_example()

    def _translate_typed(self) -> None:
        """Translate the typed sentence. Only a typed reference is kept: any other belongs to the sentence before."""
        reference = self.reference_edit.text() if self.reference_edit.isModified() else None
        self.typed.translate(self.source_edit.text(), reference)
        self.tokens.mark_for_next_round()

    def _clear_stale_reference(self) -> None:
        """Remove the reference of the sentence before: another sentence is being typed."""
        if self.reference_edit.text() == self._newest_reference:
            self.reference_edit.setText("")

    def _offer_example(self) -> None:
        """Until the user types, put a sentence whose reference the run knows into the field: never a blank page."""
        example = example_of(self.context.bridge.history)
        if self.source_edit.text() == self._offered_example != example:
            self._offered_example = example
            _set_text_from_start(self.source_edit, example)
            self.reference_edit.setText("")
            self.typed.set_text(example)

    def _handle_events(self, events: list[Event]) -> None:
        if any(isinstance(event, Prepared | ProbeDone) for event in events):
            self._offer_example()
        if self.isVisible() and any(isinstance(event, _KEEPS_WEIGHTS) for event in events):
            self._offer_weights()

    def _offer_weights(self) -> None:
        self.weights_combo.show_history(self.context.bridge.history, self.typed.weights)

    def _show_follower(self) -> None:
        reason = self.context.follower.why_no_model
        self.follow_label.setText(reason)
        self._stack.setCurrentIndex(1 if reason else 0)
        self.typed.watch(self.isVisible() and not reason)

    def _show(self) -> None:
        for panel in self.panels:
            panel.mark_for_next_round()
        if self.typed.is_user_waiting:
            self.context.redraw_scheduler.draw_soon()
        error, translation = self.typed.error, self.typed.translation
        if translation is not None and translation.sentence is not None:
            self._newest_reference = translation.sentence.reference or ""
            num_tokens = len(translation.sentence.free_running.tgt_output)
            self.position.set_output(num_tokens, (translation.source, translation.prefix))
            is_still_typed = self.source_edit.text() == self.typed.text  # else another sentence is being typed
            if is_still_typed and not self.reference_edit.isModified():
                _set_text_from_start(self.reference_edit, self._newest_reference)
        note = "" if translation is None else about_source(translation)
        trouble = str(error) if error else "" if translation is None else divergence_note(translation)
        self.note_label.setText(trouble or note or HINT)  # always a line, so that a note shifts nothing
        set_role(self.note_label, "error" if trouble else "" if note else "muted")


def _set_text_from_start(edit: QLineEdit, text: str) -> None:
    """Put a text into a field and show its beginning; Qt would show its end, where one types."""
    edit.setText(text)
    edit.setCursorPosition(0)


def example_of(history: History) -> str:
    """The first sentence that the run follows, or else the dataset's first example; empty if there is neither."""
    examples = history.prepared.examples if history.prepared is not None else ()
    return next(iter((*history.probes.sentences, *examples)), "")


def about_source(translation: Translation) -> str:
    """Notes on unknown tokens of the source, and on a length that was not learned; empty if there are none."""
    return " ".join(filter(None, [unknown_note(translation.unknown), translation.length_note]))


def unknown_note(unknown: tuple[str, ...]) -> str:
    """Names the tokens that the vocabulary does not have; empty if it has them all."""
    different = [quoted(shortened(token, _MAX_TOKEN_LENGTH)) for token in dict.fromkeys(unknown)]
    if not different:
        return ""
    if len(different) == 1:
        return f"{different[0]} is not in the vocabulary: read as <unk>."
    named, rest = different[:_MAX_NAMED], len(different) - _MAX_NAMED
    names = ", ".join(named) + f" and {rest:,} more" if rest > 0 else " and ".join([", ".join(named[:-1]), named[-1]])
    return f"{names} are not in the vocabulary: each is read as <unk>."
