"""Finds plugins and loads one. It runs in the host process, since loading a plugin runs its code."""

import hashlib
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import PydanticUserError, ValidationError

import core
import core.plugin
from core.at_path import is_dir, is_file
from core.home_paths import expand_home
from core.plugin import DatasetPlugin, Options
from core.plugins_host.api_version import version_mismatch
from core.plugins_host.code_lines import first_line
from core.plugins_host.declared_options import (
    default_error,
    require_sendable_types,
    require_usable_options,
    undefined_type_error,
)
from core.plugins_host.method_signatures import require_callable_methods
from core.plugins_host.worker_errors import WorkerError
from core.user_dirs import USER_DIRS

ENTRY_POINT_GROUP = "headlight.datasets"
NAME_PATTERN = re.compile(r"[a-z][a-z0-9_]*")
TOKENIZERS = ("characters", "whitespace", "subword", "subword_unigram")


@dataclass(frozen=True)
class PluginSource:
    """Where a plugin may be: a file, or an entry point `module:attribute` of an installed package."""

    label: str  # stands for the plugin's name until that is known
    path: str = ""
    entry_point: str = ""
    package: str = ""  # name and version of that package
    problem: str = ""

    @property
    def origin(self) -> str:
        return self.path or self.entry_point


def find_sources(extra_dirs: Iterable[str]) -> list[PluginSource]:
    """List every place that may hold a plugin, each file once whatever links lead to it, without running any code."""
    named_dirs = [*extra_dirs, *filter(None, os.environ.get("HEADLIGHT_PLUGINS", "").split(os.pathsep))]
    folders = [*map(expand_home, named_dirs), *filter(_may_exist, [user_plugins_dir()])]
    found = [*_in_folder(built_in_plugins_dir())]
    for folder in folders:
        problem = _folder_problem(folder)
        found.extend([PluginSource(folder.name, path=str(folder), problem=problem)] if problem else _in_folder(folder))
    found.extend(_in_packages())
    return _without_repeats(found)


def _without_repeats(found: Iterable[PluginSource]) -> list[PluginSource]:
    """Drop links to a file that is found elsewhere: a plugin's own folder may hold other files that it reads."""
    unique: dict[str, PluginSource] = {}
    for source in found:
        file = os.path.realpath(source.path) if source.path else source.entry_point
        if file not in unique or source.path == file:
            unique[file] = source
    return list(unique.values())


@cache
def built_in_plugins_dir() -> Path:
    """The folder of Headlight's own plugins. Cached: the window asks several times for each row of its table."""
    return Path(core.__path__[0]).resolve().parent / "plugins"


def user_plugins_dir() -> Path:
    """The folder of a user's own plugins; it need not exist."""
    return USER_DIRS.user_data_path / "plugins"


def _may_exist(folder: Path) -> bool:
    """Whether there is a folder, or a link that leads nowhere, or nobody may look whether there is."""
    try:
        folder.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def _in_folder(folder: Path) -> Iterator[PluginSource]:
    for path in sorted(folder.resolve().glob("*.py")):
        if not path.name.startswith(("_", ".")):  # Emacs and macOS keep hidden files beside one that is edited
            yield PluginSource(path.stem, path=str(path))


def _folder_problem(path: Path) -> str:
    """What is wrong with a folder that should hold plugins; empty if nothing is."""
    try:
        if is_dir(path):
            list(path.iterdir())  # `glob` takes one that it may not read for an empty one
            return ""
        return "it is a file, expected a folder" if is_file(path) else "there is no such folder"
    except OSError as error:  # no permission to look, or the name is too long
        return f"it cannot be read ({error.strerror})"


def _in_packages() -> Iterator[PluginSource]:
    for entry in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda entry: entry.name):
        assert entry.dist is not None  # only an entry point made by hand has none
        yield PluginSource(entry.name, entry_point=entry.value, package=f"{entry.dist.name} {entry.dist.version}")


def code_hash(source: PluginSource) -> str:
    """A hash of the plugin's code: its files, those of the interface it builds on, and its package's version.

    The version alone would not do: it stays the same while an editable install is changed.
    """
    if source.problem:
        return ""  # loading it raises
    code = [Path(file).read_bytes() for file in (*source_files(source), *_interface_files())]
    return hashlib.sha256(b"".join([source.package.encode(), *code])).hexdigest()


def source_files(source: PluginSource) -> list[str]:
    """The plugin's file; for an entry point, those of its whole package, found without running any code."""
    if source.path:
        return [source.path]
    package = EntryPoint(source.label, source.entry_point, ENTRY_POINT_GROUP).module.partition(".")[0]
    spec = importlib.util.find_spec(package)
    if spec is None:
        return []  # loading it raises
    if spec.submodule_search_locations is None:
        assert spec.origin is not None  # only a namespace package has none
        return [spec.origin]
    files = (file for folder in spec.submodule_search_locations for file in Path(folder).rglob("*.py"))
    return list(map(str, sorted(files)))


def _interface_files() -> list[str]:
    """The files that define what plugins import: `core.plugin`, and the modules whose names it re-exports."""
    modules = {getattr(value, "__module__", None) for value in vars(core.plugin).values()}
    core_modules = sorted(name for name in modules if name and name.startswith("core."))
    return [str(sys.modules[name].__file__) for name in core_modules]


