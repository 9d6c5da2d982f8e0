"""The models that all views share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from core.errors import UserError
from core.requests import AddSentence
from gui.bridge import EngineBridge
from gui.datasets.plugin_catalogue import PluginCatalogue
from gui.playhead import Playhead
from gui.redraw_scheduler import RedrawScheduler
from gui.replay import Replay
from gui.run_inspector import RunInspector
from gui.runs.follower import Follower
from gui.runs.runs_directory import RunsDirectory
from gui.sentences.selection import Selection
from gui.sentences.tokens import quoted
from gui.theme import Theme
from gui.workbench import Workbench

NOTHING_PREPARED = "Nothing is prepared: choose other data or settings in Setup, or Reset to try again"


@dataclass(frozen=True)
class Context:
    """The models behind the views; views communicate only through these."""

    bridge: EngineBridge
    playhead: Playhead
    replay: Replay
    selection: Selection
    theme: Theme
    redraw_scheduler: RedrawScheduler
    run_inspector: RunInspector
    workbench: Workbench
    follower: Follower
    plugins: PluginCatalogue
    runs_directory: RunsDirectory

    @property
    def why_not_follow_sentence(self) -> str:
        """Why the current run cannot follow a sentence; empty if it can, or will once data and model are ready."""
        return self.follower.why_no_model or (NOTHING_PREPARED if self.bridge.state == "empty" else "")

    def follow_sentence(self, text: str, on_refused: Callable[[str], object] | None = None) -> None:
        """Have every probe follow this source text from now on, and select it; `on_refused` gets a refused one."""

        def refuse(error: Exception, *, until_prepared: bool = False) -> None:
            self.bridge.show_refusal(error, until_prepared=until_prepared)
            if on_refused is not None:
                on_refused(text)

        if self.workbench.is_opening:
            refuse(
                UserError(
                    "Another run is being opened, and would follow this text instead.",
                    "Add it again once that is ready.",
                )
            )
        else:
            self.bridge.ask(
                AddSentence(source=text),
                lambda _: self.selection.choose(sentence=text),
                partial(refuse, until_prepared=True),  # of this model: the next one may read longer texts
                lambda: refuse(_not_followed_error(text)),
            )


def _not_followed_error(text: str) -> UserError:
    return UserError(
        f"{quoted(text)} is not followed: something else was prepared or opened.", "Add it again once that is ready."
    )


def make_context(bridge: EngineBridge, theme: Theme, runs_dir: Path) -> Context:
    """The models of one window."""
    playhead, selection, runs_directory = Playhead(), Selection(), RunsDirectory(runs_dir)
    replay = Replay(playhead, lambda: bridge.shown.probes.steps)
    workbench, follower = Workbench(bridge, playhead, runs_directory), Follower(bridge, playhead)
    redraw_scheduler = RedrawScheduler(bridge, workbench, playhead, selection, theme)
    run_inspector, plugins = RunInspector(bridge, playhead), PluginCatalogue(bridge)
    redraw_scheduler.round_ended.connect(run_inspector.inspect)
    run_inspector.changed.connect(redraw_scheduler.mark_all_for_next_round)
    plugins.reloaded.connect(workbench.prepare_again)
    # Not on `prepared`, which may answer an earlier request.
    workbench.run_change_requested.connect(follower.stop_following)
    # It may still be reading: once it shows a run, Learn is disabled.
    workbench.learn_requested.connect(follower.stop_following)
    workbench.plugin_failed.connect(plugins.record_fault)
    return Context(
        bridge,
        playhead,
        replay,
        selection,
        theme,
        redraw_scheduler,
        run_inspector,
        workbench,
        follower,
        plugins,
        runs_directory,
    )
