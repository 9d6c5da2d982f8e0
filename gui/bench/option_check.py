"""Defers an action until a plugin has said whether an edited option is valid."""

from __future__ import annotations

from collections.abc import Callable


class OptionCheck:
    """Defers an action while a plugin checks an edit; only the newest action is kept."""

    def __init__(self) -> None:
        self._is_under_way = False
        self._deferred: Callable[[], object] | None = None

    def begin(self) -> None:
        """Note that a plugin was asked about an edit: actions that use the draft wait for its answer."""
        self._is_under_way = True

    def defers(self, act: Callable[[], object]) -> bool:
        """Whether an answer is awaited; `act`, in place of an earlier action, is then called once it arrives."""
        if self._is_under_way:
            self._deferred = act
        return self._is_under_way

    def run_deferred(self) -> None:
        """Run the deferred action: the draft now has the options that the plugin accepted."""
        act = self._deferred
        self.cancel()
        if act is not None:
            act()

    def drop_deferred(self) -> None:
        """Drop the deferred action."""
        self._deferred = None

    def cancel(self) -> None:
        """Drop the deferred action, and wait for the answer no longer."""
        self._is_under_way, self._deferred = False, None
