"""What waits until a plugin has said whether an option that was edited fits."""

from __future__ import annotations

from collections.abc import Callable


class Verdict:
    """Holds what is asked for while a plugin judges an edit; of several, the newest is done."""

    def __init__(self) -> None:
        self._is_awaited = False
        self._held: Callable[[], object] | None = None

    def await_it(self) -> None:
        """An option was edited, and its plugin is asked: what begins with the draft waits for the answer."""
        self._is_awaited = True

    def holds(self, act: Callable[[], object]) -> bool:
        """Whether this, and not what was asked for before, is done once the plugin has answered."""
        if self._is_awaited:
            self._held = act
        return self._is_awaited

    def go_on(self) -> None:
        """The draft has what the plugin let pass: do what was asked for meanwhile."""
        act = self._held
        self.forget()
        if act is not None:
            act()

    def let_go(self) -> None:
        """What was asked for meanwhile is not done any more."""
        self._held = None

    def forget(self) -> None:
        """The edit is of no interest any more, nor what waited for the verdict on it."""
        self._is_awaited, self._held = False, None
