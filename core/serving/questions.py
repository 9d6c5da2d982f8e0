"""Answers questions about the current run without training it: translations, evaluations, added sentences."""

from __future__ import annotations

from collections.abc import Callable

from core.answers.anatomy import DotProduct, Masks
from core.answers.beam_tree import BeamTree
from core.answers.head_ablation import HeadAblation
from core.answers.timed import timed
from core.answers.translation import Translation
from core.data.prepared_data import PreparedData
from core.decoding.decode import longest_output
from core.decoding.dissection import dissect_head, make_masks
from core.decoding.search_beam import search_beam
from core.decoding.translate import translate
from core.decoding.typed_text import encode_text
from core.errors import UserError
from core.events import Event, ProbeDone
from core.faults import as_trouble
from core.model.transformer import Transformer
from core.requests import (
    AddSentence,
    DissectHead,
    Evaluate,
    FindUnreadable,
    LeaveOutHeads,
    MakeMasks,
    SearchBeam,
    Translate,
)
from core.serving.current_run import CurrentRun
from core.serving.failures import as_user_error
from core.serving.job import Work
from core.serving.kept_weights import KeptWeights
from core.serving.other_runs import OtherRuns
from core.settings.overriding import change_settings
from core.training.head_ablation import leave_out_heads


class Questions:
    """Answers questions about one run. `background` is work to do whenever there is time; None if there is none."""

    def __init__(self, run: CurrentRun, emit: Callable[[Event], None]) -> None:
        self.background: Work | None = None
        self._run = run
        self._emit = emit
        self._kept_weights = KeptWeights(run.trainer)
        self._other_runs = OtherRuns()

    @timed
    def translate(self, request: Translate) -> tuple[Translation, ...]:
        """Translate with the current weights, with those kept at or before a step, or with another run's."""
        self._require_beam(request)
        step, model, data = self._model_of(request)
        return translate(model, data, request, decoding=self._run.config.decoding, step=step)

    def find_unreadable(self, request: FindUnreadable) -> tuple[int, str] | None:
        """The place of the first of these texts that `translate` would refuse, and why; None if there is none."""
        for index, text in enumerate(request.texts):
            try:
                encode_text(self._run.trainer.model, self._run.trainer.data, text)
            except UserError as error:
                return index, str(error)
        return None

    def _model_of(self, request: Translate) -> tuple[int, Transformer, PreparedData]:
        if request.run is not None:
            return self._other_runs.at(request.run, request.step)
        step, model = self._weights_at(request.step)
        return step, model, self._run.trainer.data

    @timed
    def search_beam(self, request: SearchBeam) -> BeamTree:
        """Record a beam search, with the current weights or with those kept at or before a step."""
        settings = {"decoding.beam_size": request.beam_size, "decoding.length_penalty": request.length_penalty}
        decoding = change_settings(self._run.config, settings).decoding  # refuses what the settings would refuse
        step, model = self._weights_at(request.step)
        data = self._run.trainer.data
        longest = longest_output(decoding, data)
        return search_beam(model, data, request, max_length=longest, step=step)

    @timed
    def dissect_head(self, request: DissectHead) -> DotProduct:
        """Take one head apart, with the current weights or with those kept at or before a step."""
        step, model = self._weights_at(request.step)
        trainer = self._run.trainer
        return dissect_head(model, trainer.data, request, max_length=trainer.max_length, step=step)

    @timed
    def leave_out_heads(self, request: LeaveOutHeads) -> HeadAblation:
        """Compare the model with and without some heads, with the current weights or those kept at or before a step."""
        step, model = self._weights_at(request.step)
        trainer = self._run.trainer
        return leave_out_heads(model, trainer.data, request, max_length=trainer.max_length, step=step)

    @timed
    def make_masks(self, request: MakeMasks) -> Masks:
        """The masks of one target."""
        trainer = self._run.trainer
        return make_masks(trainer.model, trainer.data, request.target, request.num_padding)

    def _weights_at(self, step: int | None) -> tuple[int, Transformer]:
        trainer = self._run.trainer
        if step is None or step >= trainer.step:
            return trainer.step, trainer.model
        return self._kept_weights.at(self._run.require_folder(), step)

    def evaluate(self, request: Evaluate) -> Work:
        """Evaluate a whole split; returns an Evaluation."""
        self._run.require_folder()
        if request.split not in ("valid", "test"):
            raise UserError(f"There is no split {request.split!r} to evaluate.", "Choose valid or test.")
        self._require_beam(request)
        decoding = self._run.config.decoding
        return (yield from self._run.trainer.evaluate(request.split, decoding, minimum_risk=request.minimum_risk))

    def _require_beam(self, request: Evaluate | Translate) -> None:
        if request.minimum_risk and self._run.config.decoding.beam_size == 1:
            raise UserError("Minimum risk has nothing to choose from with a beam of one.", "Set a larger --beam-size.")

    def add_sentence(self, request: AddSentence) -> None:
        """Probe this sentence too: now, in every later probe, and in the background with all snapshots."""
        trainer, folder, is_ours = self._run.trainer, self._run.folder, self._run.is_ours
        trainer.add_sentence(request.source)
        probe = trainer.probe()
        if folder is not None and is_ours:
            folder.write_probe(probe)  # first: who gets the event may read it from there
        self._emit(ProbeDone(probe=probe, is_stored=is_ours))
        self.backfill_probes()

    def backfill_probes(self) -> None:
        """If sentences were added, probe them in the background with all snapshots whose probes lack them."""
        trainer, folder = self._run.trainer, self._run.folder
        has_added = any(sentence.reference is None for sentence in trainer.probe_sentences)
        if folder is not None and has_added:
            self.background = self._kept_weights.probe_again(folder, is_ours=lambda: self._run.is_ours)

    def advance_background(self) -> Event | None:
        """Do one piece of the background work. An error is returned as an event, and ends it."""
        assert self.background is not None
        event: Event | None = None
        try:
            return next(self.background)
        except StopIteration:
            pass
        except Exception as error:
            event = as_trouble(as_user_error(error, self._run))
        self.background = None
        return event
