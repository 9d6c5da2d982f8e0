"""The rows of the Plugins view: what is known about each plugin."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.answers.plugin_report import PluginReport
from core.home_paths import shorten_home
from core.plugins_host.discovery import built_in_plugins_dir
from core.plugins_host.plugin_info import PluginInfo

OURS = "Headlight"


@dataclass(frozen=True, kw_only=True)
class PluginRow:
    """One line of the table."""

    info: PluginInfo
    report: PluginReport | None = None  # the result of its check
    fault: str = ""  # why its data could not be prepared, perhaps only with certain options

    @property
    def problem(self) -> str:
        """Why it cannot be used, or could not be used last time."""
        return self.info.error or self.fault

    @property
    def state(self) -> str:
        """Whether it can be used, and the number of findings of its check."""
        if self.problem:
            return f"✗ {self.problem}"
        if self.report is None:
            return self.info.state
        count = len(self.report.findings)
        found = "clean" if not count else "1 finding" if count == 1 else f"{count} findings"
        return f"{self.info.state} · {found}"

    @property
    def location(self) -> str:
        """Where it comes from: `Headlight` for built-in plugins, else the package or the folder."""
        if self.info.package:
            return self.info.package
        folder = Path(self.info.origin).parent
        return OURS if folder == built_in_plugins_dir() else shorten_home(folder)
