"""Where each system expects a user's data, settings, logs and caches."""

from __future__ import annotations

from platformdirs import PlatformDirs

USER_DIRS = PlatformDirs("headlight", appauthor=False)  # on Windows in headlight, not in headlight\headlight
