"""The typed sentence teacher-forced and free-running, one above the other, and where they first differ."""

from __future__ import annotations

from core.answers.translation import Translation
from core.history import History
from core.probes import ProbedSentence
from gui.panel import Panel, Table
from gui.panels.translation.track_canvas import TrackCanvas, TrackScrollArea
from gui.sentences.divergence import NOT_A_NUMBER, has_diverged
from gui.sentences.output_position import OutputPosition
from gui.sentences.tracks import Track, describe_reference_difference, track_from_feed, tracks_table
from gui.sentences.typed_sentence import TypedSentence
from gui.theme import Theme
from gui.widgets.labels import wrapping_label
from gui.widgets.token_font import TokenFont

_NO_REFERENCE = "Type the right answer beside the sentence, and the model is also fed with it: a second track."


class TwoTracks(Panel):
    """Draws the newest translation; without a reference, only the free-running track."""

    title = "Teacher-forced and free-running"
    empty_sentence = "The output appears here, token by token, beside the one for the right answer."
    is_picture = True
    redraw_on = ()  # its view marks it when there is a new translation

    def __init__(self, theme: Theme, typed: TypedSentence, position: OutputPosition) -> None:
        super().__init__(theme)
        self._typed = typed
        self.verdict_label = wrapping_label("What the comparison shows")
        TokenFont(theme, self.verdict_label)
        self.canvas = TrackCanvas(theme)
        self.content = self.canvas  # exported whole, even the part scrolled out of view
        self._area = TrackScrollArea(self.canvas, position)
        self.body.addWidget(self.verdict_label)
        self.body.addWidget(self._area)

    def show_step(self, history: History, step: int) -> None:
        """Show the newest translation, whatever step its weights are from."""
        translation = self._typed.translation
        if translation is None or translation.sentence is None:
            self.show_empty()
            return
        self.show_body()
        self.set_title(f"{self.title} · weights of step {translation.step:,}")
        tracks = tracks_of(translation)
        verdict = _verdict(translation.sentence, tracks)
        self.verdict_label.setText(verdict)
        self.canvas.show_tracks(tracks, verdict)
        self._area.show_position()

    def numbers(self) -> Table:
        """A row for each position of each track."""
        return tracks_table(self.canvas.tracks)


def _verdict(sentence: ProbedSentence, tracks: tuple[Track, ...]) -> str:
    if has_diverged(sentence.free_running):
        return NOT_A_NUMBER
    return describe_reference_difference(*tracks) if len(tracks) == 2 else _NO_REFERENCE


def tracks_of(translation: Translation) -> tuple[Track, ...]:
    """The teacher-forced track, if there is a reference, then the free-running one."""
    sentence = translation.sentence
    assert sentence is not None
    free = track_from_feed("free after your choice" if translation.prefix else "free-running", sentence.free_running)
    if sentence.by_reference is None:
        return (free,)
    return track_from_feed("teacher-forced", sentence.by_reference), free
