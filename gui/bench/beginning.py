"""A run that begins with its first Learn."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from core.requests import Start
from gui.bridge import EngineBridge, OnDone, OnError
from gui.runs.trash import throw_away_stepless


class Beginning:
    """Asks for one run at a time, until it has begun; and knows the newest that has, until it is left.

    One that is left before its first step is none: it is thrown away.
    """

    def __init__(self, bridge: EngineBridge) -> None:
        self._bridge = bridge
        self._asked: Start | None = None
        self._begun: Path | None = None

    @property
    def is_asked(self) -> bool:
        """Whether a run was asked for that has not begun yet."""
        return self._asked is not None

    def ask(self, runs_dir: Path, on_begun: OnDone[Path], on_refused: OnError) -> None:
        """Have a run begin here; neither is told where it is taken back meanwhile."""
        start = self._asked = Start(runs_dir=runs_dir)
        self._bridge.ask(start, partial(self._begin, start, on_begun), partial(self._refuse, start, on_refused))

    def take_back(self) -> None:
        """Something else was asked for since: nothing is to come of it, though it may begin yet."""
        self._asked = None

    def move(self, run: Path, moved: Path) -> None:
        """This run goes on in that folder."""
        if self._begun == run:
            self._begun = moved

    def leave_for(self, run: Path | None) -> None:
        """This run is at hand now, or none."""
        if self._begun is not None and self._begun != run:
            throw_away = partial(throw_away_stepless, self._begun)
            self._bridge.call(throw_away, on_error=lambda _: None)  # without a trash it stays: a run more in Runs
            self._begun = None

    def _begin(self, start: Start, on_begun: OnDone[Path], run: Path) -> None:
        self._begun = run
        if start is self._asked:
            self._asked = None
            on_begun(run)

    def _refuse(self, start: Start, on_refused: OnError, error: Exception) -> None:
        if start is self._asked:
            self._asked = None
            on_refused(error)
