"""make, .ci/run and the scripts they call: they set up once and run every check, also in a bare clone."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAKE_VARIABLES = ("MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MFLAGS")  # set by make for its child processes
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no make and sh")


def call(*command: str, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command without a terminal and without the variables of a make that started these tests."""
    environment = {name: value for name, value in os.environ.items() if name not in MAKE_VARIABLES} | environment
    return subprocess.run(command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)


def normalised(name: str) -> str:
    """A package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A separate folder with the files that `make setup` reads."""
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.fixture
def installed(clone: Path) -> Path:
    """The clone with a .venv whose Python runs the real one, but records calls of pip instead of running them."""
    python = clone / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\n[ "$2" = pip ] && echo "$*" >> pip-calls && exit 0\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    python.with_name("pip").symlink_to("python")
    return clone


def pip_calls(clone: Path) -> list[str]:
    """The arguments of each call of pip so far."""
    return (clone / "pip-calls").read_text().splitlines()


def test_help_lists_every_target_with_its_description() -> None:
    output = call("make", "help").stdout
    assert {"make setup", "make run", "make test"} <= set(re.findall(r"^make [a-z-]+", output, flags=re.MULTILINE))
    assert all(re.match(r"make [a-z-]+ +\S", line) for line in output.splitlines())


def test_make_test_runs_every_check() -> None:
    commands = call("make", "--dry-run", "test").stdout
    for check in ("scripts/setup.sh", "ruff check .", "ruff format --check .", "-m mypy", "-m pytest"):
        assert check in commands


def test_a_folder_of_corpora_may_have_a_space_in_its_name() -> None:
    for target in ("check-quality", "check-scale"):
        commands = call("make", "--dry-run", target, "DATA=my data").stdout
        assert shlex.split(commands.splitlines()[-1])[3:] == ["my data"]


def test_setup_installs_again_only_when_the_requirements_change(installed: Path) -> None:
    assert call("make", "setup", cwd=installed).returncode == 0
    first = pip_calls(installed)
    assert [line.split()[-1] for line in first] == ["setuptools", ".[dev]"]
    assert all("--constraint constraints.txt" in line for line in first)

    assert call("make", "setup", cwd=installed).returncode == 0
    assert pip_calls(installed) == first

    with (installed / "constraints.txt").open("a") as constraints:
        constraints.write("# another set\n")
    assert call("make", "setup", cwd=installed).returncode == 0
    assert len(pip_calls(installed)) == 2 * len(first)


def test_an_interrupted_setup_is_repeated(installed: Path) -> None:
    python = installed / ".venv" / "bin" / "python"
    script = python.read_text()
    python.write_text(script.replace("exit 0", "exit 1"))
    assert call("make", "setup", cwd=installed).returncode != 0
    python.write_text(script)
    assert call("make", "setup", cwd=installed).returncode == 0
    assert len(pip_calls(installed)) == 3


def test_an_incomplete_venv_is_created_again(installed: Path) -> None:
    """The python3 on PATH is a script that records its call and puts the recording .venv of `installed` there."""
    (installed / ".venv").rename(installed / "whole")
    (installed / ".venv" / "bin").mkdir(parents=True)
    (installed / ".venv" / "bin" / "python").symlink_to(sys.executable)
    python = installed / "tools" / "python3"
    python.parent.mkdir()
    making = 'echo "$*" > venv-call && rm -r .venv && mv whole .venv && exit 0'
    python.write_text(f'#!/bin/sh\n[ "$2" = venv ] && {making}\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    tools_first = os.pathsep.join([str(python.parent), os.environ["PATH"]])
    # If the broken .venv were kept, its pip would be that of these tests' Python, which must not download anything.
    result = call("make", "setup", cwd=installed, PATH=tools_first, PIP_NO_INDEX="1", PIP_FIND_LINKS="")
    assert result.returncode == 0 and "Making .venv" in result.stdout, result.stderr
    assert (installed / "venv-call").read_text() == "-m venv --clear .venv\n"
    assert len(pip_calls(installed)) == 2


def test_setup_without_a_new_enough_python_says_so(clone: Path, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in ("sh", "dirname", "cat", "cksum"):
        (tools / tool).symlink_to(shutil.which(tool) or "")
    result = call(shutil.which("sh") or "sh", "scripts/setup.sh", cwd=clone, PATH=str(tools))
    assert result.returncode != 0
    assert "No Python 3.11 or newer was found" in result.stderr
    assert "deadsnakes" in result.stderr and "uv python install" in result.stderr  # for systems with an older python3
    assert "Traceback" not in result.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux needs system libraries")
def test_missing_system_packages_are_reported_as_one_command(tmp_path: Path) -> None:
    result = call(sys.executable, "scripts/system_packages.py", PATH=str(tmp_path))
    assert result.returncode == 0
    line = result.stderr.splitlines()[-1]
    assert line.strip().startswith("sudo apt-get")
    assert line.endswith("xvfb")


def test_ci_run_calls_make_test_from_anywhere(tmp_path: Path) -> None:
    shutil.copytree(ROOT / ".ci", tmp_path / "clone" / ".ci")
    (tmp_path / "clone" / "Makefile").write_text("test:\n\t@cat && pwd && exit 3\n")
    result = call(str(tmp_path / "clone" / ".ci" / "run"), cwd=tmp_path)
    assert result.returncode == 2  # make's exit code for a failed recipe
    assert result.stdout.strip() == str(tmp_path / "clone")


def test_constraints_pin_every_dependency_and_contain_no_paths() -> None:
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][0-9a-z.]*", line) for line in lines)
    pinned = {normalised(line.partition("==")[0]) for line in lines}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = [*project["dependencies"], *chain.from_iterable(project["optional-dependencies"].values())]
    names = {normalised(re.split(r"[<>=!~ \[]", requirement)[0]) for requirement in needed}
    assert names - {project["name"]} <= pinned
