"""Checks a plugin's declared options: a form can show their types, and their defaults survive a YAML round trip."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.answers.plugin_report import Finding
from core.errors import UserError
from core.plugins_host.common_mistakes import TYPES_REMEDY
from core.plugins_host.host import PluginHost
from core.plugins_host.plugin_info import PluginInfo
from core.user_input.strict_yaml import read_yaml, write_yaml

SUPPORTED_TYPES = ("integer", "number", "boolean", "string")


def check_options(host: PluginHost, info: PluginInfo) -> Iterator[Finding]:
    """Find options that no form can show or no YAML file can hold."""
    unsupported = unsupported_options(info)
    for name in unsupported:
        place = host.option_at(info.name, name)
        yield Finding(
            check="options",
            sentence=f"Option {name!r} has a type that the window's form cannot hold ({place}).",
            advice=f"{TYPES_REMEDY}.",
        )
    if not unsupported:
        yield from _round_trip(host, info)


def unsupported_options(info: PluginInfo) -> list[str]:
    """The names of options whose type cannot be sent to the plugin as declared."""
    return [name for name, field in _fields(info).items() if not _is_supported(field)]


def _fields(info: PluginInfo) -> dict[str, Any]:
    schema = info.options_schema or {}
    return dict(schema.get("properties", {}))


def _is_supported(field: dict[str, Any]) -> bool:
    if "anyOf" in field:
        return all(map(_is_supported, field["anyOf"]))
    if field.get("type") == "array":
        return "prefixItems" not in field and field["items"].get("type") in ("integer", "string")
    is_plain = field.get("type") in SUPPORTED_TYPES and field.get("format") in (None, "file", "folder")
    return "enum" in field or "const" in field or is_plain


def _round_trip(host: PluginHost, info: PluginInfo) -> Iterator[Finding]:
    given = host.options(info.name, {})
    read = read_yaml(write_yaml(given), info.name).value
    try:
        restored = host.options(info.name, read)
    except UserError as error:
        yield _round_trip_finding(f"The options' defaults, written to YAML and read again, are refused: {error}")
        return
    for name in given:
        if restored.get(name) != given[name]:
            yield _round_trip_finding(
                f"Option {name!r} comes back from YAML as {restored.get(name)!r}, expected its default {given[name]!r}."
            )


def _round_trip_finding(sentence: str) -> Finding:
    return Finding(
        check="options", sentence=sentence, advice="Keep options plain, and let check() compare without changing them."
    )
