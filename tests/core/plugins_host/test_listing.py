"""Where plugins are found, and the listing's row for a plugin that cannot be loaded."""

import os
import subprocess
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from core.plugin import API_VERSION
from core.plugins_host.discovery import user_plugins_dir
from core.plugins_host.errors import NOT_FOUND_ADVICE, PluginError
from core.plugins_host.host import PluginHost
from core.user_dirs import USER_DIRS
from tests.core.plugins_host.helpers import GOOD, draw_pairs, error_of, info_of, seconds_waited
from tests.reliability.privileges import NOBODY, UNPRIVILEGED, needs_setpriv
from tests.reliability.training_process import MAIN


def test_built_in_plugins_are_found_like_all_others(host: PluginHost) -> None:
    assert info_of(host, "copy_task").error is None
    assert info_of(host, "copy_task").endless


# (class body, words of the error)
NOT_LOADED = [
    ("1 / 0", "ZeroDivisionError: division by zero"),
    ("def pairs(self, split rng)", "SyntaxError"),
    ("sys.exit(1)", "SystemExit: 1"),
    ("os._exit(1)", "ended its process (exit code 1)"),
    ("ctypes.string_at(0)", "crashed (SIGSEGV)"),
    ("import no_such_module", "No module named 'no_such_module'"),
    ("time.sleep(1000)", "gave no answer within"),
    ("pass", "does not define pairs"),
    ("tokenizer = 'words'\ndef pairs(self, split, rng): yield", "tokenizer 'words'"),
    ("tokenizer = None\ndef pairs(self, split, rng): yield", "tokenizer None, expected 'characters'"),
    ("tokenizer = {'subword'}\ndef pairs(self, split, rng): yield", "tokenizer {'subword'}, expected 'characters'"),
    ("tokenizer = ['subword', ['x']]\ndef pairs(self, split, rng): yield", "['x']], expected 'characters'"),
    ("title = 'Two\\nlines'\ndef pairs(self, split, rng): yield", "needs a title of one line"),
    ("title = ' '\ndef pairs(self, split, rng): yield", "needs a title of one line"),
    ("name = 'Has Spaces'\ndef pairs(self, split, rng): yield", "needs a name of lower-case letters"),
    ("api_version = '1'", "has api_version '1', expected the number of a version"),
    ("api_version = 99", "was made for version 99 of core.plugin, and this Headlight has version 1: use a newer"),
    ("from core.plugin import Later", "cannot import name 'Later' from 'core.plugin'"),
    ("from core.plugin import Later", "this Headlight has version 1 of it"),
    ("options_class = type('Bad', (Options,), {'n': option(0, ge=1)})", "PydanticUserError"),
]  # fmt: skip


def test_a_plugin_that_cannot_be_loaded_has_a_row(folder: Path, write_plugin: Any) -> None:
    names = [f"case_{number}" for number in range(len(NOT_LOADED))]
    paths = [write_plugin(body, name=name) for name, (body, _) in zip(names, NOT_LOADED, strict=True)]
    write_plugin("def pairs(self, split, rng): yield")
    with PluginHost([folder], describe_timeout=3.0) as host:
        for name, path, (body, words) in zip(names, paths, NOT_LOADED, strict=True):
            error = info_of(host, name).error
            assert error is not None and words in error and str(path) in error, body
            assert seconds_waited(error) in (None, *range(3, 60))
            raised = error_of(partial(draw_pairs, host, name))
            assert isinstance(raised, PluginError) and raised.sentence == error, body
        assert info_of(host, "copy_task").error is None
        assert info_of(host, "named").error is None  # found after all broken ones


def test_a_file_without_a_plugin_class_has_a_row(host: PluginHost, folder: Path) -> None:
    (folder / "empty.py").touch()
    (folder / "number.py").write_text("PLUGIN = 3")
    assert "does not define PLUGIN" in str(info_of(host, "empty").error)
    assert "PLUGIN is 3" in str(info_of(host, "number").error)


