"""A plugin host with the tasks that the faults need, and the recorded runs with planted faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from core.events import Event
from core.history import History
from core.plugins_host.host import PluginHost
from tests.core.notices.recorded import Fault, record

PLUGINS = (Path(__file__).parent / "plugins", Path(__file__).parents[1] / "training" / "plugins")
Recorded = Callable[[Fault], History]


@pytest.fixture(scope="session")
def notices_host() -> Iterator[PluginHost]:
    with PluginHost(PLUGINS) as host:
        host.plugins()  # starts its process before the first test
        yield host


@pytest.fixture(scope="session")
def recordings(notices_host: PluginHost, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Fault], list[Event]]:
    """The events of a run with a fault; each is recorded once, as events are immutable and its folder is only read."""
    return cache(lambda fault: record(fault, notices_host, tmp_path_factory.mktemp("recorded")))


@pytest.fixture
def recorded(recordings: Callable[[Fault], list[Event]]) -> Recorded:
    """The history of a run with a fault."""

    def history_of(fault: Fault) -> History:
        history = History()
        for event in recordings(fault):
            history.apply(event)
        return history

    return history_of
