"""`plugins new`: the plugins it writes are found, train and pass their test.

tests/test_wheel.py runs pytest and mypy on one, as its author would.
"""

from __future__ import annotations

import json
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import UserError
from core.new_plugin import require_new_name, write_package, write_plugin
from core.plugins_host.host import PluginHost
from core.plugins_host.plugin_info import PluginInfo
from core.plugins_host.split_drawing import draw_lines
from tests.full_disk import no_file_beyond
from tests.in_process import run_headlight

TINY = ("model.d_model=16", "model.num_heads=2", "model.d_ff=16", "training.max_steps=3", "training.validate_every=100")


def row_of(name: str, folder: Path) -> dict[str, object]:
    """The row of `plugins list` for a plugin."""
    result = run_headlight("plugins", "list", "--json", cwd=folder)
    return next(row for row in map(json.loads, result.stdout.splitlines()) if row["name"] == name)


def assert_trains(name: str, folder: Path) -> None:
    """Train the plugin with the one-line config that its docstring shows."""
    (folder / "run.yaml").write_text(f"dataset: {{plugin: {name}}}\n", encoding="utf-8")
    settings = [word for setting in TINY for word in ("--set", setting)]
    trained = run_headlight("train", "run.yaml", *settings, "--json", cwd=folder)
    assert trained.returncode == 0, trained.stderr
    assert json.loads(trained.stdout.splitlines()[-1])["reason"] == "max_steps"


def test_a_new_plugin_is_found_and_trains(tmp_path: Path) -> None:
    made = run_headlight("plugins", "new", "my_words", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    plugin, _ = map(Path, made.stdout.splitlines())
    row = row_of("my_words", tmp_path)
    assert (row["origin"], row["title"], row["state"]) == (str(plugin), "My words", "ready")
    assert_trains("my_words", tmp_path)


def test_a_new_package_is_installed_found_trained_and_passes_its_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = run_headlight("plugins", "new", "my_words", "--package", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    package, site = tmp_path / "headlight-my-words", tmp_path / "site"
    assert {tmp_path / line for line in made.stdout.splitlines()} == {
        *(package / name for name in ("headlight_my_words.py", "pyproject.toml", "README.md", ".gitignore")),
        package / "tests" / "test_my_words.py",
    }
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--target", str(site)]
    install = [*pip, "--no-deps", "--no-index", "--no-build-isolation", str(package)]
    installed = subprocess.run(install, cwd=tmp_path, capture_output=True, text=True, timeout=200)
    assert installed.returncode == 0, installed.stdout + installed.stderr
    monkeypatch.setenv("PYTHONPATH", str(site))
    row = row_of("my_words", tmp_path)
    assert (row["origin"], row["package"], row["state"]) == (
        *("headlight_my_words:PLUGIN", "headlight-my-words 0.1.0", "ready"),
    )
    assert row["version"] == "headlight-my-words 0.1.0 · API 1"
    assert_trains("my_words", tmp_path)
    runpy.run_path(str(package / "tests" / "test_my_words.py"))["test_contract"]()


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX resource limits")
@pytest.mark.parametrize("write", [write_plugin, write_package])
def test_a_disk_that_fills_is_left_as_it_was(write: Callable[[str, Path], list[Path]], tmp_path: Path) -> None:
    kept, largest = tmp_path / "made", 0
    for path in write("my_words", kept):
        largest = max(largest, path.stat().st_size)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "other.py").touch()
    with no_file_beyond(largest - 1), pytest.raises(UserError, match="cannot be written: File too large"):
        write("my_words", tmp_path / "full")
    assert [path.name for path in (tmp_path / "full").rglob("*")] == ["other.py"]


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_git_ignores_what_installing_and_testing_leave_in_a_package(tmp_path: Path) -> None:
    written = write_package("my_words", tmp_path)
    package = written[0].parent
    build = ["-c", "import setuptools; setuptools.setup()", "--quiet", "bdist_wheel"]
    for command in (build, ["-m", "compileall", "-q", "."]):
        done = subprocess.run([sys.executable, *command], cwd=package, capture_output=True, text=True, timeout=200)
        assert done.returncode == 0, done.stdout + done.stderr
    assert {path.name for path in package.iterdir()} > {"__pycache__", "build", "dist"}
    subprocess.run(["git", "init", "--quiet"], cwd=package, check=True)
    listed = subprocess.run(
        ["git", "ls-files", "--others", "--exclude-standard"], cwd=package, capture_output=True, text=True, check=True
    )
    assert {package / line for line in listed.stdout.splitlines()} == set(written)


@pytest.mark.usefixtures("engines_share_a_host")
@pytest.mark.parametrize("name", ["", "My words", "my-words", "../words", "1st", "null", "copy_task"])
def test_an_invalid_name_is_refused_in_one_line(name: str, tmp_path: Path) -> None:
    result = run_headlight("plugins", "new", name, "--package", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert len(result.stderr.splitlines()) == 1 and repr(name) in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_name_of_a_broken_plugin_is_taken() -> None:
    broken = PluginInfo("words", "words", "", "/there/words.py", error="SyntaxError")
    require_new_name("other_words", [broken])
    with pytest.raises(UserError, match=r"already a dataset plugin 'words' \(/there/words.py\). Choose another name"):
        require_new_name("words", [broken])


@pytest.mark.parametrize("write", [write_plugin, write_package])
def test_existing_files_are_not_changed(write: Callable[[str, Path], list[Path]], tmp_path: Path) -> None:
    last = write("words", tmp_path)[-1]
    last.write_text("mine", encoding="utf-8")
    for path in (path for path in tmp_path.rglob("*.py") if path != last):
        path.unlink()
    with pytest.raises(UserError, match="exists already"):
        write("words", tmp_path)
    assert list(tmp_path.rglob("*.py")) == [last] and last.read_text(encoding="utf-8") == "mine"


def test_an_unwritable_path_is_named(tmp_path: Path) -> None:
    (tmp_path / "plugins").write_text("a file", encoding="utf-8")
    with pytest.raises(UserError, match=r"plugins.words.py cannot be written: .*plugins is a file, expected"):
        write_plugin("words", tmp_path / "plugins")
    with pytest.raises(UserError, match="cannot be written"):
        write_plugin("w" * 300, tmp_path)


@pytest.mark.parametrize("name", ["class", "random", "core", "torch"])
def test_a_file_that_would_shadow_another_module_is_not_written(name: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"'{name}' means something else to Python: .* such as my_{name}"):
        write_plugin(name, tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert write_package(name, tmp_path)  # a package has the module headlight_NAME


def test_no_plugin_name_hides_what_the_plugin_imports(tmp_path: Path) -> None:
    names = ("pair", "options", "dataset_plugin", "split", "a", "x1_y2z", "class", "random", "core")
    written, _ = write_plugin("stand_in", tmp_path)
    text = written.read_text(encoding="utf-8")
    written.unlink()
    for name in names:
        (tmp_path / f"{name}.py").write_text(text.replace("stand_in", name), encoding="utf-8")
    with PluginHost([tmp_path]) as host:
        for name in names:
            assert sum(map(len, draw_lines(host, name, {}, 0, "valid"))) == 200
