"""The wheel: built, installed into an empty environment and used from a folder that is not the clone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
BIN = "Scripts" if sys.platform == "win32" else "bin"


def call(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command without the clone on PYTHONPATH."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=200)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of the source so that it holds no files of an older build."""
    folder = tmp_path_factory.mktemp("wheel")
    caches = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for package in ("core", "gui", "plugins", "resources"):
        shutil.copytree(ROOT / package, folder / "source" / package, ignore=caches)
    for name in ("main.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder / "source" / name)
    built = call(*PIP, "wheel", "--no-deps", "--no-index", "--no-build-isolation", "./source", cwd=folder)
    assert built.returncode == 0, built.stdout + built.stderr
    return next(folder.glob("headlight-*.whl"))


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command folder of an environment with only the wheel installed; it uses this environment's dependencies."""
    folder = tmp_path_factory.mktemp("environment")
    call(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
    installed = call(*PIP, "--python", folder, "install", "--no-deps", "--no-index", wheel, cwd=folder)
    assert installed.returncode == 0, installed.stdout + installed.stderr
    site_packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)}))
    (site_packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    return folder / BIN


def test_wheel_holds_every_module_and_resource(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    expected = {"main.py", "core/py.typed"}
    for package in ("core", "gui", "plugins", "resources"):
        files = (path for path in (ROOT / package).rglob("*") if path.is_file() and "__pycache__" not in path.parts)
        expected |= {path.relative_to(ROOT).as_posix() for path in files}
    assert expected - names == set()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {
        "main.py",
        "core",
        "gui",
        "plugins",
        "resources",
    }


def test_the_command_and_its_modules_are_the_installed_ones(environment: Path, tmp_path: Path) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    shown = call(environment / "headlight", "--version", cwd=tmp_path)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.split()[-1] == version
    result = call(environment / "python", "-c", "import core, main; print(core.__file__, main.__file__)", cwd=tmp_path)
    paths = result.stdout.split()
    assert len(paths) == 2 and all(path.startswith(str(environment.parent)) for path in paths), result


def test_presets_are_found_from_anywhere(environment: Path, tmp_path: Path) -> None:
    result = call(environment / "headlight", "presets", "list", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    for preset in (ROOT / "resources" / "presets").glob("*.yaml"):
        assert preset.stem in result.stdout


def test_trains_from_another_folder(environment: Path, tmp_path: Path) -> None:
    arguments = ["train", "copy_task", "--set", "training.max_steps=3", "--runs-dir", str(tmp_path / "runs"), "--json"]
    trained = call(environment / "headlight", *arguments, cwd=tmp_path)
    assert trained.returncode == 0, trained.stderr
    finished = json.loads(trained.stdout.splitlines()[-1])
    assert (finished["event"], finished["reason"]) == ("run_finished", "max_steps")
    assert (Path(finished["run"]) / "config.yaml").is_file()
    assert Path(finished["run"]).parent == tmp_path / "runs"


FIXTURE_TEST = """
from core.testing import CheckPlugin


def test_contract_by_fixture(check_plugin: CheckPlugin) -> None:
    check_plugin("../my_words.py", with_learning=False)
"""
PLUGIN_WITH_ALL_TYPES = '''
import random
from collections.abc import Iterator, Sequence
from typing import Literal

from core.plugin import DatasetPlugin, Options, Pair, Split, option, split_of


class ReverseOptions(Options):
    length: int = option(6, ge=1, le=64, help="Letters in each word.")
    share: float = option(0.5, ge=0.0, le=1.0)
    alphabet: Literal["latin", "greek"] = option("latin", label="Letters from")
    doubled: bool = option(False)


class Reverse(DatasetPlugin[ReverseOptions]):
    """Write the source backwards."""

    name = "reverse"
    title = "Reverse a word"
    tokenizer = ("characters", "whitespace")

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        while len(word := "".join(rng.choices("abc", k=self.options.length))) and split_of(word) != split:
            pass
        yield Pair(word, word[::-1], alignment=[(0, 0)])

    def examples(self) -> Sequence[str]:
        return ["abc" * self.options.length]


PLUGIN = Reverse
'''
# Modules that core.testing uses, torch among them, are checked with the rest of core and would take ten seconds here;
# pytest, which these files do not import, would take three.
MYPY_CONFIG = """
[mypy]
[mypy-core.engine,core.plugin_check.*,core.errors,core.requests,torch.*,pytest.*,_pytest.*]
follow_imports = skip
"""


def test_a_new_plugin_is_tested_and_type_checked_against_the_installed_package(
    environment: Path, tmp_path: Path
) -> None:
    made = call(environment / "headlight", "plugins", "new", "my_words", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    plugin, test = map(Path, made.stdout.splitlines())
    by_fixture = test.with_name("test_by_fixture.py")
    by_fixture.write_text(FIXTURE_TEST)
    options = ("-W", "error", "-p", "no:pytest-qt", "-p", "no:cacheprovider")
    tested = call(environment / "python", "-m", "pytest", *options, test, by_fixture, cwd=tmp_path)
    assert tested.returncode == 0 and "2 passed" in tested.stdout, tested.stdout + tested.stderr
    typed_plugin = tmp_path / "reverse.py"
    typed_plugin.write_text(PLUGIN_WITH_ALL_TYPES)
    (tmp_path / "mypy.ini").write_text(MYPY_CONFIG)
    strict = (sys.executable, "-m", "mypy", "--strict", "--python-executable", environment / "python")
    typed = call(*strict, "--cache-dir", os.devnull, plugin, test, by_fixture, typed_plugin, cwd=tmp_path)
    assert typed.returncode == 0, typed.stdout
