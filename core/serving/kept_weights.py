"""Loads the weights a run kept at earlier steps into a second model, to translate and to probe with."""

from __future__ import annotations

import copy
from collections.abc import Callable, Generator, Sequence

from core.decoding.probed_sentences import SentenceToProbe
from core.errors import UserError
from core.events import ProbeDone, Trouble
from core.faults import as_trouble
from core.model.transformer import Transformer
from core.model.weights import load_weights
from core.run_files.documents import DamagedFile
from core.run_folder import RunFolder
from core.training.checkpoint import to_tensors
from core.training.probe import make_probe
from core.training.trainer import Trainer


class KeptWeights:
    """A second model for a trainer's run; it holds the weights that were asked for last."""

    def __init__(self, trainer: Trainer) -> None:
        self._trainer = trainer
        self._step = -1
        self._model: Transformer | None = None

    def at(self, folder: RunFolder, step: int) -> tuple[int, Transformer]:
        """The newest weights kept at or before a step, and their own step. Raises UserError if there are none."""
        nearest = nearest_kept_step(folder, step)
        if self._model is None:
            # A copy, not a new model: building one would draw from the run's random numbers.
            self._model = copy.deepcopy(self._trainer.model)
        if self._step != nearest:
            self._step = -1  # until all weights are loaded
            load_weights(self._model, to_tensors(folder.weights(nearest)))
            self._step = nearest
        return nearest, self._model

    def probe_again(
        self, folder: RunFolder, *, is_ours: Callable[[], bool]
    ) -> Generator[ProbeDone | Trouble | None, None, None]:
        """Probe again every step with a snapshot whose stored probe lacks a sentence, the newest first.

        Yields None between, and a Trouble for a damaged snapshot. Probes are stored only while the folder is ours: once
        a run ends, another process may take it at any moment.
        """
        trainer = self._trainer
        for step in reversed(folder.snapshot_steps()):
            yield None
            sentences = trainer.probe_sentences
            if step not in folder.snapshot_steps() or _has_all_sentences(folder, step, sentences):
                continue  # thinned meanwhile, or done
            try:
                _, model = self.at(folder, step)
            except DamagedFile as error:
                yield as_trouble(error)
                continue
            probe = make_probe(model, trainer.data, sentences, trainer.max_length, step)
            if is_stored := is_ours():
                folder.write_probe(probe)
            yield ProbeDone(probe=probe, is_stored=is_stored)


def nearest_kept_step(folder: RunFolder, step: int) -> int:
    """The newest step at or before this one whose weights are kept. Raises UserError if there is none."""
    kept = [known for known in folder.kept_steps() if known <= step]
    if not kept:
        raise UserError(f"No weights are kept at or before step {step}.", "Choose a later step.")
    return kept[-1]


def _has_all_sentences(folder: RunFolder, step: int, sentences: Sequence[SentenceToProbe]) -> bool:
    if step not in folder.probe_steps():
        return False
    try:
        return {one.source for one in sentences} <= {one.source for one in folder.probe(step).sentences}
    except DamagedFile:  # a new one takes its place
        return False
