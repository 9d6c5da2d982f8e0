"""The rows of the Plugins view: what is known of each plugin by now."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.doctor.findings import PluginReport
from core.plugins_host.discovery import built_in_plugins_dir
from core.plugins_host.info import PluginInfo
from core.typed_path import from_home

OURS = "Headlight"


@dataclass(frozen=True, kw_only=True)
class PluginRow:
    """One line of the table."""

    info: PluginInfo
    report: PluginReport | None = None  # what its check has found
    fault: str = ""  # why its data could not be prepared: of this file, and perhaps of other options only

    @property
    def problem(self) -> str:
        """Why it cannot be used, or could not be."""
        return self.info.error or self.fault

    @property
    def state(self) -> str:
        """Whether it can be used, with what a check has found."""
        if self.problem:
            return f"✗ {self.problem}"
        if self.report is None:
            return self.info.state
        count = len(self.report.findings)
        found = "clean" if not count else "1 finding" if count == 1 else f"{count} findings"
        return f"{self.info.state} · {found}"

    @property
    def place(self) -> str:
        """`Headlight` for what it brings along, else the package or the folder."""
        if self.info.package:
            return self.info.package
        folder = Path(self.info.origin).parent
        return OURS if folder == built_in_plugins_dir() else from_home(folder)
