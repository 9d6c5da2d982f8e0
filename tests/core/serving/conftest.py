"""What the engine does with runs is looked at here, not how it starts plugins."""

import pytest


@pytest.fixture(autouse=True)
def one_host(engines_share_a_host: None) -> None:
    """All engines take one host."""
