"""Describes a plugin for the lists: what it is, where it comes from, and whether it can be used."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.plugins_host.discovery import built_in_plugins_dir


@dataclass(frozen=True)
class PluginInfo:
    """One plugin; `error` says why it cannot be used."""

    name: str
    title: str
    doc: str
    origin: str
    """Its file, or `module:attribute` in an installed package."""
    error: str | None = None
    options_schema: dict[str, Any] | None = None
    """JSON schema: properties in declared order with title, description, minimum, maximum, enum and default."""
    tokenizer: tuple[str, str] = ("characters", "characters")
    endless: bool = False
    splits_overlap: bool = False
    api_version: int | None = None
    """The version of `core.plugin` that it was made for; None if it could not be loaded."""
    package: str = ""
    """Name and version of its installed package; empty for a file."""

    @property
    def version(self) -> str:
        """The version as the lists show it: `API 1`, `their_words 2.0 · API 1`."""
        api = "" if self.api_version is None else f"API {self.api_version}"
        return " · ".join(filter(None, [self.package, api])) or "unknown"

    @property
    def state(self) -> str:
        """The state as the lists show it."""
        return "ready" if self.error is None else "cannot be used"


def is_built_in(info: PluginInfo) -> bool:
    """Whether the plugin comes with Headlight: its pairs then depend only on its code, its options and the seed."""
    return Path(info.origin).parent == built_in_plugins_dir()


def with_name_collisions(infos: Sequence[PluginInfo]) -> list[PluginInfo]:
    """Give plugins that share a name an error that says so: of two that are not Headlight's, neither wins silently.

    A plugin of Headlight's gives way to a user's, who may have followed a guide that uses its name. A plugin that has
    an error already keeps it: its file must be fixed first.
    """
    same_name: dict[str, list[PluginInfo]] = {}
    for info in infos:
        same_name.setdefault(info.name, []).append(info)
    return [_with_name_collision(info, same_name[info.name]) for info in infos]


def _with_name_collision(info: PluginInfo, same_name: list[PluginInfo]) -> PluginInfo:
    user_plugins = [one for one in same_name if not is_built_in(one)]
    if len(same_name) == 1 or info.error is not None or user_plugins == [info]:
        return info
    if len(user_plugins) == 1:
        is_used = user_plugins[0].error is None
        used = "is used in its place" if is_used else "cannot be used itself: fix it, or move it away"
        return replace(info, error=f"{user_plugins[0].origin} has the name {info.name!r} too, and {used}.")
    origins = " and ".join(one.origin for one in same_name)
    sentence = f"The plugin name {info.name!r} is taken more than once: {origins}; rename one, or move its file away."
    return replace(info, error=sentence)
