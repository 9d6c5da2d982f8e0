"""Counts a promise's cases: how many were tried and survived, and which were lost."""

from __future__ import annotations

import json
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import pytest

from tests.reliability.promises import PROMISES


@dataclass
class Cases:
    """The cases of one test. A lost case does not stop the test: it tries the rest and then fails."""

    tried: int = 0
    lost: list[str] = field(default_factory=list)

    @contextmanager
    def trying(self, name: str) -> Iterator[None]:
        """Try one case; any exception inside loses it, including pytest's failures, which are no subclass of Exception.

        A timeout is raised again and ends the test, since later cases could hang without a limit.
        """
        self.tried += 1
        try:
            yield
        except (Exception, pytest.fail.Exception) as error:
            message = f"{name}\n{traceback.format_exc()}"
            self.lost.append(message.encode(errors="backslashreplace").decode())  # xdist sends UTF-8 only
            if "from pytest-timeout" in str(error):
                raise

    def require_none_lost(self) -> None:
        """Fail and show every lost case, if there is one."""
        if self.lost:
            pytest.fail(f"lost {len(self.lost)} of {self.tried}:\n\n" + "\n".join(self.lost), pytrace=False)


class Result(NamedTuple):
    """The result of one test: the cases that it counted, or 1 for the test itself if it counted none."""

    tried: int = 0
    lost: int = 0
    skipped: int = 0  # tests that cannot run here
    seconds: float = 0.0

    def with_report(self, report: pytest.TestReport) -> Result:
        """Return this result updated by another report of the test: of its call, or of a fixture that failed."""
        properties: dict[str, Any] = dict(report.user_properties)
        seconds = self.seconds + report.duration
        if report.skipped:
            return self._replace(skipped=1, seconds=seconds)
        tried, lost = properties.get("tried", 0) or 1, properties.get("lost", 0) or int(report.failed)
        return self._replace(tried=max(self.tried, tried), lost=max(self.lost, lost), seconds=seconds)


Results = Mapping[str, Result]  # by the test's id


def results_of(reports: Iterable[pytest.TestReport]) -> Results:
    """The results of the tests in tests/reliability."""
    results: dict[str, Result] = {}
    for report in reports:
        if report.nodeid.startswith("tests/reliability/"):
            results[report.nodeid] = results.get(report.nodeid, Result()).with_report(report)
    return results


def merge_with_file(file: Path, revision: str | None, results: Results) -> Results:
    """Merge these results into those that the file holds for the same revision; save and return them."""
    known: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    earlier = known["results"] if known.get("revision") == revision else {}
    together = {name: Result(*numbers) for name, numbers in earlier.items()} | dict(results)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"revision": revision, "results": together}, indent=1), encoding="utf-8")
    return together


def table_lines(results: Results) -> list[str]:
    """The table's lines: a header, and a row for each promise that was tested. Empty if none was tested."""
    rows: dict[str, Result] = {}
    for test, result in results.items():
        name = PurePosixPath(test.partition("::")[0]).stem.removeprefix("test_")
        rows[name] = Result._make(map(sum, zip(rows.get(name, Result()), result, strict=True)))
    tested = [(number, name, rows[name]) for number, name in PROMISES.items() if name in rows]
    head = f"{'promise':20} {'tried':>7} {'survived':>9} {'lost':>5} {'tests skipped':>14} {'seconds':>8}"
    lines = [
        f"{number:2} {name:17} {row.tried:7,} {row.tried - row.lost:9,} {row.lost:5,} {row.skipped:14,}"
        f" {row.seconds:8,.0f}"
        for number, name, row in tested
    ]
    return [head, *lines] if lines else []
