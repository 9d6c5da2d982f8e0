"""The small task of the tests of training."""

from tests.core.training.conftest import data, host

__all__ = ["data", "host"]
