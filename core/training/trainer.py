"""The training loop of one run: it takes steps, probes, validates, saves checkpoints, and yields events."""

from __future__ import annotations

import math
import time
from base64 import b64encode
from collections.abc import Generator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import torch

from core.answers.evaluation import Evaluation
from core.config import DecodingConfig, RunConfig
from core.data.batching import TrainBatches
from core.data.prepared_data import PreparedData
from core.decoding.decode import longest_output, require_positions_for_output
from core.decoding.probed_sentences import SentenceToProbe
from core.decoding.typed_text import encode_text
from core.events import CheckpointSaved, Event, FinishReason, ProbeDone, SettingChanged, SnapshotSaved, ValidationDone
from core.generators import map_yielded
from core.machine.core_sharing import CoreSharing
from core.model.transformer import Transformer
from core.model.weights import load_weights, named_weights
from core.model_size import model_sizes
from core.plugins_host.host import PluginHost
from core.probes import Probe
from core.resuming import steps_before_divergence, truncate_run
from core.run_files.averaging import averaged_steps
from core.run_files.documents import DamagedFile
from core.run_folder import Checkpoint, RunFolder
from core.schedules import learning_rate
from core.torchrun import local_threads
from core.training import trouble
from core.training.best import Best
from core.training.checkpoint import parse_checkpoint_state, to_arrays, to_tensors
from core.training.distributed import processes_from_environment
from core.training.due_tasks import DueTasks
from core.training.evaluation import evaluate_split, missing_best_metric, require_known_metric
from core.training.live_settings import LiveSettings
from core.training.memory import is_out_of_memory, require_memory
from core.training.moving_average import MovingAverage
from core.training.probe import first_sentences, make_probe
from core.training.probe_steps import is_snapshot_step
from core.training.random_state import RandomState
from core.training.step_meter import StepMeter
from core.training.updater import Updater
from core.training.validation import score_split
from core.validation_size import NUM_FREE_RUNNING

Finish = Generator[Event | None, None, FinishReason]


