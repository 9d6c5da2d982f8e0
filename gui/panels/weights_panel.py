"""The typed sentence by two sets of weights: those that are chosen above, and others below."""

from __future__ import annotations

from core.events import Event
from core.history import History
from core.requests import Translation
from gui.asked import Asked
from gui.bridge import EngineBridge
from gui.output_place import OutputPlace
from gui.panel import Panel, Table
from gui.panels.track_canvas import TrackArea, TrackCanvas
from gui.playhead import Playhead
from gui.theme import GRID, Theme
from gui.tracks import Track, said_of_fed, said_of_weights, table_of, track_of
from gui.typed_sentence import TypedSentence, Weights, step_of
from gui.weights_combo import WeightsCombo
from gui.widgets import plain_label


class WeightsPanel(Panel):
    """Asks for the second translation whenever the first is another one, while it is looked at."""

    title = "By two weights"
    empty_sentence = "The same sentence by other weights appears here once there is a translation."
    is_picture = True
    redraw_on: tuple[type[Event], ...] = ()  # its view marks it when there is another translation

    def __init__(
        self, theme: Theme, typed: TypedSentence, place: OutputPlace, bridge: EngineBridge, playhead: Playhead
    ) -> None:
        super().__init__(theme)
        self._typed, self._place, self._playhead = typed, place, playhead
        self.asked: Asked[tuple[Translation, ...]] = Asked(bridge, self.mark_dirty)
        self.weights: Weights = 0
        self.weights_combo = WeightsCombo()
        self.verdict_label = plain_label()
        self.verdict_label.setWordWrap(True)
        self.verdict_label.setAccessibleName("What the comparison shows")
        self.canvas = TrackCanvas(theme)
        self.content = self.canvas  # what is exported: all of it, however little is seen
        self._area = TrackArea(self.canvas)
        self.weights_combo.setAccessibleName("Other weights")
        self.header.addWidget(plain_label("other weights", role="muted"))
        self.header.addWidget(self.weights_combo)
        self.body.setSpacing(GRID)
        self.body.addWidget(self.verdict_label)
        self.body.addWidget(self._area)
        self.body.addStretch(1)
        self.weights_combo.chosen.connect(self._choose)
        self.canvas.pointed.connect(place.go_to)
        place.moved.connect(self._show_place)

    def show_step(self, history: History, step: int) -> None:
        """Draw both translations, the second asked for where it is another one."""
        self.weights_combo.show_history(history, self.weights)
        translation = self._typed.translation
        if translation is None:
            self.show_empty()
            return
        other = step_of(self.weights, history, self._playhead)
        request = self._typed.request(other)
        newest = history.last_step if other is None else 0  # weights of this moment are others after each step
        self.asked.want((request, newest, id(history.prepared)), request)
        if self.asked.answer is None:
            self.show_empty(self.asked.refusal or "The engine is translating …")
        else:
            self.show_body()
            self._draw(translation, self.asked.answer[0])

    def numbers(self) -> Table:
        """A line for each track and place."""
        return table_of(self.canvas.tracks)

    def _draw(self, one: Translation, other: Translation) -> None:
        self.verdict_label.setFont(self.theme.token_font())
        free, fed = (_free(one), _free(other)), (_fed(one), _fed(other))
        verdict = said_of_weights(*free)
        both_fed = tuple(track for track in fed if track is not None)
        if len(both_fed) == 2:
            verdict += f" {said_of_fed(*both_fed)}"
        self.verdict_label.setText(verdict)
        self.canvas.show_tracks((*free, *both_fed), verdict)
        self._show_place()

    def _choose(self, weights: Weights) -> None:
        self.weights = weights
        self.mark_dirty()

    def _show_place(self) -> None:
        self._area.canvas.show_place(self._place.place)
        self._area.fit()


def _free(translation: Translation) -> Track:
    assert translation.sentence is not None
    return track_of(f"step {translation.step:,}", translation.sentence.free_running)


def _fed(translation: Translation) -> Track | None:
    assert translation.sentence is not None
    feed = translation.sentence.by_reference
    return None if feed is None else track_of(f"step {translation.step:,}, fed", feed)
