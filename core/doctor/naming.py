"""Whether a plugin's name is its own: of two that share one, neither could be used."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.doctor.findings import Finding
from core.plugins_host.discovery import Source
from core.plugins_host.host import PluginHost
from core.plugins_host.info import PluginInfo


def taken_by_others(info: PluginInfo, source: Source, known: PluginHost) -> Finding | None:
    """Say it where other plugins have this name, wherever Headlight looks for them."""
    if not _others(info, source, known):
        return None
    with known.anew() as now:  # what is known may be from before a file was renamed
        others = _others(info, source, now)
    return collision(info.name, [source.origin, *others]) if others else None


def collision(name: str, origins: Sequence[str]) -> Finding:
    """What is said of a name that these places share."""
    return Finding(
        check="name",
        sentence=f"The plugin name {name!r} is taken more than once: {' and '.join(origins)}; "
        "expected one of each name.",
        advice="Rename one of them, or move its file away: as it stands, none of them can be used.",
    )


def _others(info: PluginInfo, source: Source, known: PluginHost) -> list[str]:
    return [one.origin for one in known.plugins() if one.name == info.name and not _is_same(one.origin, source)]


def _is_same(origin: str, source: Source) -> bool:
    """Whether an origin is this source, or the installed package that this file is a module of."""
    if origin == source.origin or not source.path:
        return origin == source.origin
    path, (module, of_package, _) = Path(source.path), origin.rpartition(":")
    if of_package and not module.endswith(".py"):
        parts = tuple(module.split("."))
        return path.with_suffix("").parts[-len(parts) :] == parts
    return Path(origin).resolve() == path
