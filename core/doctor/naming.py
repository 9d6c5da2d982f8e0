"""Checks that no other plugin has the same name: neither could be used, or one would take the other's place."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.doctor.findings import Finding
from core.plugins_host.discovery import Source
from core.plugins_host.host import PluginHost
from core.plugins_host.plugin_info import PluginInfo, is_built_in


def said_of_name(info: PluginInfo, source: Source, known: PluginHost) -> str:
    """Say which other plugins have this name, wherever Headlight looks for them; empty if none has."""
    if not _others(info, source, known):
        return ""
    with PluginHost(known.extra_dirs) as now:  # `known` may have listed them before a file was renamed
        others = _others(info, source, now)
    own = [other.origin for other in others if not is_built_in(other)]
    if not own:
        return f"Headlight's own plugin {info.name!r} gives way to it." if others else ""
    if is_built_in(info) and len(own) == 1:
        return f"It gives way to {own[0]}, which has its name."
    return str(collision(info.name, [source.origin, *own]))


def collision(name: str, origins: Sequence[str]) -> Finding:
    """The finding for a name that the plugins of these places share."""
    return Finding(
        check="name",
        sentence=f"The plugin name {name!r} is taken more than once: {' and '.join(origins)}; "
        "expected one of each name.",
        advice="Rename one of them, or move its file away: as it stands, none of them can be used.",
    )


def _others(info: PluginInfo, source: Source, known: PluginHost) -> list[PluginInfo]:
    return [one for one in known.plugins() if one.name == info.name and not _is_same(one.origin, source)]


def _is_same(origin: str, source: Source) -> bool:
    """Whether an origin is this source, or the installed package that this file is a module of."""
    if origin == source.origin or not source.path:
        return origin == source.origin
    path, (module, of_package, _) = Path(source.path), origin.rpartition(":")
    if of_package and not module.endswith(".py"):
        parts = tuple(module.split("."))
        return path.with_suffix("").parts[-len(parts) :] == parts
    return Path(origin).resolve() == path
