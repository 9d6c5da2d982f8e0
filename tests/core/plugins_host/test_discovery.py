"""The hash of a plugin's code."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import core.plugin
import core.plugin_files
import core.text_form
from core.plugins_host.discovery import PluginSource, code_hash
from core.plugins_host.host import PluginHost

PAIRS = """
def pairs(self, split, rng):
    yield Pair("a", "b")
"""


@pytest.mark.parametrize("module", [core.plugin, core.plugin_files, core.text_form])
def test_the_interface_is_part_of_a_plugins_code_hash(
    write_plugin: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: ModuleType
) -> None:
    source = PluginSource("named", path=str(write_plugin(PAIRS)))
    before = code_hash(source)
    assert code_hash(source) == before
    edited = tmp_path / "edited.py"
    edited.write_text(Path(str(module.__file__)).read_text(encoding="utf-8") + "# edited", encoding="utf-8")
    monkeypatch.setattr(module, "__file__", str(edited))
    assert code_hash(source) != before


def test_every_file_of_an_installed_package_is_part_of_its_code_hash(
    write_plugin: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package installed with `pip install -e` can be edited without a new version."""
    package = tmp_path / "their_package"
    package.mkdir()
    (package / "__init__.py").write_text("from their_package.reading import PLUGIN as PLUGIN\n")
    write_plugin(PAIRS, name="packaged").rename(package / "reading.py")
    metadata = tmp_path / "their_package-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: their_package\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[headlight.datasets]\npackaged = their_package:PLUGIN\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with PluginHost() as host:
        before = host.code_hash("packaged")
        host.reset()
        assert host.code_hash("packaged") == before
        with (package / "reading.py").open("a") as file:
            file.write("# edited")
        host.reset()
        assert host.code_hash("packaged") != before
