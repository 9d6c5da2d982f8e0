"""Who calls what: a function that notes what it is given and works as before."""

from __future__ import annotations

from typing import Any

import pytest


def record_calls(monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> list[tuple[Any, ...]]:
    """What this function of a class or module is given by position from here on, call by call."""
    calls, function = list[tuple[Any, ...]](), getattr(owner, name)

    def recording(*arguments: Any, **keywords: Any) -> Any:
        calls.append(arguments)
        return function(*arguments, **keywords)

    monkeypatch.setattr(owner, name, recording)
    return calls
