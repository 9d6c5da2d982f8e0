"""Counts the cases of a promise: how many were tried, how many survived, which were lost."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.reliability.promises import PROMISES


@dataclass
class Cases:
    """The cases of one test. One that is lost does not keep the others from being tried; the test fails at its end."""

    tried: int = 0
    lost: list[str] = field(default_factory=list)

    @contextmanager
    def trying(self, what: str) -> Iterator[None]:
        """One case; whatever is raised inside loses it."""
        self.tried += 1
        try:
            yield
        except Exception:
            self.lost.append(f"{what}\n{traceback.format_exc()}")

    def require_none_lost(self) -> None:
        """Fail, and show every lost case."""
        if self.lost:
            pytest.fail(f"lost {len(self.lost)} of {self.tried}:\n\n" + "\n".join(self.lost), pytrace=False)


@dataclass
class Row:
    """What became of a promise's cases."""

    tried: int = 0
    lost: int = 0
    skipped: int = 0  # tests that cannot run here

    def take(self, report: pytest.TestReport) -> None:
        """Add a finished test: the cases it counted, or itself where it counted none."""
        counted: dict[str, Any] = dict(report.user_properties)
        self.skipped += report.skipped
        if not report.skipped:
            self.tried += counted.get("tried", 0) or 1
            self.lost += counted.get("lost", 0) or report.failed


def table(reports: Iterable[pytest.TestReport]) -> list[str]:
    """The lines of the table: a row for each promise that was tested. None where none was."""
    rows: dict[str, Row] = {}
    for report in reports:
        folder, _, file = report.nodeid.partition("::")[0].rpartition("/")
        if folder == "tests/reliability":
            rows.setdefault(file.removeprefix("test_").removesuffix(".py"), Row()).take(report)
    tested = [(number, name, rows[name]) for number, name in PROMISES.items() if name in rows]
    head = f"{'promise':20} {'tried':>7} {'survived':>9} {'lost':>5} {'tests skipped':>14}"
    lines = [
        f"{number:2} {name:17} {row.tried:7,} {row.tried - row.lost:9,} {row.lost:5,} {row.skipped:14,}"
        for number, name, row in tested
    ]
    return [head, *lines] if lines else []
