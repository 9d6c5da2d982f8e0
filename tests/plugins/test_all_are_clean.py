"""Every built-in plugin passes the plugin check without findings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.engine import Engine
from core.plugins_host.plugin_info import is_built_in
from core.requests import CheckPlugin
from core.settings.fields import schema_settings
from tests.core.watcher import answered

NEEDS_FILES = "parallel_text"  # checked in its own test, which has files
PLUGINS = sorted(path for path in (Path(__file__).parents[2] / "plugins").glob("[a-z]*.py") if path.stem != NEEDS_FILES)


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        engine.plugins()  # starts its plugin process before the first test
        yield engine


@pytest.mark.usefixtures("checks_share_hosts")
@pytest.mark.parametrize("path", PLUGINS, ids=lambda path: path.stem)
def test_the_check_has_no_findings(engine: Engine, path: Path) -> None:
    report = answered(engine, CheckPlugin(plugin=str(path)))
    assert report.findings == ()
    assert report.learnability is not None and report.learnability.is_learned


def test_no_option_shows_its_field_name_as_label(engine: Engine) -> None:
    """Without a label, the window shows an option by its field name: "Num letters"."""
    options = {info.name: schema_settings(info.options_schema or {}) for info in engine.plugins() if is_built_in(info)}
    assert options and not [(name, one.label) for name, own in options.items() for one in own if "Num " in one.label]
