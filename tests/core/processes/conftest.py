"""The real window, for whom several processes learn."""

from tests.gui.conftest import empty_window, small_file, wait_for_state, window  # noqa: F401 (fixtures)
