"""The fixtures of the real window, in which several processes train."""

from tests.gui.conftest import empty_window, small_file, wait_for_state, window  # noqa: F401 (fixtures)
