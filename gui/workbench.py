"""Decides what the user's clicks and edits ask of the engine, and when: the model behind transport and Setup."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal

from core.comparison.differences import changed_keys
from core.config import RunConfig
from core.errors import UserError
from core.events import Prepared
from core.notices.notice import Experiment
from core.plugins_host.errors import PluginError
from core.requests import Finish, Learn, OpenRun, Pause, SetPace
from core.settings.branch_changes import first_incompatible
from core.settings.lower_rate import lower_rate
from core.settings.overriding import change_setting
from gui.bench.branching import Branching
from gui.bench.draft_and_run import DraftAndRun, RestorePoint
from gui.bench.keeping import Keeping
from gui.bench.live_edits import LiveEdits
from gui.bench.opening import Opening
from gui.bench.option_check import OptionCheck
from gui.bench.preparation import Preparation
from gui.bench.starting import Starting
from gui.bridge import EngineBridge
from gui.playhead import Playhead
from gui.runs.runs_directory import RunsDirectory

PREPARE_DELAY_MS = 300  # after the last keystroke
MORE_STEPS = 1000


class Workbench(DraftAndRun):
    """Takes edits of the draft, and turns clicks into requests.

    Before a run begins, every edit prepares again a moment later. During a run, a setting that can change now does so
    once it is completely typed; the others wait for `restart`.

    A preparation, the start of a run and an opening can be pending at once. A preparation abandons the other two when
    it is asked for; an opening does so only when its run is open, since it may be refused. What was prepared or opened
    arrives twice: as the event `Prepared`, which makes it current, then as the answer, with which the request ends.
    """

    learn_requested = Signal()
    run_opened = Signal()  # at the user's request: the draft has the settings of that run
    branched = Signal()  # a branch is ready at its first step: the user can now change what should differ
    plugin_failed = Signal(str, str)  # a plugin's name, and why its data could not be prepared
    run_change_requested = Signal()  # another run, or a preparation, has just been asked of the engine
    # Why the engine refused a setting, or could not prepare it, for errors users can fix.
    settings_refused = Signal(str)

    def __init__(self, bridge: EngineBridge, playhead: Playhead, runs_directory: RunsDirectory) -> None:
        super().__init__(bridge)
        self.pace: float | None = None  # the most steps a second; None: as fast as possible
        self.option_check = OptionCheck()  # by the plugin, of an edited option
        self._playhead = playhead
        self._runs_directory = runs_directory
        self._opening = Opening(bridge, self)
        self._branching = Branching(bridge, self, self._opening, runs_directory)
        self._starting = Starting(bridge, self, self._opening, runs_directory)
        self._keeping = Keeping(bridge, self, self._opening, self._starting, runs_directory)
        self._preparation = Preparation(bridge, self)
        self._live_edits = LiveEdits(bridge, self)
        self._connect()

    # The draft, and the changes that wait

    def replace_draft(self, config: RunConfig) -> None:
        """Replace the whole draft with another preset or file. A run already asked for begins without it."""
        self.draft = self.draft_origin = config
        if not self.has_run:
            self._opening.abandon()
            self._preparation.schedule(0)
        self.changed.emit()

    def apply_edits_now(self) -> None:
        """Apply the waiting edits now: the user has finished typing."""
        self._live_edits.end_delay()

    def prepare(self) -> None:
        """Have the engine prepare the draft: data, model and first probe."""
        self._live_edits.discard()
        self._opening.abandon()
        if self.draft is not None:
            self._preparation.ask(self.draft, self.restore_point())
            self.applied, self.draft_origin, self.run = self.draft, None, None
            self._starting.abandon()
            self.run_change_requested.emit()
            self.changed.emit()

    def prepare_again(self) -> None:
        """Prepare again with the reloaded plugins. A run that has begun keeps its data."""
        self._preparation.is_outdated = self.is_opening
        if not self.has_run and not self.is_opening:
            self._preparation.schedule(0)

    @property
    def has_run(self) -> bool:
        """Whether there is a run, or one is about to begin: edits then change that run, or wait for the next."""
        return self.run is not None or self._starting.is_pending

    @property
    def waiting_changes(self) -> tuple[str, ...]:
        """Keys of the changes that wait for a run after the current one, or after the one about to begin."""
        if not self.has_run or self.draft is None or self.applied is None:
            return ()
        return tuple(key for key in changed_keys(self.applied, self.draft) if not self._live_edits.includes(key))

    @property
    def will_replace_branch(self) -> bool:
        """Whether the next Learn replaces this branch by one with the waiting changes: it has taken no step yet."""
        fits = bool(self.waiting_changes) and first_incompatible(self.waiting_changes) is None
        return self.new_branch_step is not None and fits and not self.is_other_config_waiting

    # Transport

    def restart(self) -> None:
        """Begin a new run with the waiting changes and keep the old one. A branch at its first step takes them over."""
        if self.option_check.defers(self.restart):
            return
        if self.will_replace_branch:
            self.toggle()
        else:
            self.prepare()
            self.learn()

    def reset(self, seed: int | None = None) -> None:
        """Go back to untrained weights, of the same seed or another; the old run is kept."""
        if self.option_check.defers(partial(self.reset, seed)):
            return
        if self.draft is not None and seed is not None:
            self.draft = change_setting(self.draft, "seed", seed)
        self.prepare()

    def try_out(self, experiment: Experiment) -> None:
        """Apply the experiment's setting from the next step on, or begin a new run with it if it needs one.

        The old run loses nothing: the engine saves it before leaving it, as for Reset.
        """
        try:
            self.edit(experiment.key, experiment.value)
        except UserError as error:
            self._bridge.show_refusal(error)
        else:
            if experiment.acts_now:
                self._apply_edits()
            else:
                self.restart()

    def toggle(self) -> None:
        """Learn or pause; if the run is finished, learn a thousand more steps."""
        if self._bridge.state == "learning":
            self._bridge.ask(Pause())
        elif self._bridge.state == "finished":
            self.learn(MORE_STEPS)  # the draft keeps its max_steps, so Reset begins as configured
        else:
            self.learn()

    def learn(self, steps: int | None = None) -> None:
        """Take this many steps, or go on to max_steps; the first Learn begins a run folder."""
        if self._preparation.is_scheduled:
            self.prepare()
        if self.option_check.defers(partial(self.learn, steps)):
            return
        if self.will_replace_branch:
            self._branching.replace_branch(steps)
        else:
            self._apply_edits()
            self._learn_current_run(steps)
        self.learn_requested.emit()

    def step(self, steps: int) -> None:
        """Take this many steps and view the newest."""
        self._playhead.go_live()
        self.learn(steps)

    def finish(self) -> None:
        """End the run here: have it validated, saved and closed."""
        if not self.is_opening:  # else this could end the run being opened
            self._bridge.ask(Finish())

    def set_pace(self, steps_per_second: float | None) -> None:
        self.pace = steps_per_second
        self._bridge.ask(SetPace(steps_per_second=steps_per_second))

    def change_runs_dir(self, runs_dir: Path, run: Path | None) -> None:
        """Keep runs in this folder from now on; move the run that could not be written there, or begin it if None."""
        self._runs_directory.choose(runs_dir)
        if run is None:
            self.learn()
        elif run == self.run and not self.is_opening:
            self._keeping.move()
        else:
            sentence = f"{run.name} was not moved: another run was opened meanwhile."
            self._bridge.show_refusal(UserError(sentence, f"New runs are kept in {runs_dir} from now on."))

    # Other runs

    @property
    def is_opening(self) -> bool:
        """Whether another run is being opened: a request sent now would reach that run."""
        return self._opening.is_pending

    def has_open(self, run: Path) -> bool:
        """Whether this is the current run, or the one being opened."""
        return run == self.run or self._opening.involves(run)

    def open_run(self, run: Path) -> None:
        """Load a run to look at it, translate with it, or go on learning."""
        self._opening.ask(OpenRun(run=run))

    def continue_run(self, run: Path) -> None:
        """Load a run at its last checkpoint and go on learning; a finished one for a thousand more steps."""
        self._opening.ask(OpenRun(run=run), lambda _: self.toggle())

    def continue_at_lower_rate(self) -> None:
        """Go on from the last checkpoint of the current run, which diverged, at a lower learning rate."""
        prepared = self._bridge.history.prepared
        if self.run is not None and prepared is not None:  # else it was left a moment ago
            changes = (lower_rate(prepared.config.training),)
            self._opening.ask(OpenRun(run=self.run, changes=changes), lambda _: self.learn())

    def branch(self, run: Path, step: int) -> None:
        """Begin a new run with the weights that `run` kept at `step`, and, if it is the current one, its changes.

        The old run is kept. The new one waits for Learn, and takes over changes made to the draft until then.
        """
        self._branching.branch(run, step, lambda _: self.branched.emit())

    # Closing

    def stop(self) -> None:
        """Cancel everything that waits to act: the window closes, or another run is opened."""
        self._preparation.stop()
        self._live_edits.stop()
        self.option_check.drop_deferred()

    def drop_cancelled_requests(self, error: Exception) -> None:
        """The window could not close, for this reason: drop the requests that closing cancelled."""
        self._opening.abandon()
        self._preparation.fail(error)

    # What happens by itself: after a delay, or with an answer

    def _connect(self) -> None:
        self.edited.connect(self._schedule_edits)
        self._live_edits.due.connect(self._apply_edits)
        self._live_edits.refused.connect(self.settings_refused)
        self._preparation.due.connect(self.prepare)
        self._preparation.refused.connect(self._handle_refused_preparation)
        self._starting.refused.connect(self._prepare_waiting_edits)
        self._opening.requested.connect(self._handle_opening)
        self._opening.refused_without_run.connect(self._resume_preparation)
        self._opening.reopening_failed.connect(self.prepare)
        self._bridge.prepared.connect(self._handle_prepared)
        self._bridge.run_finished.connect(self.changed)

    def _schedule_edits(self, edits: Mapping[str, object]) -> None:
        """Act on edits of the draft in a moment. A run already asked for begins without them."""
        if self.has_run:
            self._live_edits.add(edits)
        elif not self.is_opening:
            self._preparation.schedule(PREPARE_DELAY_MS)
        self.changed.emit()

    def _apply_edits(self) -> None:
        """Apply the waiting edits to the current run; while a run is opening or beginning, hold them."""
        if self.is_opening or self._starting.is_pending:
            self._live_edits.restart_delay()
        else:
            self._live_edits.apply()

    def _learn_current_run(self, steps: int | None) -> None:
        if self.is_opening:
            return  # else the opened run would learn, or, if it is refused, the current one, unnoticed
        if self.run is not None:
            self._bridge.ask(Learn(steps=steps))
        else:
            self._starting.ask(steps)

    def _handle_opening(self) -> None:
        """Another run is being opened: drop edits that have not acted yet, which were meant for the current one."""
        self.stop()
        self._live_edits.discard()
        self.run_change_requested.emit()

    def _handle_prepared(self, prepared: Prepared) -> None:
        self._keeping.switch_to(prepared.run)
        if prepared.run is not None and self._is_obsolete(prepared.run):
            return
        self.resolved = prepared
        self.run = prepared.run
        if prepared.run is not None or self.draft is None:  # a run that was opened shows its own settings
            self.draft = self.applied = prepared.config
            self.draft_origin = None
            self._preparation.abandon()
            self._live_edits.discard()
            self._starting.abandon()
        if prepared.run is not None and not self._opening.is_restoring:
            self.run_opened.emit()
        self.changed.emit()

    def _is_obsolete(self, run: Path) -> bool:
        """Whether this opened run is obsolete: after it was asked for, the user had the draft prepared instead."""
        if not self.is_opening:
            return self._preparation.is_scheduled or self._preparation.is_pending
        return self._preparation.is_pending and not self._opening.matches(run)

    def _handle_refused_preparation(self, point: RestorePoint, error: Exception) -> None:
        """Preparing was refused: go back to the current run if it could not be saved (a full disk), and so not left."""
        self._starting.abandon()  # refused for the same reason, which is shown once
        if self._bridge.state != "empty":
            self.restore(point)
            self._keeping.restore_newest()
        else:
            self._report_unprepared(error)
        self._bridge.show_refusal(error, until_prepared=True)
        self._prepare_waiting_edits()

    def _report_unprepared(self, error: Exception) -> None:
        self.resolved = None
        self._bridge.forget_run()
        self.changed.emit()
        if isinstance(error, PluginError) and self.applied is not None:
            self.plugin_failed.emit(self.applied.dataset.plugin, error.for_author)
        if isinstance(error, UserError):
            self.settings_refused.emit(error.sentence)

    def _prepare_waiting_edits(self) -> None:
        """Prepare the edits that waited for a run which then did not begin.

        If another run is being opened, they go on waiting, in case it is refused.
        """
        is_without_run = self.run is None and not self.is_opening
        if is_without_run and self.draft != self.applied and not self._preparation.is_scheduled:
            self.prepare()

    def _resume_preparation(self) -> None:
        """Prepare what was held up, or broken off, by opening a run that was refused, if there is no current run."""
        self._starting.abandon()
        was_broken_off = self.resolved is not None and self._bridge.state != "ready"
        waits = self._preparation.is_pending or self._preparation.is_outdated or self.draft != self.applied
        if was_broken_off or waits:
            self.prepare()
