"""One plugin host that the engines of many tests use in turn, so that not each of them starts a process.

It is for tests that only need pairs of the built-in plugins. An engine still gets its own host if it is given a folder
of plugins, or if the environment or the user's folder has plugins when the engine is created.

Likewise, two plugin hosts serve the checks of many plugins: each check would start two processes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.plugins_host.discovery import PluginSource, user_plugins_dir
from core.plugins_host.host import PluginHost


class SharedHost(PluginHost):
    """A plugin host that stays open when the engine that uses it closes."""

    def warm_up(self) -> None:
        """Only clear the stop request, as the process already runs."""
        self.stop_requested.clear()

    def reset(self) -> None:
        raise AssertionError(
            "an engine with the shared host cannot reload plugins: add one before creating it to give it its own host"
        )

    def close(self) -> None:
        """Do nothing: the engine ends, not the host."""

    def end(self) -> None:
        super().reset()


@pytest.fixture(scope="session")
def shared_host(shared_home: Path) -> Iterator[SharedHost]:
    """A host that has already listed its plugins."""
    host = SharedHost()
    host.plugins()
    yield host
    host.end()


@pytest.fixture
def engines_share_a_host(shared_host: SharedHost) -> Iterator[None]:
    """Make all engines of this test use the shared host, including those that the command line creates."""
    with engines_with(shared_host):
        yield


@pytest.fixture(scope="module")
def module_shares_a_host(shared_host: SharedHost) -> Iterator[None]:
    """Make all engines of a module use it, including those of the module's fixtures."""
    with engines_with(shared_host):
        yield


@contextmanager
def engines_with(shared_host: SharedHost) -> Iterator[None]:
    """Make all engines created in this block use the shared host."""
    known = os.environ.get("PYTHONPATH")

    def host_for(extra_dirs: Sequence[Path] = ()) -> PluginHost:
        has_own = extra_dirs or os.environ.get("HEADLIGHT_PLUGINS") or user_plugins_dir().exists()
        return PluginHost(extra_dirs) if has_own or os.environ.get("PYTHONPATH") != known else shared_host

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.engine.PluginHost", host_for)
        patch.setattr("core.cli.plugins.PluginHost", host_for)
        yield


class SharedCheckHost(PluginHost):
    """A plugin host that plugin checks use in turn; it stays open when a check closes it."""

    def lend(self, plugin: PluginSource, describe_timeout: float, pairs_timeout: float) -> None:
        self._only, self._rows = plugin, []
        self._describe_timeout, self._pairs_timeout = describe_timeout, pairs_timeout

    def close(self) -> None:
        """Do nothing: the check ends, not the host."""

    def end(self) -> None:
        super().close()


@pytest.fixture(scope="session")
def check_hosts(shared_home: Path) -> Iterator[dict[int, SharedCheckHost]]:
    """The hosts by hash seed, with their processes started."""
    hosts = {seed: SharedCheckHost(hash_seed=seed) for seed in (1, 2)}
    for host in hosts.values():
        host.changed_directory()
    yield hosts
    for host in hosts.values():
        host.end()


@pytest.fixture
def checks_share_hosts(check_hosts: dict[int, SharedCheckHost], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make this test's checks share hosts. Each must run to its end, of a plugin that does not harm its process."""

    def host_for(*, only: PluginSource, hash_seed: int, describe_timeout: float, pairs_timeout: float) -> PluginHost:
        check_hosts[hash_seed].lend(only, describe_timeout, pairs_timeout)
        return check_hosts[hash_seed]

    monkeypatch.setattr("core.plugin_check.plugin_checker.PluginHost", host_for)
    yield
    assert [(host.num_printed_bytes, host.changed_directory()) for host in check_hosts.values()] == [(0, None)] * 2