def test_a_folder_may_be_given_relative_to_home(write_plugin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write_plugin(GOOD)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(file.parent))
    monkeypatch.setenv("HEADLIGHT_PLUGINS", "~")
    with PluginHost() as host:
        assert info_of(host, "named").origin == str(file)


def test_an_unreadable_plugin_folder_has_a_row() -> None:
    with PluginHost([Path("x" * 300)]) as host:
        assert "it cannot be read (File name too long)" in str(info_of(host, "x" * 300).error)
        assert info_of(host, "copy_task").error is None


@needs_setpriv
@pytest.mark.parametrize(("is_own", "is_parent_closed"), [(True, False), (True, True), (False, False)])
def test_a_plugin_folder_that_may_not_be_read_has_a_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_own: bool, is_parent_closed: bool
) -> None:
    folder = user_plugins_dir() if is_own else tmp_path / "a colleague's"
    folder.mkdir(parents=True)
    closed = folder.parent if is_parent_closed else folder
    closed.chmod(0o700)
    os.chown(closed, NOBODY, NOBODY)
    monkeypatch.setenv("HEADLIGHT_PLUGINS", "" if is_own else str(folder))
    command = [*UNPRIVILEGED, *MAIN, "plugins", "list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert f"it cannot be read (Permission denied) ({folder})." in listed


def test_a_missing_plugin_and_a_missing_folder_are_named(
    tmp_path: Path, write_plugin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_plugin(GOOD)
    monkeypatch.setenv("HEADLIGHT_PLUGINS", str(file))
    with PluginHost([tmp_path / "nowhere"]) as host:
        assert "no such folder" in str(info_of(host, "nowhere").error)
        with pytest.raises(PluginError, match=r"no dataset plugin 'copy_tusk'.*copy_task") as exc_info:
            host.options("copy_tusk", {})
    assert f" {tmp_path / 'nowhere'}: there is no such folder. {file}: it is a file, expected a folder. " in str(
        exc_info.value
    )
    assert str(exc_info.value).endswith(NOT_FOUND_ADVICE)


def test_of_two_plugins_with_one_name_neither_wins(host: PluginHost, write_plugin: Any) -> None:
    files = [write_plugin(GOOD, file="one.py"), write_plugin(GOOD, file="two.py")]
    assert [info.name for info in host.plugins()].count("named") == 2
    with pytest.raises(PluginError) as exc_info:
        host.options("named", {})
    assert all(str(path) in exc_info.value.sentence for path in files)


def test_a_users_plugin_replaces_a_built_in_one(host: PluginHost, write_plugin: Any) -> None:
    own = write_plugin(GOOD, name="reverse")
    rows = {info.origin: info for info in host.plugins() if info.name == "reverse"}
    assert rows.pop(str(own)).error is None
    (built_in,) = rows.values()
    assert built_in.error == f"{own} has the name 'reverse' too, and is used in its place."
    assert [source.path for source in host.sources_of("reverse")] == [str(own)]
    assert host.options("reverse", {"length": 4}) == {"length": 4, "noise": 0.5}


def test_a_broken_file_keeps_its_own_error_if_its_name_is_taken(host: PluginHost, folder: Path) -> None:
    path = folder / "copy_task.py"
    path.write_text("this is no Python\n")
    errors = {info.origin: str(info.error) for info in host.plugins() if info.name == "copy_task"}
    assert "SyntaxError" in errors.pop(str(path))
    assert len(errors) == 1
    assert list(errors.values()) == [
        f"{path} has the name 'copy_task' too, and cannot be used itself: fix it, or move it away."
    ]
    with pytest.raises(PluginError, match="SyntaxError"):  # the fault to fix
        host.info("copy_task")


def test_folders_of_the_environment_and_of_the_user_are_searched(
    folder: Path, write_plugin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    users = USER_DIRS.user_data_path / "plugins"
    users.mkdir(parents=True)
    write_plugin(GOOD)
    write_plugin(GOOD, name="of_user").rename(users / "of_user.py")
    monkeypatch.setenv("HEADLIGHT_PLUGINS", str(folder))
    with PluginHost() as host:
        assert {"named", "of_user", "copy_task"} <= {info.name for info in host.plugins() if info.error is None}


def test_hidden_files_of_editors_and_systems_are_no_plugins(host: PluginHost, folder: Path, write_plugin: Any) -> None:
    write_plugin(GOOD)
    (folder / ".#named.py").symlink_to("author@laptop.123")  # Emacs, while the file has unsaved changes
    (folder / "._named.py").write_bytes(b"\0\5\26\7")  # macOS, on a disk of another system
    assert [info.name for info in host.plugins() if str(folder) in info.origin] == ["named"]


def test_a_folder_named_in_two_places_is_searched_once(
    folder: Path, tmp_path: Path, write_plugin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "others"
    other.mkdir()
    write_plugin(GOOD, name="other").rename(other / "other.py")
    write_plugin(GOOD)
    monkeypatch.setenv("HEADLIGHT_PLUGINS", os.pathsep.join([str(folder), str(other)]))
    with PluginHost([folder]) as host:
        names = [info.name for info in host.plugins() if info.error is None]
    assert names.count("named") == names.count("other") == 1


def test_a_file_and_links_to_it_are_one_plugin(
    folder: Path, tmp_path: Path, write_plugin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file counts, wherever its folder is named: others that it reads may lie beside it."""
    file = write_plugin(GOOD)
    for other in ("before", "after"):
        (tmp_path / other).mkdir()
        (tmp_path / other / "linked.py").symlink_to(file)
    monkeypatch.setenv("HEADLIGHT_PLUGINS", os.pathsep.join([str(folder), str(tmp_path / "after")]))
    with PluginHost([tmp_path / "before"]) as host:
        assert [(info.origin, info.error) for info in host.plugins() if info.name == "named"] == [(str(file), None)]
    monkeypatch.setenv("HEADLIGHT_PLUGINS", str(tmp_path / "after"))
    with PluginHost([tmp_path / "before"]) as host:
        (info,) = (info for info in host.plugins() if info.name == "named")
        assert (info.origin, info.error) == (str(tmp_path / "before" / "linked.py"), None)


@pytest.mark.parametrize("named", ["their_package:PLUGIN", "their_package"])
def test_entry_points_are_found_and_a_broken_one_has_a_row(
    tmp_path: Path, write_plugin: Any, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    write_plugin(GOOD, name="packaged").rename(tmp_path / "their_package.py")
    metadata = tmp_path / "their_package-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: their_package\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        f"[headlight.datasets]\npackaged = {named}\nbroken = no_such_package:PLUGIN\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with PluginHost() as host:
        info = info_of(host, "packaged")
        assert (info.origin, info.package, info.version) == (
            *(named, "their_package 1.0", f"their_package 1.0 · API {API_VERSION}"),
        )
        assert len(draw_pairs(host, "packaged", "valid")) == 10
        broken = info_of(host, "broken")
        assert "no_such_package" in str(broken.error) and broken.version == "their_package 1.0"
    unnamed = (tmp_path / "their_package.py").read_text().replace('name = "packaged"', 'name = "Packaged"')
    (tmp_path / "their_package.py").write_text(unnamed)
    with PluginHost() as host:
        assert f"({tmp_path / 'their_package.py'}, line 8)" in str(info_of(host, "packaged").error)


def test_plugins_are_listed_in_a_thread_and_close_ends_it(folder: Path) -> None:
    for seconds in (0.0, 0.1, 1.0):  # closed before, during and after listing
        with PluginHost([folder]) as host:
            host.warm_up()
            time.sleep(seconds)
    with PluginHost([folder]) as host:
        host.warm_up()
        assert "copy_task" in [info.name for info in host.plugins()]
