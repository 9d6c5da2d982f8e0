"""For plugin authors' tests: `check_plugin` checks the whole contract. pytest knows this module as `headlight`.

    from core.testing import check_plugin

    def test_contract():
        check_plugin("reverse.py")

The fixture of the same name does the same without the import. Neither touches torch before it is called.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Protocol

import pytest


def check_plugin(plugin: str | Path, *, with_learning: bool = True) -> None:
    """Fail the test with a sentence for each thing to fix, as `headlight plugins check` prints them.

    `plugin` is a name, or a .py file: absolute, or relative to the file of the test. A small model must learn 32 of
    its pairs within a minute, which mostly takes one or two seconds; `with_learning=False` skips that.
    """
    __tracebackhide__ = True
    _check(plugin, Path(sys._getframe(1).f_code.co_filename).parent, with_learning)


class CheckPlugin(Protocol):
    """The type of the fixture `check_plugin`."""

    def __call__(self, plugin: str | Path, *, with_learning: bool = True) -> None: ...


@pytest.fixture(name="check_plugin")
def _check_plugin(request: pytest.FixtureRequest) -> CheckPlugin:
    """Check a plugin as `core.testing.check_plugin` does."""

    def check(plugin: str | Path, *, with_learning: bool = True) -> None:
        __tracebackhide__ = True
        _check(plugin, request.path.parent, with_learning)

    return check


def _check(plugin: str | Path, folder: Path, with_learning: bool) -> None:
    __tracebackhide__ = True
    from core.engine import Engine
    from core.errors import UserError
    from core.plugin_check.report_text import findings_text
    from core.requests import CheckPlugin

    is_file = str(plugin).endswith(".py") or Path(plugin).name != str(plugin)
    given = str(folder / plugin if is_file else plugin)
    with Engine() as engine:
        try:
            report = engine.ask(CheckPlugin(plugin=given, with_learning=with_learning)).result()
        except UserError as error:
            pytest.fail(str(error), pytrace=False)
    if not report.is_clean:
        pytest.fail(f"{report.name} ({report.origin}): {findings_text(report)}", pytrace=False)