def load(source: PluginSource) -> type[DatasetPlugin[Any]]:
    """Import a plugin's class. Raises WorkerError, or whatever the plugin's own code raises."""
    if source.problem:
        raise WorkerError(source.problem, file=source.path)
    plugin = _load_file(Path(source.path)) if source.path else _load_entry_point(source)
    if isinstance(plugin, DatasetPlugin):
        name = type(plugin).__name__
        raise WorkerError(
            f"PLUGIN is an object of the class {name}, expected the class itself.",
            file=source.path,
            remedy=f"Write PLUGIN = {name}, without parentheses",
        )
    if not (isinstance(plugin, type) and issubclass(plugin, DatasetPlugin)):
        raise WorkerError(f"PLUGIN is {plugin!r}, expected a class derived from DatasetPlugin.", file=source.path)
    return plugin


def require_contract(plugin: type[DatasetPlugin[Any]]) -> None:
    """Raise WorkerError if a class breaks the rules of a plugin."""
    violation = _contract_violation(plugin)
    if violation:
        raise WorkerError(f"{plugin.__name__} {violation}.", file=inspect.getfile(plugin), line=first_line(plugin))
    require_callable_methods(plugin)


def declared_name(plugin: type[DatasetPlugin[Any]]) -> str:
    """The name that a class declares; empty if it is missing or malformed."""
    name = str(getattr(plugin, "name", ""))
    return name if NAME_PATTERN.fullmatch(name) else ""


def _load_file(path: Path) -> object:
    """Run a file as a module with a unique name, so that equal file names in two folders do not collide."""
    module_name = f"headlight_plugin_{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    assert spec is not None and spec.loader is not None  # only a name without .py has none
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module  # pydantic looks here for the names in annotations
    spec.loader.exec_module(module)
    if not hasattr(module, "PLUGIN"):
        raise WorkerError("The file does not define PLUGIN; end it with `PLUGIN = YourClass`.", file=str(path))
    return module.PLUGIN


def _load_entry_point(source: PluginSource) -> object:
    """The class that the entry point names, or PLUGIN of the module that it names."""
    found = EntryPoint(source.label, source.entry_point, ENTRY_POINT_GROUP).load()
    return getattr(found, "PLUGIN", found) if isinstance(found, ModuleType) else found


def _contract_violation(plugin: type[DatasetPlugin[Any]]) -> str:
    """Say how a class breaks the rules of a plugin; empty if it does not."""
    if mismatch := version_mismatch(plugin.api_version):  # first, as the other rules may have changed with it
        return mismatch
    if not declared_name(plugin):
        return 'needs a name of lower-case letters, digits and underscores, such as name = "reverse"'
    if not _has_title(plugin):
        return 'needs a title of one line, such as title = "Reverse a word"'
    if inspect.isabstract(plugin):
        return "does not define pairs(self, split, rng)"
    if not issubclass(plugin.options_class, Options):
        return f"names {plugin.options_class.__name__} in its brackets, expected a class derived from Options"
    if not _has_tokenizers(plugin):
        return f"has tokenizer {plugin.tokenizer!r}, expected {', '.join(map(repr, TOKENIZERS))} or a pair of them"
    return ""


def _has_title(plugin: type[DatasetPlugin[Any]]) -> bool:
    title: object = getattr(plugin, "title", None)
    return isinstance(title, str) and bool(title.strip()) and len(title.splitlines()) == 1


def _has_tokenizers(plugin: type[DatasetPlugin[Any]]) -> bool:
    declared: object = plugin.tokenizer
    if not isinstance(declared, str | tuple | list):  # a set has no order
        return False
    tokenizers = tokenizers_of(plugin)
    return len(tokenizers) == 2 and all(tokenizer in TOKENIZERS for tokenizer in tokenizers)


def tokenizers_of(plugin: type[DatasetPlugin[Any]]) -> tuple[str, ...]:
    """Return the names of the source and the target tokenizer."""
    declared = plugin.tokenizer
    return (declared, declared) if isinstance(declared, str) else tuple(declared)


def describe(plugin: type[DatasetPlugin[Any]]) -> dict[str, Any]:
    """Return a plugin's description and its options' JSON schema, as plain data.

    Raises WorkerError for unusable options.
    """
    require_usable_options(plugin.options_class)
    try:
        defaults = plugin.options_class()  # a default outside its own range is refused now, not when a run starts
    except ValidationError as error:
        raise default_error(error, plugin.options_class) from None
    except PydanticUserError as error:
        raise undefined_type_error(error, plugin.options_class) from None
    require_sendable_types(defaults)
    return {
        "name": plugin.name,
        "title": plugin.title,
        "doc": inspect.cleandoc(plugin.__doc__ or ""),
        "options_schema": plugin.options_class.model_json_schema(),
        "tokenizer": tokenizers_of(plugin),
        "endless": bool(plugin.endless),
        "splits_overlap": bool(plugin.splits_overlap),
        "api_version": plugin.api_version,
    }
