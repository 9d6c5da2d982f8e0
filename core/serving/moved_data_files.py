"""Advice for a run whose data files have moved: which options say where they are now."""

from __future__ import annotations

import os.path
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from core.at_path import is_dir
from core.home_paths import expand_home
from core.plugins_host.errors import NOT_FOUND_ADVICE
from core.plugins_host.host import PluginHost
from core.run_folder import RunFolder
from core.settings.fields import SettingField, schema_settings


class _DataPath(NamedTuple):
    """Something that a plugin reads, and the option that says where it is."""

    path: Path
    option: SettingField
    file: SettingField | None = None  # the option that names it inside that folder

    @property
    def is_missing(self) -> bool:
        return not os.path.exists(self.path)  # noqa: PTH110 (pathlib raises without permission)

    def is_named_in(self, options: Mapping[str, object]) -> bool:
        """Whether one of these options, by name, decides the path."""
        return self.option.key in options or (self.file is not None and self.file.key in options)


def relocation_advice(run: RunFolder, host: PluginHost, given: Mapping[str, object], *, gives_other_pairs: bool) -> str:
    """Advice that names the options to set; empty if the plugin has none that name a file or a folder.

    `given` options replace the run's own. Also empty if only paths given there are missing, which were mistyped, or if
    all named files exist, unless the plugin gives other pairs than the run's: these may be the wrong files. For a
    plugin that is not found, how to name its folder: a run does not store that.
    """
    dataset = run.config().dataset
    plugin, options = dataset.plugin, {**dataset.options, **given}
    infos = [info for info in host.plugins() if info.name == plugin]
    if not infos:
        return NOT_FOUND_ADVICE
    schemas = [info.options_schema or {} for info in infos if info.error is None]
    paths = list(_paths([field for schema in schemas for field in schema_settings(schema)], options))
    missing = [one for one in paths if one.is_missing]
    if missing and all(one.is_named_in(given) for one in missing):
        return ""
    if not (missing or gives_other_pairs or any(is_dir(one.path) for one in paths)):  # what a folder lacks is unknown
        return ""
    to_set = {path.option.key: path.option for path in missing or paths}
    if not to_set:
        return ""
    in_folder = [_path(option, options).absolute() for option in to_set.values() if option.path == "folder"]
    where = f"in {in_folder[0]}" if len(in_folder) == len(to_set) else "where they were"
    settings = [f"dataset.options.{key}={option.path.upper()}" for key, option in to_set.items()]
    set_words = [word for setting in settings for word in ("--set", setting)]
    plugins = [word for folder in host.extra_dirs for word in ("--plugins-dir", str(folder))]
    command = shlex.join(["headlight", "train", "--resume", str(run.path), *plugins, *set_words])
    return (
        f"If its files are not {where}, put them or a link there, or say where they are: {command} "
        "(`evaluate` and `runs compare --paired-bootstrap` take --set too)."
    )


def _paths(fields: Sequence[SettingField], options: Mapping[str, object]) -> Iterator[_DataPath]:
    """Each named file, with its own option if that names it in full, else with the plugin's first folder.

    The folder itself if no option names a file.
    """
    folder = next((field for field in fields if field.path == "folder"), None)
    files = [field for field in fields if field.path == "file" and _path(field, options) != Path()]
    for file in files:
        path = _path(file, options)
        if folder is None or path.is_absolute():
            yield _DataPath(path, file)
        else:
            yield _DataPath(_path(folder, options) / path, folder, file)
    if folder is not None and not files:
        yield _DataPath(_path(folder, options), folder)


def _path(option: SettingField, options: Mapping[str, object]) -> Path:
    """The path that an option names; the empty path if it names nothing."""
    return expand_home(str(options.get(option.key, option.default)))
