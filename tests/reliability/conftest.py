"""Support for the tests of the promises: the counting of their cases, and the real window."""

from __future__ import annotations

from tests.gui.conftest import empty_window, small_file, wait_for_state, window  # noqa: F401 (fixtures: the real window)
from tests.reliability.counting import (  # noqa: F401 (fixtures and hooks)
    cases,
    full,
    pytest_runtest_call,
    pytest_terminal_summary,
)
