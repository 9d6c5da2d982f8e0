"""The frame of the promises' tests: long or short lists, and a table of what was tried and what was lost."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from core.machine.environment import code_revision
from tests.gui.conftest import empty_window, small_file, wait_for_state, window  # noqa: F401 (fixtures: the real window)
from tests.reliability.cases import Cases, merge_with_file, results_of, table_lines

RESULTS_FILE = Path("build") / "reliability.json"  # what the full lists gave, whether tried at once or in pieces


@pytest.fixture(scope="session")
def full(pytestconfig: pytest.Config) -> bool:
    """Whether to try everything (`make test-reliability`), not only a few cases of each kind."""
    return bool(pytestconfig.getoption("--full"))


@pytest.fixture
def cases() -> Cases:
    """Where a test counts its cases: `with cases.trying("killed at write 7"): ...`."""
    return Cases()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """A test whose cases were not all survived fails when all have been tried; its report says how many those were."""
    counted: Cases | None = getattr(item, "funcargs", {}).get("cases")
    if counted is None:
        return (yield)
    try:
        yield
    finally:  # plain numbers: a report may come from another process
        item.user_properties += [("tried", counted.tried), ("lost", len(counted.lost))]
    return counted.require_none_lost()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the table; of the full lists together with what was tried in other pieces on the same commit."""
    ended = [terminalreporter.getreports(outcome) for outcome in ("passed", "failed", "error", "skipped")]
    results = results_of(report for reports in ended for report in reports if isinstance(report, pytest.TestReport))
    if config.getoption("--full", False) and results:
        results = merge_with_file(config.rootpath / RESULTS_FILE, code_revision(), results)
    lines = table_lines(results)
    if lines:
        terminalreporter.section("reliability")
        terminalreporter.write_line("\n".join(lines))
