"""A plugin host that knows the tasks which faults need, and each planted run taken once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.history import History
from core.plugins_host.host import PluginHost
from tests.core.notices.recorded import Fault, record

PLUGINS = (Path(__file__).parent / "plugins", Path(__file__).parents[1] / "training" / "plugins")
Recorded = Callable[[Fault], History]


@pytest.fixture(scope="session")
def notices_host() -> Iterator[PluginHost]:
    with PluginHost(PLUGINS) as host:
        host.plugins()  # starts its process here, once, not within the first test that asks it
        yield host


@pytest.fixture
def recorded(notices_host: PluginHost, tmp_path: Path) -> Recorded:
    """Takes a run with a fault."""
    return lambda fault: record(fault, notices_host, tmp_path)
