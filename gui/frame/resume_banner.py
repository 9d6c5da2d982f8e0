"""The offer to continue the last interrupted run: one line, no dialog."""

from __future__ import annotations

import time
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout

from core.at_path import exists
from core.errors import UserError
from core.run_files.file_names import METRICS, STATE
from core.run_folder import RunFolder, list_runs
from gui.theme import GRID, Theme
from gui.widgets.buttons import IconButton, button
from gui.widgets.dynamic_labels import ElidedLabel


class ResumeBanner(QFrame):
    """Offers one run; `accepted` carries its folder. A dismissed run is not offered again, nor any older one."""

    accepted = Signal(Path)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("banner")
        self.run: Path | None = None
        self.refused_at = 0.0  # when the newest dismissed run was last written, in seconds since the epoch
        self.sentence = ElidedLabel()
        self.open_button = button("Open it again", "Load this run at its last checkpoint; Learn continues from there")
        self.dismiss_button = IconButton(theme, "close", "Not now")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID // 2, GRID, GRID // 2)
        layout.setSpacing(GRID)
        layout.addWidget(self.sentence, 1)
        layout.addWidget(self.open_button)
        layout.addWidget(self.dismiss_button)
        self.open_button.clicked.connect(self._accept)
        self.dismiss_button.clicked.connect(self._dismiss)
        self.hide()

    def offer(self, folder: RunFolder | None) -> None:
        """Offer a run; None offers nothing."""
        if folder is not None:
            self.run = folder.path
            self.sentence.setText(f"{folder.path.name} was left at step {folder.state.last_step:,}, unfinished.")
            self.show()

    def withdraw(self, run: Path | None) -> None:
        """Stop offering this run: it is gone."""
        if run == self.run:
            self.hide()

    def _dismiss(self) -> None:
        self.hide()
        assert self.run is not None
        self.refused_at = written_at(self.run) or self.refused_at  # 0 if the run is gone by now

    def _accept(self) -> None:
        self.hide()
        self.accepted.emit(self.run)


def interrupted_run(runs_dir: Path, refused_at: float = 0.0) -> RunFolder | None:
    """The most recently written run that stopped before its end and has a checkpoint, or None.

    Only runs written after `refused_at` (seconds since the epoch) count. Times to come were noted while the clock was
    ahead: such a refusal would hide every later run, and such a run would be offered again and again.
    """
    now = time.time()
    since = refused_at if refused_at <= now else 0.0
    newer = [run for run in list_runs(runs_dir) if since < written_at(run) <= now]
    for run in sorted(newer, key=written_at, reverse=True):
        try:
            folder = RunFolder.open(run)
        except UserError:  # the Runs view says what is wrong with it
            continue
        is_left = folder.state.state in ("stopped", "learning", "paused") and folder.state.writer() is None
        if is_left and folder.checkpoint_steps():
            return folder
    return None


def written_at(run: Path) -> float:
    """When the run was last written (seconds since the epoch); run.json alone is as old as the last checkpoint."""
    files = (run / STATE, run / METRICS)
    return max((file.stat().st_mtime for file in files if exists(file)), default=0.0)
