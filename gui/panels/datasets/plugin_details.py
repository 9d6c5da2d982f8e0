"""The texts about the chosen plugin: what it is, where it is, and what a check has found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from core.answers.plugin_report import PluginReport
from core.home_paths import shorten_home
from core.plugin_check.report_text import figures_lines
from gui.datasets.plugin_rows import OURS, PluginRow
from gui.theme import GRID
from gui.widgets.labels import plain_label

NOT_CHECKED = "Not checked yet: Check looks for what would go wrong, and trains a small model on 32 of its pairs."
Line = tuple[str, str]  # role and text


class LinesPane(QScrollArea):
    """Lines of text that can be selected and copied."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self._lines: list[Line] = []

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(text for _, text in self._lines)

    def show_lines(self, lines: Iterable[Line]) -> None:
        """Show these lines instead; do nothing if they are the same."""
        if (new := list(lines)) == self._lines:
            return
        self._lines = new
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        column.setSpacing(GRID // 2)
        for number, (role, text) in enumerate(new):
            column.addSpacing(GRID if number and role == "error" else 0)  # an error begins a group of lines
            column.addWidget(plain_label(text, role=role, wraps=True, is_copyable=True))
        column.addStretch(1)
        self.setWidget(content)


def about_lines(row: PluginRow) -> Iterator[Line]:
    """What a plugin is, where it is, and why it cannot be used."""
    yield "title", row.info.title
    yield "muted", _location(row)
    if row.problem:
        yield "error", f"✗ {row.problem}"
    for paragraph in paragraphs(row.info.doc):
        yield "", paragraph


def check_lines(report: PluginReport | None, stage: str) -> Iterator[Line]:
    """What a check has found; `stage` is what a running check is doing, empty if none runs."""
    yield "title", "Check"
    if stage:
        yield "muted", f"Checking: {stage} …"
    elif report is None:
        yield "muted", NOT_CHECKED
    else:
        yield from _reported(report)


def _reported(report: PluginReport) -> Iterator[Line]:
    if report.is_clean:
        yield "good", "✓ Nothing to fix."
    for finding in report.findings:
        yield "error", f"✗ {finding.sentence}"
        yield "", finding.advice
    for line in figures_lines(report):
        yield "muted", line


def _location(row: PluginRow) -> str:
    if row.location == OURS:
        return f"Part of Headlight: plugins/{Path(row.info.origin).name}"
    return row.info.origin if row.info.package else shorten_home(Path(row.info.origin))


def paragraphs(doc: str) -> list[str]:
    """The paragraphs of a docstring, without its line breaks and backticks; list items stay separate lines."""
    joined = re.sub(r"(?<!\n)\n(?!\n|- ) *", " ", doc.replace("`", ""))
    return [line for line in joined.split("\n") if line]
