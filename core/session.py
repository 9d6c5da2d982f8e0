"""What the engine's thread holds: prepared data, a trainer, its run's folder; and what each request does with them."""

from __future__ import annotations

import contextlib
import dataclasses
import shutil
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from core.config import RunConfig, change_setting
from core.data.preparation import prepare_data
from core.data.prepared_data import PreparedData
from core.decoding.translator import translate
from core.environment import environment
from core.errors import BrokenOff, UserError
from core.events import (
    EngineState,
    Event,
    FinishReason,
    Prepared,
    ProbeDone,
    RunFinished,
    RunStarted,
    SettingChanged,
    StateChanged,
    StepsDone,
    Trouble,
    ValidationDone,
)
from core.faults import as_trouble, not_written
from core.kept_weights import KeptWeights
from core.model.transformer import Transformer
from core.plugins_host.host import PluginError, PluginHost
from core.requests import (
    AddSentence,
    ChangeSetting,
    Evaluate,
    Evaluation,
    OpenRun,
    Prepare,
    Start,
    Translate,
    Translation,
)
from core.run_folder import RunFolder, refusing_to_write
from core.training.resolve import resolve
from core.training.trainer import Trainer

Work = Generator[Event | None, None, Any]

_GOOD_ENDS: tuple[FinishReason, ...] = ("max_steps", "early_stopping")


