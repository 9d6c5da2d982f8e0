"""Records the calls of a function, which works as before."""

from __future__ import annotations

from typing import Any

import pytest


def record_calls(monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> list[tuple[Any, ...]]:
    """Patch this function of a class or module; return the list of each later call's positional arguments."""
    calls, function = list[tuple[Any, ...]](), getattr(owner, name)

    def recording(*arguments: Any, **keywords: Any) -> Any:
        calls.append(arguments)
        return function(*arguments, **keywords)

    monkeypatch.setattr(owner, name, recording)
    return calls
