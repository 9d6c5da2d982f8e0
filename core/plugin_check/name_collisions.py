"""Checks that no other plugin has the same name: neither could be used, or one would take the other's place."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.answers.plugin_report import Finding
from core.plugins_host.discovery import PluginSource
from core.plugins_host.host import PluginHost
from core.plugins_host.plugin_info import PluginInfo, is_built_in


def name_note(info: PluginInfo, source: PluginSource, listing_host: PluginHost) -> str:
    """Say which other plugins have this name, wherever Headlight looks for them; empty if none has."""
    if not _same_named(info, source, listing_host):
        return ""
    with PluginHost(listing_host.extra_dirs) as fresh_host:  # the other may have listed a file that was renamed since
        others = _same_named(info, source, fresh_host)
    user_origins = [other.origin for other in others if not is_built_in(other)]
    if not user_origins:
        return f"Headlight's own plugin {info.name!r} gives way to it." if others else ""
    if is_built_in(info) and len(user_origins) == 1:
        return f"It gives way to {user_origins[0]}, which has its name."
    return str(collision_finding(info.name, [source.origin, *user_origins]))


def collision_finding(name: str, origins: Sequence[str]) -> Finding:
    """The finding for a name that the plugins of these places share."""
    return Finding(
        check="name",
        sentence=f"The plugin name {name!r} is taken more than once: {' and '.join(origins)}; "
        "expected one of each name.",
        advice="Rename one of them, or move its file away: as it stands, none of them can be used.",
    )


def _same_named(info: PluginInfo, source: PluginSource, host: PluginHost) -> list[PluginInfo]:
    return [one for one in host.plugins() if one.name == info.name and not _is_same_plugin(one.origin, source)]


def _is_same_plugin(origin: str, source: PluginSource) -> bool:
    """Whether an origin is this source, or the installed package that this file is a module of."""
    if origin == source.origin or not source.path:
        return origin == source.origin
    path, (module, colon, _) = Path(source.path), origin.rpartition(":")
    if colon and not module.endswith(".py"):
        parts = tuple(module.split("."))
        return path.with_suffix("").parts[-len(parts) :] == parts
    return Path(origin).resolve() == path
