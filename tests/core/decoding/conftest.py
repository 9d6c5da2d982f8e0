"""The fixtures of the small task that the tests of training use."""

from tests.core.training.conftest import data, host

__all__ = ["data", "host"]
