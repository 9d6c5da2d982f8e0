"""Who calls what: a function that notes what it is given and works as before."""

from __future__ import annotations

from typing import Any

import pytest


def noted_calls(monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> list[tuple[Any, ...]]:
    """What this function of a class or module is given by position from here on, call by call."""
    calls, function = list[tuple[Any, ...]](), getattr(owner, name)

    def noting(*given: Any, **named: Any) -> Any:
        calls.append(given)
        return function(*given, **named)

    monkeypatch.setattr(owner, name, noting)
    return calls
