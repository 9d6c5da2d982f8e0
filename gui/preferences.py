"""What the window remembers from one start to the next. A file that cannot be read only means defaults."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from PySide6.QtCore import QSize, Qt

from core.run_files.atomic import atomic_file
from core.user_dirs import USER_DIRS
from gui.colours import Mode
from gui.main_window import MainWindow
from gui.theme import ZOOMS

MAX_PIXELS = 100_000  # more than any screen has
MAX_PROCESSES = 10_000  # more than any machine has processors


class Preferences(BaseModel):
    """The look and size of the window and the user's other choices; the defaults are those of the first start."""

    model_config = ConfigDict(frozen=True)

    mode: Mode | None = None  # None: follow the desktop
    zoom: int = Field(default=100, ge=ZOOMS[0], le=ZOOMS[-1])  # percent
    width: int = Field(default=1600, ge=1, le=MAX_PIXELS)  # pixels, while not maximised
    height: int = Field(default=1000, ge=1, le=MAX_PIXELS)
    is_maximised: bool = False
    has_seen_tour: bool = False
    refused_at: float = 0.0  # when the newest interrupted run that the user declined to open was last written
    num_processes: int = Field(default=1, ge=1, le=MAX_PROCESSES)
    runs_dir: Path | None = None  # None: the user has not chosen a folder

    def show(self, window: MainWindow, path: Path) -> None:
        """Show the window as it was left; on the very first start with the tour, whose end is written to `path`."""
        self.restore_size(window, window.screen().availableSize())
        window.resume_banner.refused_at = self.refused_at
        window.show()
        window.setup_drawer.processes_row.spin.setValue(self.num_processes)  # limited to what this machine allows
        if not self.has_seen_tour:
            window.tour.ended.connect(partial(save_preferences, window, path))
            window.tour.start()

    def restore_size(self, window: MainWindow, screen: QSize) -> None:
        """Give the window its size; if the screen is too small for that, maximise it."""
        size = QSize(self.width, self.height)
        fitting = size.boundedTo(screen)
        window.resize(fitting)
        if self.is_maximised or fitting != size:
            window.setWindowState(Qt.WindowState.WindowMaximized)


def preferences_path() -> Path:
    """The file in the user's configuration folder."""
    return USER_DIRS.user_config_path / "window.json"


def load_preferences(path: Path) -> Preferences:
    """Read what was remembered; the defaults if the file is missing or invalid."""
    try:
        return Preferences.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return Preferences()


def save_preferences(window: MainWindow, path: Path) -> None:
    """Write down how the window looks now, and that the tour was seen."""
    theme, size = window.context.theme, window.normalGeometry().size()
    now = Preferences(
        mode=theme.chosen_mode,
        zoom=theme.zoom,
        width=size.width(),
        height=size.height(),
        is_maximised=window.isMaximized(),
        has_seen_tour=True,
        refused_at=window.resume_banner.refused_at,
        num_processes=window.setup_drawer.processes_row.spin.value(),
        runs_dir=window.context.runs_directory.chosen or load_preferences(path).runs_dir,
    )
    with suppress(OSError):  # not worth an error message while the window closes
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(path) as file:
            file.write(now.model_dump_json(indent=2).encode())
