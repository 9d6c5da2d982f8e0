"""Holds back an action until a plugin has said whether an edited option is valid."""

from __future__ import annotations

from collections.abc import Callable


class Verdict:
    """Holds back an action while a plugin checks an edit; only the newest action is kept."""

    def __init__(self) -> None:
        self._is_awaited = False
        self._held: Callable[[], object] | None = None

    def await_it(self) -> None:
        """Note that a plugin was asked about an edit: actions that use the draft wait for its answer."""
        self._is_awaited = True

    def holds(self, act: Callable[[], object]) -> bool:
        """Whether an answer is awaited; `act`, in place of an earlier action, is then called once it arrives."""
        if self._is_awaited:
            self._held = act
        return self._is_awaited

    def go_on(self) -> None:
        """Do the action that was held: the draft now has the options that the plugin accepted."""
        act = self._held
        self.forget()
        if act is not None:
            act()

    def let_go(self) -> None:
        """Drop the action that was held."""
        self._held = None

    def forget(self) -> None:
        """Drop the action that was held, and await no answer any more."""
        self._is_awaited, self._held = False, None
