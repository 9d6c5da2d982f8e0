"""What each request does with the current run, and the engine's state."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path

from core.data.cache_folder import CacheFolder
from core.data.preparation import prepare_data
from core.errors import NothingPrepared, UserError, WorkAborted
from core.events import (
    GOOD_ENDS,
    EngineState,
    Event,
    FinishReason,
    ProbeDone,
    Progress,
    StateChanged,
    Trouble,
)
from core.faults import as_trouble
from core.plugins_host.host import PluginHost
from core.requests import Branch, Evaluate, MoveRun, OpenRun, Prepare, Start
from core.run_files.runs_dir import is_gone
from core.run_folder import RunFolder
from core.serving.branching import make_branch_folder, make_branch_trainer, read_starting_checkpoint
from core.serving.current_run import CurrentRun
from core.serving.failures import as_user_error, finish_reason
from core.serving.job import Work
from core.serving.moving import copy_to_new_folder
from core.serving.new_folder import create_run_folder
from core.serving.opening import open_trainer, prepare_run_data, recorded_data
from core.serving.questions import Questions
from core.serving.shadowed_plugins import require_known_options
from core.settings.branch_changes import immediate_changes
from core.training.auto_precision.choice import choose_precision
from core.training.memory import release_cached_memory
from core.training.resolve import resolve
from core.training.trainer import Trainer


class Session:
    """Has one run at a time, from `prepare` or `open_run` on. Everything here runs in the engine's thread."""

    def __init__(self, emit: Callable[[Event], None], host: PluginHost, cache_dir: Path | None) -> None:
        self._emit = emit
        self._host = host
        self._cache = CacheFolder(cache_dir, emit)
        self._run: CurrentRun | None = None
        self._questions: Questions | None = None
        self._must_reload_plugins = False
        self.state: EngineState = "empty"

    @property
    def run(self) -> CurrentRun:
        """The current run. Raises NothingPrepared if there is none."""
        if self._run is None:
            raise NothingPrepared
        return self._run

    @property
    def questions(self) -> Questions:
        """Answers questions about the current run. Raises NothingPrepared if there is none."""
        if self._questions is None:
            raise NothingPrepared
        return self._questions

    @property
    def has_model(self) -> bool:
        """Whether there is a model to translate with."""
        return self._run is not None

    @property
    def has_diverged(self) -> bool:
        """Whether the current run can take no further step. Waits for the device."""
        return self._run is not None and self._run.trainer.has_diverged

    @property
    def step(self) -> int:
        """The step of the current weights; 0 if there are none."""
        return self._run.trainer.step if self._run is not None else 0

    @property
    def is_anything_due(self) -> bool:
        """Whether training has something other than a step to do next."""
        return self._run is not None and self._run.trainer.is_anything_due

    @property
    def background(self) -> Work | None:
        """Work to do whenever there is time."""
        return self._questions.background if self._questions is not None else None

    # -- beginning ---------------------------------------------------------------------------------------------------
    # The first piece of each is a check, which may refuse. Until then the current run trains on; then it is left.

    def prepare(self, request: Prepare) -> Work:
        """Prepare the data, the untrained model and its first probe; the previous run is saved and left."""
        yield None  # nothing to check
        self._begin_preparing()
        data = yield from prepare_data(request.config.dataset, self._host, self._cache.path())
        if request.config.model.tie_embeddings == "all":  # only a new run has a choice
            data.require_shared_vocabulary()
        config, picked = yield from choose_precision(resolve(request.config, data), request.config.training, data)
        yield Progress(stage="building the model", done=0, total=None)
        run = self._set_run(CurrentRun(Trainer(config, data, self._host), self._emit, picked=picked))
        prepared = run.prepared_event()
        yield prepared
        yield ProbeDone(probe=run.trainer.probe(), is_stored=False)
        self._set_state("ready")
        return prepared

    def start(self, request: Start) -> Path:
        """Make the run's folder."""
        if self.run.folder is not None:
            raise UserError(f"This run has begun already, in {self.run.folder.path}.", "Prepare again for a new one.")
        folder = create_run_folder(request, self.run.trainer, self.run.picked)
        self.run.begin(folder)
        return folder.path

    def move_run(self, request: MoveRun) -> Path:
        """Move the run whose folder cannot be written. A checkpoint shows at once that the new folder can be."""
        run, old = self.run, self.run.require_folder()
        if not run.is_ours:
            run.require_resumable()
        if self.state == "learning":  # no more steps are taken, whether or not the move succeeds
            with contextlib.suppress(OSError):  # that is why it moves
                old.update(state="paused")
            self._set_state("paused")
        folder = copy_to_new_folder(old, request.runs_dir, run.trainer, run.picked, self._emit)
        if run.is_ours:
            with contextlib.suppress(OSError):  # that is why it moves
                old.release("stopped", "disk")
        run.begin(folder)
        self._set_state("paused")
        run.flush()
        if not run.trainer.has_diverged:
            self._emit(run.trainer.save_checkpoint())
        folder.update(state="paused")
        return folder.path

    def open_run(self, request: OpenRun) -> Work:
        """Open a run: its data and the weights of one of its checkpoints. Nothing is written before it trains on."""
        folder = RunFolder.open(request.run.absolute())
        folder.checkpoint_step(request.checkpoint)
        if folder.state.is_shared and (request.dataset_options or request.purpose == "evaluate"):
            raise UserError(
                f"{folder.path.name} is a shared run, as `export` makes them: "
                "weights, settings and vocabularies, opened without the dataset.",
                "Ask for the run that it was made from, where the dataset is.",
            )
        yield None  # checked, and not refused
        self._begin_preparing()
        folder = RunFolder.open(request.run.absolute())
        if folder.state.is_shared or request.purpose == "translate":
            data = recorded_data(folder)  # all that translation needs; a changed corpus would take minutes to prepare
        else:
            options = dict(request.dataset_options)
            cache = self._cache.path()
            data = yield from prepare_run_data(folder, self._host, cache, self._emit, options, request.purpose)
        # Opened again: this or another process may have trained it meanwhile.
        folder = RunFolder.open(request.run.absolute())
        trainer = open_trainer(request, folder, data, self._host, self._emit)
        _require_changeable(trainer, request.changes)
        prepared = self._set_run(CurrentRun(trainer, self._emit, folder, request.changes)).prepared_event()
        yield prepared
        self.questions.backfill_probes()
        self._set_state("finished" if folder.state.state == "finished" else "paused")
        return prepared

    def branch(self, request: Branch) -> Work:
        """Begin a new run at a step of another, perhaps of the current one: what was kept is read before that is left.

        Changes to the current run that are not written down yet, since it has not gone on, are taken along.
        """
        run = RunFolder.open(request.run.absolute())
        checkpoint = read_starting_checkpoint(request, run)
        require_known_options(run, self._host)
        yield None  # checked, and not refused
        current = self._run if self._run is not None and self._run.is_in(run.path) else None
        changes = (*(current.pending_changes if current is not None else ()), *immediate_changes(request.changes))
        sentences = current.trainer.probe_sentences if current is not None and not current.is_ours else ()
        del current  # its model's memory is needed
        self._begin_preparing()
        run = RunFolder.open(run.path)
        data = yield from prepare_run_data(run, self._host, self._cache.path(), self._emit)
        trainer = make_branch_trainer(request, checkpoint, run, data, self._host, self._emit)
        _require_changeable(trainer, changes)
        for sentence in sentences:
            trainer.add_sentence(sentence.source)
        folder = yield from make_branch_folder(request, run, trainer)
        prepared = self._set_run(CurrentRun(trainer, self._emit, folder, changes)).prepared_event()
        yield prepared
        self._set_state("finished" if trainer.step >= trainer.config.training.max_steps else "paused")
        return prepared

    def reload_plugins(self) -> None:
        """Read the plugin files again before the next run; the current one keeps the code it has."""
        self._must_reload_plugins = True

    def _begin_preparing(self) -> None:
        self._leave_run()
        if self._must_reload_plugins:
            self._host.reset()
            self._must_reload_plugins = False
        self._set_state("preparing")

    def _set_run(self, run: CurrentRun) -> CurrentRun:
        self._run, self._questions = run, Questions(run, self._emit)
        return run

    def discard_preparation(self) -> None:
        """Forget what an abandoned job had begun to prepare."""
        if self.state == "preparing":
            self._leave_run()
            self._set_state("empty")

    # -- learning ----------------------------------------------------------------------------------------------------

    def learn(self, steps: int | None) -> Work:
        """Begin or continue training. The generator ends with the run, which is then finished or has failed."""
        if steps is not None and steps < 1:
            raise UserError(f"Learn: expected at least 1 more step, given {steps:,}.")
        run = self.run
        was_ours = run.is_ours
        folder = run.claim()
        if steps is not None and run.trainer.step + steps > run.trainer.config.training.max_steps:
            self._emit(run.trainer.change("training.max_steps", run.trainer.step + steps))
        folder.update(state="learning", reason=None)
        run.interrupted_by = None
        if not was_ours or self.background is None:  # its results so far are not stored, or it failed
            self.questions.backfill_probes()
        self._set_state("learning")
        return self._learn(run)

    def release_run(self) -> Path:
        """Save the run and release it, for other processes to open. Raises UserError if it cannot go on.

        A finished run is left finished until one of them trains it: they may not start.
        """
        reason = self.run.folder.state.reason if self.run.folder is not None else None
        folder = self.run.claim()
        self.run.flush()
        self._emit(self.run.trainer.save_checkpoint())
        if folder.state.state == "finished":
            folder.release("finished", reason)
        else:
            folder.release("stopped", "stopped")
        self._stop_prefetching()
        self._run = self._questions = None
        release_cached_memory()
        self._set_state("preparing")
        return folder.path

    def cache_dir(self) -> Path:
        """The folder of prepared data."""
        return self._cache.path()

    def _learn(self, run: CurrentRun) -> Work:
        reason: FinishReason = yield from run.recording(run.trainer.run())
        yield from self._end(run, reason)

    def _end(self, run: CurrentRun, reason: FinishReason) -> Work:
        """End the run: complete its last step if it ended well, release the folder, and report the end."""
        folder = run.require_folder()
        if reason in GOOD_ENDS:
            yield from run.complete()
            while self.background is not None:  # it stores its results only while the run is ours
                yield self.questions.advance_background()
            folder.release("finished", reason)
            self._set_state("finished")
        else:
            folder.release("failed", reason)
            self._set_state("failed")
        run.is_ours = False
        self._emit(run.finished_event(reason))

    def pause(self, *, with_probe: bool = False) -> int:
        """Pause between two steps and return the step; after single steps, probe it."""
        run = self.run
        if self.state == "learning":
            try:
                run.flush()
                if with_probe:
                    run.probe_current_step()
                run.require_folder().update(state="paused")
            except OSError as error:
                raise self.pause_after_failure(error) from error
            self._set_state("paused")
        return run.trainer.step

    def pause_after_failure(self, error: Exception) -> Exception:
        """Training, or ending the run, has failed: pause between two steps, from where it can go on.

        Reports it to listeners, and returns the error for whoever asked.
        """
        reported = self.report(error)
        if self.state != "learning":
            return reported
        if isinstance(reported, UserError):
            self.log(reported.sentence)
            self._emit(as_trouble(reported))
            reported = WorkAborted(reported.sentence, reported.advice)
        reason = self.run.interrupted_by = finish_reason(error)
        with contextlib.suppress(OSError):  # the disk may be too full for this, too
            self.run.require_folder().update(state="paused", reason=reason)
        self._set_state("paused")
        if reason is not None:
            self._emit(self.run.finished_event(reason))
        return reported

    def report(self, error: Exception) -> Exception:
        """Report a bug of ours to listeners and to the run's log. Returns the error, as a UserError if it is no bug."""
        reported = as_user_error(error, self._run)
        if not isinstance(reported, UserError):
            trouble = as_trouble(reported)
            self._emit(trouble)
            self.log(trouble.details)
        return reported

    def evaluate(self, request: Evaluate) -> Work:
        """Evaluate a whole split; returns an Evaluation."""
        return (yield from self.questions.evaluate(request))

    def finish(self, _: object) -> Work:
        """End the run at this step; returns its folder, or None if none has begun or it has ended already."""
        run = self.run
        if run.folder is None or self.state not in ("learning", "paused"):
            return None
        run.claim()
        yield from self._learn(run) if run.trainer.has_diverged else self._end(run, "finished_by_user")
        return run.folder.path

    # -- stopping ------------------------------------------------------------------------------------------------------

    def stop(self) -> Path | None:
        """Save at once and leave the run to be resumed; returns its folder, or None if nothing is being written."""
        run = self._run
        if run is None or run.folder is None or not run.is_ours:
            return None
        reason = run.interrupted_by or "stopped"
        try:
            run.flush()
            if run.trainer.has_diverged:
                run.emit_all(self._learn(run))  # takes no step: the run ends where it diverged
                return run.folder.path
            self._emit(run.trainer.save_checkpoint())
            self.log(f"stopped at step {self.step}")  # while the run is ours
            run.folder.release("stopped", reason)
        except OSError as error:
            raise self.pause_after_failure(error) from error
        run.is_ours = False
        self._set_state("paused")
        self._emit(run.finished_event(reason))
        return run.folder.path

    def abort(self, error: Exception) -> None:
        """Save after an uncaught error, and record in the run why it ended."""
        if self._run is not None:
            self.log(as_trouble(error).details)
            self._run.interrupted_by = self._run.interrupted_by or finish_reason(error)
        self.close()

    def close(self) -> None:
        """Save, and stop prefetching."""
        try:
            self._leave_run()
        finally:
            self._stop_prefetching()
            self._cache.close()

    def _leave_run(self) -> None:
        self._abandon_if_deleted()
        self.stop()
        self._stop_prefetching()
        self._run = self._questions = None

    def _abandon_if_deleted(self) -> None:
        """Give up a run whose folder was removed: that it cannot be saved must not keep us from another run."""
        run = self._run
        if run is None or not run.is_ours:
            return
        folder = run.require_folder()
        if is_gone(folder.path) or folder.is_replaced():
            run.is_ours = False
            self._emit(Trouble(sentence=f"{folder.path} is gone; its last steps could not be saved."))

    def _stop_prefetching(self) -> None:
        if self._run is not None:
            self._run.trainer.close()

    # -- log and state -------------------------------------------------------------------------------------------------

    def log(self, text: str) -> None:
        """Write to the run's log, if there is a run."""
        if self._run is not None and self._run.folder is not None and self._run.is_ours:
            with contextlib.suppress(OSError):  # the disk is full, which was reported already
                self._run.folder.log(text)

    def _set_state(self, state: EngineState) -> None:
        self.state = state
        self.log(f"{state} at step {self.step}")
        self._emit(StateChanged(state=state, step=self.step))


def _require_changeable(trainer: Trainer, changes: Sequence[tuple[str, object]]) -> None:
    """Raise UserError for a change that the run could not make once it goes on."""
    for key, value in changes:
        trainer.require_changeable(key, value)
