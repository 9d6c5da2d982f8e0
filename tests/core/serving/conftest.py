"""Shares the plugin host: these tests check what the engine does with runs, not how it starts plugins."""

import pytest


@pytest.fixture(autouse=True)
def one_host(engines_share_a_host: None) -> None:
    """Let all engines use one host."""
