"""Writes a new dataset plugin that works and says in comments what to change, with its test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib.resources import files
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from string import Template

from core.at_path import exists
from core.errors import UserError
from core.plugin import API_VERSION
from core.plugins_host.discovery import NAME_PATTERN
from core.plugins_host.plugin_info import PluginInfo
from core.run_files.write_errors import why_not_written
from core.short_repr import short_repr
from core.user_input.strict_yaml import read_yaml


def require_new_name(name: str, infos: Iterable[PluginInfo]) -> None:
    """Raise UserError if `name` is no plugin name, or no text in YAML, or one of `infos` has it.

    Of two plugins with one name neither could be used.
    """
    if not NAME_PATTERN.fullmatch(name):
        raise UserError(
            f"{short_repr(name, 60)} is not a name for a plugin.",
            "Use lower-case letters, digits and underscores, a letter first, such as my_words.",
        )
    if not isinstance(read_yaml(name, name).value, str):  # true, false and null
        raise UserError(
            f"{name!r} means something else in YAML: settings with plugin: {name} would name no plugin.",
            f"Choose another name, such as my_{name}.",
        )
    for info in infos:
        if info.name == name:
            raise UserError(f"There is already a dataset plugin {name!r} ({info.origin}).", "Choose another name.")


def write_plugin(name: str, folder: Path) -> list[Path]:
    """Write `folder`/NAME.py and its test; returns both, the plugin first.

    Raises UserError if one of them exists or cannot be written, and then leaves none, or if the file would be taken for
    another module.
    """
    if iskeyword(name) or find_spec(name) is not None:  # python -m pytest would import this file instead
        raise UserError(
            f"{name!r} means something else to Python: a file {name}.py would be taken for that, or for nothing.",
            f"Choose another name, such as my_{name}.",
        )
    texts = {folder / f"{name}.py": "plugin.py", folder / "tests" / f"test_{name}.py": "test_plugin.py"}
    return _write(texts, name, module=name)


def write_package(name: str, folder: Path) -> list[Path]:
    """Write an installable package with an entry point, README, .gitignore and test into a new folder inside `folder`.

    Returns its files, the plugin first. Raises UserError if one of them exists or cannot be written,
    and then leaves none.
    """
    module = f"headlight_{name}"  # distinct from all installed modules, whatever NAME is
    package = folder / _distribution(name)
    texts = {
        package / f"{module}.py": "plugin.py",
        package / "pyproject.toml": "pyproject.toml",
        package / "README.md": "README.md",
        package / ".gitignore": "gitignore",
        package / "tests" / f"test_{name}.py": "test_plugin.py",
    }
    return _write(texts, name, module=module)


def _distribution(name: str) -> str:
    return f"headlight-{name.replace('_', '-').strip('-')}"


def _write(texts: Mapping[Path, str], name: str, *, module: str) -> list[Path]:
    words = {
        "name": name,
        "title": name.replace("_", " ").strip().capitalize(),
        "camel": name.title().replace("_", ""),
        "module": module,
        "distribution": _distribution(name),
        "api_version": str(API_VERSION),
    }
    begun = list[Path]()
    try:
        for path in texts:
            if exists(path):
                raise UserError(f"{path} exists already.", "Choose another name, or move that file away.")
        for path, template in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            text = files("resources").joinpath("new_plugin", f"{template}.template").read_text(encoding="utf-8")
            begun.append(path)
            path.write_text(Template(text).substitute(words), encoding="utf-8")
    except OSError as error:
        for left in reversed(begun):
            left.unlink(missing_ok=True)
            with suppress(OSError):  # it holds other files
                left.parent.rmdir()
        raise UserError(
            f"{path} cannot be written: {why_not_written(error, path)}.", "Choose another name or place."
        ) from error
    return list(texts)