class Session:
    """One run at a time, from `prepare` or `open_run` on. Everything here happens in the engine's thread."""

    def __init__(self, emit: Callable[[Event], None], host: PluginHost, cache_dir: Path | None) -> None:
        self._tell = emit
        self._host = host
        self._cache_dir = cache_dir or user_cache_path("headlight") / "prepared"
        self._trainer: Trainer | None = None
        self._folder: RunFolder | None = None
        self._is_ours = False  # whether this process writes the folder
        self._changes: tuple[tuple[str, object], ...] = ()  # to make when an opened run goes on
        self._kept: KeptWeights | None = None
        self._last_metrics: dict[str, float] = {}
        self._validated_at, self._probed_at = -1, -1
        self.state: EngineState = "empty"
        self.background: Work | None = None

    @property
    def step(self) -> int:
        """The step the weights are of; 0 where nothing is there."""
        return self._trainer.step if self._trainer is not None else 0

    @property
    def has_model(self) -> bool:
        """Whether there is something to translate with."""
        return self._trainer is not None

    @property
    def is_anything_due(self) -> bool:
        """Whether something other than a step comes next in the learning."""
        return self._trainer is not None and self._trainer.is_anything_due

    # -- beginning ---------------------------------------------------------------------------------------------------

    def prepare(self, request: Prepare) -> Work:
        """Data, untrained model and its first probe; the run before is saved and left."""
        self._leave()
        self._become("preparing")
        data = yield from prepare_data(request.config.dataset, self._host, self._cache_dir)
        self._trainer = Trainer(resolve(request.config, data), data, self._host)
        prepared = self._prepared(self._trainer)
        yield prepared
        yield ProbeDone(probe=self._trainer.probe(), is_stored=False)
        self._become("ready")
        return prepared

    def start(self, request: Start) -> Path:
        """Make the run's folder."""
        trainer = self._require_trainer()
        if self._folder is not None:
            raise UserError(f"This run has begun already, in {self._folder.path}.", "Prepare again for a new one.")
        name = trainer.config.name
        folder = RunFolder.create_at(request.run_dir) if request.run_dir else RunFolder.create(request.runs_dir, name)
        with refusing_to_write(folder.path):
            self._write_documents(folder, trainer, request.parent)
        trainer.begin(folder)
        self._folder, self._is_ours = folder, True
        self._tell(RunStarted(run=folder.path, step=0))
        return folder.path

    def _write_documents(self, folder: RunFolder, trainer: Trainer, parent: str | None) -> None:
        try:
            folder.write_config(trainer.config)
            folder.write_vocabulary(trainer.data.vocabulary_document())
            folder.write_environment(environment(trainer.config, trainer.data.fingerprint))
            folder.update(parent=parent)
        except OSError:
            shutil.rmtree(folder.path)  # nothing has been learnt: better no run than half of one
            raise

    def open_run(self, request: OpenRun) -> Work:
        """A run's data and the weights of one of its checkpoints. Nothing is written before it goes on learning."""
        RunFolder.open(request.run.absolute()).checkpoint_step(request.checkpoint)  # or refuse, and leave nothing
        self._leave()
        self._become("preparing")
        data = yield from self._data_of(RunFolder.open(request.run.absolute()))
        # Opened anew: this or another process may have gone on with it meanwhile.
        folder = RunFolder.open(request.run.absolute())
        step = folder.checkpoint_step(request.checkpoint)
        trainer = Trainer(folder.config(), data, self._host)
        trainer.begin(folder)
        trainer.load_checkpoint(step)
        self._trainer, self._folder, self._changes = trainer, folder, request.changes
        prepared = self._prepared(trainer)
        yield prepared
        self._look_back()
        self._become("finished" if folder.state.state == "finished" else "paused")
        return prepared

    def _data_of(self, folder: RunFolder) -> Work:
        """The run's data prepared again; where its plugin cannot give the same, what its folder knows of it."""
        known = PreparedData.from_document(folder.vocabulary())
        try:
            data: PreparedData = yield from prepare_data(folder.config().dataset, self._host, self._cache_dir)
        except UserError as error:  # the plugin is gone or fails, or it no longer knows these options
            self._tell(Trouble(sentence=error.sentence, advice="The run can translate; it cannot go on learning."))
        else:
            if data.fingerprint == known.fingerprint:
                return data
            self._tell(
                Trouble(
                    sentence=f"The dataset {known.dataset.plugin!r} gives other pairs than when this run was trained.",
                    advice="The run can translate; it cannot go on learning.",
                )
            )
        return dataclasses.replace(known, num_pairs=dict.fromkeys(known.num_pairs, 0))

    def _prepared(self, trainer: Trainer) -> Prepared:
        data = trainer.data
        return Prepared(
            config=self._config(trainer),
            num_parameters=sum(parameter.numel() for parameter in trainer.model.parameters()),
            src_tokens=data.src_vocabulary.tokens,
            tgt_tokens=data.tgt_vocabulary.tokens,
            num_pairs=data.num_pairs,
            limits=data.limits,
            examples=data.examples,
            run=self._folder.path if self._folder is not None else None,
        )

    def _config(self, trainer: Trainer) -> RunConfig:
        """What holds now, with the changes that an opened run will write down when it goes on."""
        config = trainer.config
        for key, value in self._changes:
            config = change_setting(config, key, value)
        return config

    def abandoned(self) -> None:
        """A job was broken off: what it had begun to prepare is not there."""
        if self.state == "preparing":
            self._leave()
            self._become("empty")

    # -- learning ----------------------------------------------------------------------------------------------------

    def learn(self, steps: int | None) -> Work:
        """Begin or go on learning. The generator ends with the run, which is then finished or has failed."""
        trainer = self._require_trainer()
        stopped_early = self._folder is not None and self._folder.state.reason == "early_stopping"
        folder = self._take_over(trainer)
        if stopped_early:  # or the patience that ended it would end it again before its first step
            trainer.renew_patience()
        wanted = trainer.step + (steps or 0)
        if wanted > trainer.config.training.max_steps:
            self._tell(trainer.change("training.max_steps", wanted))
        folder.update(state="learning", reason=None)
        self._look_back()
        self._become("learning")
        return self._learn(trainer)

    def _take_over(self, trainer: Trainer) -> RunFolder:
        """Become the one who writes the run; of an opened one, cut off what came after its checkpoint."""
        if self._folder is None:
            raise UserError("This run has no folder yet.", "Start it first.")
        if not self._is_ours:
            self._folder.require_free()
            if trainer.step != self._folder.checkpoint_step("last"):
                raise UserError(
                    f"Only the last checkpoint can go on learning; this is the one of step {trainer.step}.",
                    "Open the run at its last checkpoint.",
                )
            if not any(size is None or size > 0 for size in trainer.data.num_pairs.values()):
                raise UserError("This run's training data is not at hand.", "Make its dataset plugin available again.")
            self._folder.claim()
            self._is_ours = True
            self.background = None  # it keeps nothing: `learn` begins it anew
            self._folder.cut_back_to(trainer.step)
            self._tell(RunStarted(run=self._folder.path, step=trainer.step))
            for key, value in self._changes:
                self._tell(trainer.change(key, value))
            self._changes = ()
        return self._folder

    def _learn(self, trainer: Trainer) -> Work:
        reason: FinishReason = yield from self._noting(trainer.run())
        yield from self._end(trainer, reason)

    def _end(self, trainer: Trainer, reason: FinishReason) -> Work:
        """Validate at the last step where that was not done, keep it, and say that it is over."""
        folder = self._require_folder()
        if reason in (*_GOOD_ENDS, "finished_by_user"):
            yield from self._noting(trainer.flush())
            self._probe_here(trainer)
            if self._validated_at != trainer.step:
                done = yield from self._noting(trainer.validate())
                self._note(done)
                yield done
            yield trainer.save_checkpoint()
            folder.release("finished", reason)
            self._become("finished")
        else:
            folder.release("failed", reason)
            self._become("failed")
        self._is_ours = False
        self._tell(RunFinished(run=folder.path, step=trainer.step, reason=reason, metrics=self._last_metrics))

    def _noting(self, work: Work) -> Work:
        """Pass on what the trainer yields, and remember the figures for the end."""
        with contextlib.closing(work):
            while True:
                try:
                    event = next(work)
                except StopIteration as end:
                    return end.value
                if event is not None:
                    self._note(event)
                yield event

    def _note(self, event: Event) -> None:
        if isinstance(event, ProbeDone):
            self._probed_at = event.probe.step
        elif isinstance(event, ValidationDone):
            self._validated_at = event.step
            self._last_metrics |= event.metrics
        elif isinstance(event, StepsDone):
            self._last_metrics |= {name: float(values[-1]) for name, values in event.arrays.items() if name != "time"}

    def pause(self, _: object = None, *, with_probe: bool = False) -> int:
        """Stand still between two steps; after single steps, with a probe of what they did."""
        trainer = self._require_trainer()
        if self.state == "learning":
            try:
                self.flush()
                if with_probe:
                    self._probe_here(trainer)
                self._require_folder().update(state="paused")
            except OSError as error:
                raise self.failed(error) from error
            self._become("paused")
        return trainer.step

    def failed(self, error: Exception) -> Exception:
        """Learning broke off, or ending the run did: stand still between two steps, from where it can go on.

        Tells whoever watches, and answers what to tell the one who asked.
        """
        told = self.in_words(error)
        if self.state != "learning":
            return told
        trainer, folder = self._require_trainer(), self._require_folder()
        if isinstance(told, UserError):
            self._tell(as_trouble(told))
            told = BrokenOff(told.sentence, told.advice)
        self._become("paused")
        reason: FinishReason | None = (
            "disk" if isinstance(error, OSError) else "plugin" if isinstance(error, PluginError) else None
        )
        if reason is not None:
            self._tell(RunFinished(run=folder.path, step=trainer.step, reason=reason, metrics=self._last_metrics))
        return told

    def in_words(self, error: Exception) -> Exception:
        """An OSError of the run's folder is no fault of ours, but a full disk."""
        if isinstance(error, OSError) and self._folder is not None:
            return not_written(error, self._folder.path)
        return error

    def _probe_here(self, trainer: Trainer) -> None:
        """Where steps end, show and keep what they led to, whichever steps are probed besides."""
        if self._probed_at != trainer.step:
            probe = trainer.probe()
            self._require_folder().write_probe(probe)
            self._probed_at = trainer.step
            self._tell(ProbeDone(probe=probe))

    def finish(self, _: object) -> Work:
        """End the run here; answers its folder, None where none has begun."""
        trainer = self._require_trainer()
        if self._folder is None or not self._is_ours:
            return None
        yield from self._end(trainer, "finished_by_user")
        return self._folder.path

    def stop(self) -> Path | None:
        """Save at once and leave the run to be resumed; answers its folder, None where nothing is being written."""
        trainer, folder = self._trainer, self._folder
        if trainer is None or folder is None or not self._is_ours:
            return None
        try:
            self.flush()
            if trainer.has_diverged:
                self._tell_all(self._learn(trainer))  # takes no step: the run ends where it diverged
                return folder.path
            trainer.save_checkpoint()
            folder.release("stopped", "stopped")
        except OSError as error:
            raise self.failed(error) from error
        self._is_ours = False
        self._become("paused")
        self._tell(RunFinished(run=folder.path, step=trainer.step, reason="stopped", metrics=self._last_metrics))
        return folder.path

    def close(self) -> None:
        """Save, and end what reads ahead."""
        try:
            self._leave()
        finally:
            self._end_reading_ahead()

    def _leave(self) -> None:
        self._disown_if_gone()
        self.stop()
        self._end_reading_ahead()
        self._trainer, self._folder, self._kept, self.background = None, None, None, None
        self._last_metrics, self._validated_at, self._probed_at, self._changes = {}, -1, -1, ()

    def _disown_if_gone(self) -> None:
        """A run whose folder was removed has nowhere to be saved to; that must not keep us from another run."""
        if self._is_ours and self._folder is not None and not (self._folder.path / "config.yaml").exists():
            self._is_ours = False
            self._tell(Trouble(sentence=f"{self._folder.path} is gone; its last steps could not be saved."))

    def _end_reading_ahead(self) -> None:
        if self._trainer is not None:
            self._trainer.close()

    def flush(self) -> None:
        """Keep and tell what the last steps measured."""
        self._tell_all(self._noting(self._require_trainer().flush()))

    def _tell_all(self, work: Work) -> None:
        for event in work:
            if event is not None:
                self._tell(event)

    # -- looking -----------------------------------------------------------------------------------------------------

    def translate(self, request: Translate) -> tuple[Translation, ...]:
        """Translate with the weights of now, or with those kept at or before a step."""
        trainer = self._require_trainer()
        step, model = self._weights_at(trainer, request.step)
        decoding = self._config(trainer).decoding
        return translate(model, trainer.data, decoding, request.texts, step, request.with_attention)

    def evaluate(self, request: Evaluate) -> Work:
        """Measure a whole split; answers an Evaluation."""
        self._require_folder()
        if request.split not in ("valid", "test"):
            raise UserError(f"There is no split {request.split!r} to evaluate.", "Choose valid or test.")
        evaluation: Evaluation = yield from self._require_trainer().evaluate(request.split)
        return evaluation

    def change_setting(self, request: ChangeSetting) -> None:
        """Change what acts from the next step on; of a run that nobody writes, once it goes on."""
        trainer, _ = self._require_trainer(), self._require_folder()
        if self._is_ours:
            self._tell(trainer.change(request.key, request.value))
        else:
            trainer.require_changeable(request.key, request.value)
            self._changes = (*self._changes, (request.key, request.value))
            self._tell(SettingChanged(step=trainer.step, key=request.key, value=request.value))

    def add_sentence(self, request: AddSentence) -> None:
        """Probe this sentence too: now, from now on, and in the background with every kept weight."""
        trainer = self._require_trainer()
        trainer.add_sentence(request.source)
        probe = trainer.probe()
        if self._folder is not None and self._is_ours:
            self._folder.write_probe(probe)  # first: who is told of a step may read it again later
        self._tell(ProbeDone(probe=probe, is_stored=self._is_ours))
        self.background = None
        self._look_back()

    def _look_back(self) -> None:
        """Where sentences were added, probe them in the background with every kept weight that has not seen them."""
        trainer, folder = self._require_trainer(), self._folder
        has_added = any(sentence.reference is None for sentence in trainer.probe_sentences)
        if folder is not None and has_added and self.background is None:
            self.background = self._kept_weights(trainer).probe_again(folder, write=self._is_ours)

    def _weights_at(self, trainer: Trainer, step: int | None) -> tuple[int, Transformer]:
        if step is None or step >= trainer.step:
            return trainer.step, trainer.model
        return self._kept_weights(trainer).at(self._require_folder(), step)

    def _kept_weights(self, trainer: Trainer) -> KeptWeights:
        self._kept = self._kept or KeptWeights(trainer)
        return self._kept

    # -- saying ------------------------------------------------------------------------------------------------------

    def log(self, text: str) -> None:
        """Note something in the run's log, where there is a run."""
        if self._folder is not None and self._is_ours:
            with contextlib.suppress(OSError):  # the disk is full: whoever watches was told already
                self._folder.log(text)

    def _become(self, state: EngineState) -> None:
        self.state = state
        self.log(f"{state} at step {self.step}")
        self._tell(StateChanged(state=state, step=self.step))

    def _require_trainer(self) -> Trainer:
        if self._trainer is None:
            raise UserError("Nothing is prepared yet.", "Choose a preset or open a run first.")
        return self._trainer

    def _require_folder(self) -> RunFolder:
        if self._folder is None:
            raise UserError("This run has not begun: nothing of it is kept yet.", "Press Learn first.")
        return self._folder
