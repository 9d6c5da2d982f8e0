"""The typed sentence and its newest translation: the model behind the Translate view."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject, QTimer, Signal

from core.answers.translation import Translation
from core.errors import UserError
from core.events import (
    CheckpointSaved,
    Event,
    ProbeDone,
    SettingChanged,
    SnapshotSaved,
    StateChanged,
    ValidationDone,
)
from core.history import History
from core.requests import Translate
from gui.bridge import EngineBridge
from gui.playhead import Playhead
from gui.sentences.cooldown import Cooldown
from gui.sentences.known_reference import known_reference
from gui.sentences.probed_translation import probed_translation
from gui.sentences.shown_sentence import NothingShown, Shown, ShownSentence

Weights = Literal["playhead", "now", "best", "last"] | int  # a number means the weights kept at that step
THROTTLE_MS = 250  # between two translations while the playhead is dragged
_REFRESHING_EVENTS = (ProbeDone, StateChanged, CheckpointSaved, SnapshotSaved, ValidationDone)


class TypedSentence(QObject):
    """Translates the typed text, and translates it again when the weights that were chosen have changed.

    It translates again only while watched. A translation that a probe has is used at once. Otherwise the one before
    must have come back first; then it asks at once if the user chose other weights, and after a cooldown if the model
    has only learned further.
    """

    changed = Signal()  # translation or error

    def __init__(self, bridge: EngineBridge, playhead: Playhead) -> None:
        super().__init__()
        self.text = ""
        self.reference: str | None = None  # None: the one that the run knows, if any
        self.prefix: tuple[str, ...] = ()  # tokens that the user has the output begin with
        self.weights: Weights = "playhead"
        self.translation: Translation | None = None
        self.error: UserError | None = None
        self._bridge, self._playhead = bridge, playhead
        self.requested_step: int | None = None  # the step of the newest question; None: the current weights
        self.translated_step: int | None = None  # the step that `translation` was asked for; the same
        self._query_number = self._answered_number = 0  # numbers of the newest question and of the newest answered one
        self.is_user_waiting = False  # whether the user, not the training, caused the newest question
        self._requested_choice: Hashable = None
        self._is_watched = False
        self._cooldown = Cooldown(bridge, self)
        self._cooldown.ended.connect(self._refresh)
        self._throttle = QTimer(self, singleShot=True, interval=THROTTLE_MS)
        self._throttle.timeout.connect(self._refresh)
        bridge.drained.connect(self._handle_events)
        bridge.prepared.connect(self._handle_model_changed)
        bridge.run_forgotten.connect(self._handle_model_changed)
        playhead.moved.connect(self._refresh)

    def translate(self, text: str, reference: str | None = None) -> None:
        """Translate this text now, with the chosen weights."""
        self._set_text(text, reference)
        self._ask()

    def set_text(self, text: str) -> None:
        """Translate this text as soon as it is watched."""
        self._set_text(text, None)
        self._reset()

    def continue_from(self, prefix: tuple[str, ...]) -> None:
        """Have the output begin with these tokens and the model continue; with none, have it write everything."""
        self.prefix = prefix
        self._ask()

    def choose_weights(self, weights: Weights) -> None:
        """Translate with other weights from now on."""
        self.weights = weights
        if self.text:
            self._ask()

    def watch(self, is_watched: bool) -> None:
        """Translate again only while this is True: nobody sees it otherwise."""
        self._is_watched = is_watched
        self._refresh()

    @property
    def is_pending(self) -> bool:
        """Whether the newest question has yet to be answered."""
        return self._query_number != self._answered_number

    @property
    def pending_reason(self) -> str:
        """Why there is no translation of the text yet; empty if none is coming."""
        if self.is_pending:
            return "Translating …"
        is_preparing = self.error is None and self._bridge.state in ("starting", "preparing")
        return "It will be translated once data and model are ready." if self.text and is_preparing else ""

    def shown(self, history: History, step: int) -> Shown:
        """The free-running translation as a source for attention panels; its step is that of its weights."""
        if self.translation is None or self.translation.sentence is None:
            return NothingShown()
        return ShownSentence(replace(self.translation.sentence, by_reference=None), self.translation.step)

    def request(self, step: int | None, run: Path | None = None) -> Translate:
        """The request for the weights of a step (None: the current ones), or of another run (None: its best)."""
        known = known_reference(self._bridge.history, self.text) if self.reference is None else self.reference
        return Translate(
            texts=(self.text,),
            step=step,
            with_attention=True,
            prefix=self.prefix,
            references=(known or None,),
            run=run,
        )

    @property
    def choice(self) -> Hashable:
        """Which weights the user chose, whatever step they are from now."""
        return choice_of(self.weights, self._playhead)

    def wanted_step(self) -> int | None:
        """The step of the chosen weights; None for the current ones."""
        return step_of(self.weights, self._bridge.history, self._playhead)

    def _set_text(self, text: str, reference: str | None) -> None:
        self.text, self.reference, self.prefix = text, reference, ()

    def _is_stale(self) -> bool:
        wanted = self.wanted_step()
        if wanted != self.requested_step:
            return True
        if self.translation is None:
            return self.error is None
        return wanted is None and self.translation.step != self._bridge.history.last_step

    def _handle_events(self, events: list[Event]) -> None:
        if any(isinstance(event, SettingChanged) and event.key.startswith("decoding.") for event in events):
            self._retranslate()
        elif any(isinstance(event, _REFRESHING_EVENTS) for event in events):
            self._refresh()

    def _retranslate(self) -> None:
        """Translate again with changed decoding settings; while watched, the old output stays until then."""
        if self._is_watched and self.text:
            self._ask()
        else:
            self._reset()

    def _refresh(self) -> None:
        """Translate again if the chosen weights have changed."""
        if not (self._is_watched and self.text and self._bridge.state != "preparing" and self._is_stale()):
            return
        is_another = self.translation is None or self.choice != self._requested_choice
        has_rested = not self._throttle.isActive() if is_another else self._cooldown.is_over
        if (has_rested and not self.is_pending) or self._from_probe() is not None:
            if is_another:
                self._throttle.start()
            self._ask(is_user_waiting=is_another)

    def _from_probe(self) -> Translation | None:
        """The translation with the chosen weights, if a probe has it."""
        return probed_translation(self.request(self.wanted_step()), self.translation, self._bridge.history)

    def _handle_model_changed(self) -> None:
        """Another model, or none: drop the old translation, and a choice of checkpoint or step of the old run."""
        if self.weights != "now":
            self.weights = "playhead"
        self.prefix = ()
        self._reset()

    def _reset(self) -> None:
        """Drop the translation, and ignore an answer under way."""
        self._query_number += 1
        self._answered_number = self._query_number
        self.translation = self.error = None
        self.changed.emit()
        self._refresh()

    def _ask(self, *, is_user_waiting: bool = True) -> None:
        self._query_number += 1
        self.requested_step, question = self.wanted_step(), self._query_number
        self.is_user_waiting, self._requested_choice = is_user_waiting, self.choice
        if (probed := self._from_probe()) is not None:
            self._handle_answer(question, probed, None)
            return
        self._bridge.ask(
            self.request(self.requested_step),
            lambda translations: self._handle_answer(question, translations[0], None),
            lambda error: self._handle_answer(question, None, error),
            lambda: self._handle_cancelled(question),
        )

    def _handle_cancelled(self, question: int) -> None:
        """Something else was asked of the engine, and the model may still be there: ask again."""
        if question == self._query_number:
            self._ask(is_user_waiting=self.is_user_waiting)

    def _handle_answer(self, question: int, translation: Translation | None, error: Exception | None) -> None:
        if question != self._query_number:
            return
        self._answered_number = question
        self._cooldown.start(translation)
        if self._throttle.isActive():
            self._throttle.start()  # counted from the answer, or a slow engine would only translate
        self.translation, self.translated_step = translation, self.requested_step
        self.error = error if isinstance(error, UserError) else None
        if error is not None and self.error is None:
            self._bridge.report(error)
        self.changed.emit()
        if self.wanted_step() != self.requested_step:  # the playhead was dragged on meanwhile
            self._refresh()


def choice_of(weights: Weights, playhead: Playhead) -> Hashable:
    """What identifies this choice of weights; the step it means may change as the model learns."""
    return weights if weights != "playhead" or playhead.is_live else playhead.step


def step_of(weights: Weights, history: History, playhead: Playhead) -> int | None:
    """The step of these weights; None for the current ones."""
    match weights:
        case "playhead":
            return None if playhead.is_live else playhead.step
        case "now":
            return None
        case "best":
            return max(history.best_steps, default=None)
        case "last":
            return max(history.checkpoint_steps, default=None)
        case step:
            return step