class Trainer:
    """One run: its model, its state, and the loop that trains it.

    Build and use it in a single thread, whose number of torch threads it sets to `num_threads`. Between two yields of
    any of its generators the caller may translate, probe, change settings, save, or drop the generator and start
    another, which first does whatever is due at the current step and not yet done. Only steps draw from the run's
    random sequence.

    An OSError while writing (a full disk) is raised with nothing lost: calling `run` again writes the same again.
    """

    def __init__(self, config: RunConfig, data: PreparedData, host: PluginHost | None) -> None:
        """Build the untrained model from a resolved config.

        Raises UserError for a best_metric that is not computed, and for a model that does not fit in memory. Finite
        data need no host.
        """
        require_memory(config, data)
        device = torch.device(config.training.device)
        torch.set_num_threads(local_threads(int(config.training.num_threads)))
        self.data = data
        self.step = 0
        self.probe_sentences: list[SentenceToProbe] = first_sentences(data)
        self._host = host
        self._settings = LiveSettings(config)
        self._random = RandomState(config.seed, device)
        with self._random.activated():
            # eval: the training pass draws its own dropout masks
            trained = Transformer(config.model, *model_sizes(config, data)).eval()
        self._processes = processes_from_environment()
        self._updater = Updater(trained, config.training, device, self._processes)
        self._average: MovingAverage | None = None
        if config.training.ema_decay is not None:
            self._average = MovingAverage(trained, self._updater.optimizer, config.training.ema_decay)
        self.model = trained if self._average is None else self._average.model  # the one to evaluate and save
        self.averaged_steps: tuple[int, ...] = ()  # see `load_mean`
        self._batches = TrainBatches(data, config.training, config.seed, host)
        self._meter = StepMeter(device)
        self._core_sharing = CoreSharing()
        self._best = Best(config.training.best_metric)
        self._due_tasks = DueTasks()
        self._saved_state: tuple[object, ...] = ()  # see `is_saved`
        self._known_not_finite: set[str] = set()  # plugin metrics already reported as not finite
        require_known_metric(config.training.best_metric, data, host)

    @property
    def config(self) -> RunConfig:
        """The current config: the one it was built from, with every setting changed since."""
        return self._settings.config

    @property
    def initial_config(self) -> RunConfig:
        """The config it was built from; the run's folder stores the settings changed since separately."""
        return self._settings.initial

    @property
    def max_length(self) -> int:
        """The maximum length of a free-running output in tokens, `<eos>` included."""
        return longest_output(self.config.decoding, self.data)

    @property
    def is_anything_due(self) -> bool:
        """Whether `run` has something other than a step to do next: probe, validate, save a checkpoint, or end."""
        return bool(self._pending_tasks()) or self._reason_to_end() is not None

    @property
    def has_diverged(self) -> bool:
        """Whether a loss, gradient, weight or optimizer state is not finite: `run` reports it and ends."""
        return self._meter.not_finite_at is not None or not self._updater.optimizer.is_finite

    @property
    def checkpoint_bytes(self) -> int:
        """The size on disk of a checkpoint's arrays."""
        return sum(tensor.nbytes for tensor in (*named_weights(self.model).values(), *self._optimizer_state().values()))

    def attach_folder(self, folder: RunFolder) -> None:
        """Attach the run's folder, which has its config and other documents; all that follows is written there.

        The folder keeps checkpoints and snapshots by the current settings, also those changed since the run began.
        """
        self.folder = folder
        folder.use_settings(self.config.training)

    def run(self) -> Finish:
        """Train from the current step until there is a reason to end, and return that reason.

        Yields events, and None: at least once after every step, and every few tens of milliseconds of other work.
        """
        self._processes.start(self._description, self._updater.tensors)
        try:
            return (yield from self._steps())
        except RuntimeError as error:
            if not is_out_of_memory(error):
                raise
            yield trouble.out_of_memory(self.step, error, self.config, self.data)
            return "memory"
        finally:
            self._core_sharing.end()

    def _steps(self) -> Finish:
        while True:
            is_anything_due = self.is_anything_due
            if self._meter.is_due or is_anything_due:
                yield from self.flush()
            if self._meter.not_finite_at is not None or (is_anything_due and self.has_diverged):
                return (yield from self._end_diverged())
            yield from self._do_due_tasks()
            reason = self._reason_to_end()
            if reason is not None:
                return (yield from self._end(reason))
            self._take_step()
            self._core_sharing.look()
            yield None

    def _take_step(self) -> None:
        training, started = self.config.training, time.perf_counter()
        rate, source = self.learning_rate_at(self.step + 1), self._batches
        batches_state, random_state = source.state(), self._random.state()
        try:
            batches = [next(source) for _ in range(training.accumulate_steps)]
            self._processes.announce_step(self.step + 1, rate, training)
            with self._random.activated():
                step_metrics = self._updater.step(batches, training, rate)
        except Exception:  # the step was not taken: resuming takes it with the same batches
            source.restore(batches_state)
            self._random.load_state(random_state)
            raise
        self.step += 1
        if self._average is not None:
            self._average.update(self.step)
        num_tokens = sum(batch.num_target_tokens for batch in batches)
        seconds = time.perf_counter() - started
        self._meter.record(
            self.step, step_metrics, rate=rate, num_tokens=num_tokens, seconds=seconds, epoch=source.epoch
        )
        self._return_to_last_good_step()

    def _description(self) -> dict[str, Any]:
        """What the other processes need to join the run at this point."""
        return {
            "run": str(self.folder.path),
            "config": self.config.model_dump(mode="json"),
            "data": str(self.data.folder),
            "local_options": self.data.local_options,
            "vocabulary": self.data.vocabulary_document(),
            "subwords": {side: b64encode(model).decode() for side, model in self.data.subword_models.items()},
            "batches": self._batches.state(),
        }

    def close(self) -> None:
        """Stop prefetching training data, and release the run's other processes."""
        self._processes.leave()
        self._batches.close()

    def learning_rate_at(self, step: int) -> float:
        """The learning rate at a step, under the current settings."""
        training = self.config.training
        return float(
            learning_rate(training.schedule, training.optimizer, self.config.model.d_model, training.max_steps, step)
        )

    def flush(self) -> Generator[Event | None, None, None]:
        """Read the metrics of the latest steps from the device, write them to the folder, and yield them."""
        steps_done = self._meter.read()
        self._return_to_last_good_step()
        if steps_done is not None:
            self.folder.append_metrics(steps_done.first_step, steps_done.arrays)
        self._meter.clear()
        if steps_done is not None:
            yield steps_done

    def _return_to_last_good_step(self) -> None:
        """Return to the last good step: the optimizer refused the first that was not finite, and all after it."""
        if self._meter.not_finite_at is not None:
            self.step = self._meter.not_finite_at - 1

    # -- what is due at a step ---------------------------------------------------------------------------------------

    def _do_due_tasks(self) -> Generator[Event | None, None, None]:
        """Do what is due at this step and not yet done; anything interrupted is done again from the start."""
        if "probe" in self._pending_tasks():
            yield from self._write_probe()
        if "validation" in self._pending_tasks():
            yield (yield from self.validate())
        if "checkpoint" in self._pending_tasks():
            yield self.save_checkpoint()

    def _pending_tasks(self) -> list[str]:
        return self._due_tasks.pending(self.step, self.config.training, self._best.step)

    def _reason_to_end(self) -> FinishReason | None:
        training = self.config.training
        patience = training.early_stopping.patience if training.early_stopping else None
        if patience is not None and self._best.num_without_better >= patience:
            return "early_stopping"
        return "max_steps" if self.step >= training.max_steps else None

    def renew_patience(self) -> None:
        """Reset the count of validations without improvement, so that a run that stopped early can go on."""
        self._best.num_without_better = 0

    def search_best_anew(self) -> None:
        """Compare with no validation before this step: a branch, which is to find the best, keeps no weights of it."""
        if self._best.step != self.step:
            self._best = Best(self._best.metric, newest_step=self._best.newest_step)

    def _end(self, reason: FinishReason) -> Finish:
        if self._due_tasks.done_at["checkpoint"] != self.step:
            yield self.save_checkpoint()
        return reason

    def _end_diverged(self) -> Finish:
        """Report the divergence, and end without saving a checkpoint."""
        step, what = self._meter.not_finite_at, self._updater.first_not_finite()
        if self._updater.optimizer.is_finite:  # the step was refused; a loss that is not finite makes every gradient so
            what = (what or "the gradient's norm") if self._meter.is_loss_finite else "the loss"
        self._meter.not_finite_at = None
        self._updater.optimizer.reset_found_inf()
        can_continue = bool(steps_before_divergence(self.folder))
        yield trouble.diverged(
            self.step if step is None else step, what, self.config.training, can_continue=can_continue
        )
        return "diverged"

    # -- probes ------------------------------------------------------------------------------------------------------

    def probe(self) -> Probe:
        """Probe the current weights with the run's sentences."""
        return make_probe(self.model, self.data, self.probe_sentences, self.max_length, self.step)

    def _write_probe(self) -> Generator[Event | None, None, None]:
        probe = self.probe()
        self.folder.write_probe(probe)
        is_snapshot_due = self._is_snapshot_due()
        if is_snapshot_due:
            self.folder.write_snapshot(self.step, to_arrays(named_weights(self.model)))
            yield SnapshotSaved(step=self.step)
        self._due_tasks.done_at["probe"] = self.step
        yield ProbeDone(probe=probe)

    def _is_snapshot_due(self) -> bool:
        kept = self.folder.snapshot_steps()
        max_snapshots = int(
            self.config.training.snapshot_budget_mb * 1e6 // self._updater.optimizer.parameters.values.nbytes
        )
        return is_snapshot_step(self.step, kept[-1] if kept else None, max_snapshots)

    def add_sentence(self, text: str) -> None:
        """Include this source text in every probe from now on. Raises UserError if it cannot be encoded."""
        encode_text(self.model, self.data, text)
        if all(known.source != text for known in self.probe_sentences):
            self.probe_sentences.append(SentenceToProbe(text))

    # -- validation --------------------------------------------------------------------------------------------------

    def validate(self) -> Generator[Event | None, None, ValidationDone]:
        """Score the valid split (all of it teacher-forced, its first sentences free-running), and write the result."""
        decoding, limit = self.config.decoding, NUM_FREE_RUNNING
        scoring = score_split(self.model, self.data, self._host, "valid", decoding, limit)
        scores = yield from map_yielded(scoring, lambda _: None)  # without its progress
        metrics = {f"valid/{name}": value for name, value in {**scores.metrics, **scores.plugin_metrics}.items()}
        yield from self._report_not_finite(scores.plugin_metrics)
        if self._best.metric not in metrics:
            raise missing_best_metric(self._best.metric, self.config.dataset.plugin)
        value = metrics[self._best.metric]
        done = ValidationDone(
            step=self.step,
            metrics=metrics,
            sentences=scores.sentences,
            is_best=self._best.is_improved_by(value, self.step),
        )
        self.folder.write_validation(done)
        self._best.update(value, self.step)
        self._due_tasks.done_at["validation"] = self.step
        return done

    def _report_not_finite(self, figures: dict[str, float]) -> Generator[Event | None, None, None]:
        """Report a plugin metric that is not finite, once per metric: the next validation may well repeat it."""
        for name, value in figures.items():
            if self._host is not None and not math.isfinite(value) and name not in self._known_not_finite:
                self._known_not_finite.add(name)
                yield trouble.metric_not_finite(name, value, self.data, self._host)

    def evaluate(
        self, split: str, decoding: DecodingConfig, *, minimum_risk: bool = False
    ) -> Generator[Event | None, None, Evaluation]:
        """Score a whole split with the current weights; nothing is written."""
        evaluation = yield from evaluate_split(
            self.model, self.data, self._host, split, decoding, self.folder.path, self.step, minimum_risk=minimum_risk
        )
        yield from self._report_not_finite(evaluation.plugin_metrics)
        ema_decay = self.config.training.ema_decay
        return replace(evaluation, averaged_steps=self.averaged_steps, ema_decay=ema_decay)

    # -- settings ----------------------------------------------------------------------------------------------------

    def require_changeable(self, key: str, value: Any) -> None:
        """Raise UserError for a setting that cannot change during a run, and for an invalid value."""
        changed = self._settings.config_with(key, value)
        require_known_metric(changed.training.best_metric, self.data, self._host)
        require_positions_for_output(changed.decoding, self.data, self.model)

    def change(self, key: str, value: Any) -> SettingChanged:
        """Change a setting that takes effect now. Raises UserError as `require_changeable` does."""
        self.require_changeable(key, value)
        event = SettingChanged(step=self.step, key=key, value=value)
        self.folder.append_setting(event)
        self._settings.change(self.step, key, value)
        self._apply_settings()
        return event

    def _apply_settings(self) -> None:
        """Pass the current settings on to the objects that keep a copy of one."""
        training = self.config.training
        self.folder.use_settings(training)
        if training.best_metric != self._best.metric:
            self._best = Best(training.best_metric)

    # -- checkpoints -------------------------------------------------------------------------------------------------

    def save_checkpoint(self) -> CheckpointSaved:
        """Save everything that later steps depend on. Call `flush` first, or the newest steps' metrics are not kept."""
        is_best, done_at = self._best.step == self.step, {**self._due_tasks.done_at, "checkpoint": self.step}
        self.folder.save_checkpoint(
            self.step,
            to_arrays(named_weights(self.model)),
            to_arrays({**self._optimizer_state(), **self._random.state()}),
            {
                "batches": self._batches.state(),
                "best": self._best.state(),
                "done_at": done_at,
                "changes": self._settings.changes,
                "probe_sentences": self.probe_sentences,
            },
            best_value=self._best.value if is_best else None,
        )
        self._due_tasks.done_at = done_at
        self._saved_state = self._comparable_state()
        return CheckpointSaved(step=self.step, is_best=is_best)

    @property
    def is_saved(self) -> bool:
        """Whether a checkpoint saved now would equal the last one saved."""
        return self._saved_state == self._comparable_state()

    def _comparable_state(self) -> tuple[object, ...]:
        """The step, and the parts of a checkpoint that may change between two steps."""
        done_at, best = {**self._due_tasks.done_at}, self._best.state()
        return self.step, done_at, best, [*self._settings.changes], [*self.probe_sentences]

    def _optimizer_state(self) -> dict[str, torch.Tensor]:
        """The optimizer's state, with the trained weights where the model's own are their moving average."""
        return {**self._updater.optimizer.state(), **(self._average.state() if self._average is not None else {})}

    def load_mean(self) -> None:
        """Load the mean of the run's last checkpoints, which can be evaluated but not trained further."""
        steps = averaged_steps(self.folder.checkpoint_steps(), self.step, self.config.training)
        load_weights(self.model, to_tensors(self.folder.mean_weights(steps)))
        self.averaged_steps = tuple(steps)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Restore the run as it was when it saved this checkpoint, including the settings changed until then.

        Raises UserError for a checkpoint of another model.
        """
        load_weights(self.model, to_tensors(checkpoint.model))
        optimizer_tensors, state = to_tensors(checkpoint.optimizer), parse_checkpoint_state(checkpoint.state)
        self._updater.optimizer.load_state(optimizer_tensors)
        if self._average is not None:
            self._average.load_state(optimizer_tensors)
        self._random.load_state(optimizer_tensors)
        self._batches.restore(dict(state.batches))
        self._settings.restore(state.changes)
        self._apply_settings()
        self._best = state.best
        self._due_tasks.done_at = dict(state.done_at)
        self.probe_sentences = state.probe_sentences
        self._meter.clear()
        self.step = checkpoint.step

    def start_from(self, kept_weights: Mapping[str, torch.Tensor], step: int) -> None:
        """Start at a step of the folder's run of which only the weights are kept; optimizer and batches begin anew.

        Raises UserError for the weights of another model.
        """
        if self._average is not None:
            self._average.start_from(kept_weights)
        else:
            load_weights(self.model, kept_weights)
        self._settings.restore([(one.step, one.key, one.value) for one in self.folder.changes_kept_with(step)])
        self._apply_settings()
        validated, probed = step in self.folder.validation_metrics(), step in self.folder.probe_steps()
        with suppress(DamagedFile):  # reported where the probe is drawn; the weights are whole
            sentences = self.folder.probe(step).sentences if probed else ()
            for source in (one.source for one in sentences if one.reference is None):
                self.add_sentence(source)
        self._due_tasks.done_at |= {"probe": step if probed else -1, "validation": step if validated else 0}
        self.step = step

    def truncate_run(self, folder: RunFolder) -> None:
        """Remove from the folder what happened after this step, and at this step after its checkpoint was saved."""
        num_settings = sum(step == self.step for step, *_ in self._settings.changes)
        is_validated = self._due_tasks.done_at["validation"] == self.step
        at_step = {"setting": num_settings, "is_best": int(is_validated)}
        truncate_run(folder, self.step, at_step, (self._best.step, self._best.value, self._best.metric))
