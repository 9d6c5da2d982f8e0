"""Shares the plugin host: these tests check what the engine does with runs, not how it starts plugins."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def one_host(module_shares_a_host: None) -> None:
    """Let all engines use one host."""
