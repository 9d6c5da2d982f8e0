"""Counts the cases of each test, fails a test with lost ones, and prints the table of promises.

Apart from conftest.py, which loads the window: a test runs pytest in a process with no more than this.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.reliability.cases import Cases, merge_with_file, results_of, table_lines

RESULTS_FILE = Path("build") / "reliability.json"  # results of the full lists, run at once or in pieces


@pytest.fixture(scope="session")
def full(pytestconfig: pytest.Config) -> bool:
    """Whether to try every case (`make test-reliability`), not only a few of each kind."""
    return bool(pytestconfig.getoption("--full"))


@pytest.fixture
def cases() -> Cases:
    """Counts a test's cases: `with cases.trying("killed at write 7"): ...`."""
    return Cases()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Fail a test with lost cases once it has tried all of them, and put the counts into its report."""
    counted: Cases | None = getattr(item, "funcargs", {}).get("cases")
    if counted is None:
        return (yield)
    try:
        yield
    finally:  # plain numbers, since xdist sends the report from another process
        item.user_properties += [("tried", counted.tried), ("lost", len(counted.lost))]
    return counted.require_none_lost()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the table; with --full, add the results of other pieces run on the same commit."""
    ended = [terminalreporter.getreports(outcome) for outcome in ("passed", "failed", "error", "skipped")]
    results = results_of(report for reports in ended for report in reports if isinstance(report, pytest.TestReport))
    if config.getoption("--full", False) and results:
        from core.run_files.environment import code_revision  # loads torch, which pytest may not have needed otherwise

        results = merge_with_file(config.rootpath / RESULTS_FILE, code_revision(), results)
    lines = table_lines(results)
    if lines:
        terminalreporter.section("reliability")
        terminalreporter.write_line("\n".join(lines))
