"""Lists every declared setting, flat, for the forms, the reference page and `setting_effect`.

It reads JSON schemas, so that a run's settings and a plugin's options, which the plugin host sends as a schema, are
described alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel

from core.config import Effect, RunConfig
from core.user_input.quoting import format_bound

Kind = Literal["int", "float", "bool", "text", "choice", "numbers", "texts", "options", "group"]
PathKind = Literal["", "file", "folder"]
OPTIONS = "dataset.options"
"""The key that holds a plugin's own options."""
Schema = Mapping[str, Any]
_KINDS: dict[str, Kind] = {"integer": "int", "number": "float", "boolean": "bool", "string": "text", "array": "numbers"}


@dataclass(frozen=True, kw_only=True)
class SettingField:
    """One key as a form or a page shows it.

    A `group` holds the keys that begin with its own key and a dot; if `nullable` or `allows_auto`, it can be switched
    off as a whole. `options` holds a plugin's own keys, described by the plugin's schema. `default` is None for a group
    that cannot be switched off, and for a key without a default (`required`).
    """

    key: str
    label: str
    help: str
    kind: Kind
    default: Any = None
    required: bool = False
    nullable: bool = False
    allows_auto: bool = False  # the text `auto` is allowed too
    choices: tuple[str | int, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    minimum_excluded: bool = False
    maximum_excluded: bool = False
    effect: Effect = "reset"
    path: PathKind = ""  # what a text names on disk, if it is a path

    @property
    def limits(self) -> str:
        """The limits in words: `at least 1, below 10`; empty if there are none."""
        words = []
        if self.minimum is not None:
            words.append(f"{'above' if self.minimum_excluded else 'at least'} {format_bound(self.minimum)}")
        if self.maximum is not None:
            words.append(f"{'below' if self.maximum_excluded else 'at most'} {format_bound(self.maximum)}")
        return ", ".join(words)


def settings(model: type[BaseModel]) -> list[SettingField]:
    """The settings a pydantic model declares, in order, groups before their keys."""
    return schema_settings(model.model_json_schema())


def schema_settings(schema: Schema) -> list[SettingField]:
    """The settings of a JSON schema such as `PluginInfo.options_schema`, in order."""
    return list(_fields(schema, schema.get("$defs", {}), ""))


@cache
def run_settings() -> dict[str, SettingField]:
    """Every setting of a run by its dotted key."""
    return {field.key: field for field in settings(RunConfig)}


def named_setting(sentence: str) -> str:
    """The setting's key with which a sentence begins, as in `model.d_model: ...`; empty if there is none."""
    key = sentence.partition(" ")[0].rstrip(":")
    is_setting = key in run_settings() or f"{key}.".startswith(f"{OPTIONS}.")
    return key if is_setting else ""


def setting_effect(key: str) -> Effect:
    """When a change of this key takes effect; a change of an undeclared key waits for a new run."""
    field = run_settings().get(key)
    return field.effect if field else "reset"


def _fields(group: Schema, definitions: Schema, prefix: str) -> Iterator[SettingField]:
    for name, declared in group.get("properties", {}).items():
        branches = [_resolved(one, definitions) for one in declared.get("anyOf", [declared])]
        field = _field(prefix + name, declared, branches, required=name in group.get("required", ()))
        yield field
        if field.kind == "group":
            below = next(one for one in branches if "properties" in one)
            yield from _fields(below, definitions, f"{field.key}.")


def _resolved(branch: Schema, definitions: Schema) -> Schema:
    reference = branch.get("$ref")
    return {**definitions[reference.rpartition("/")[2]], **branch} if reference else branch


def _field(key: str, declared: Schema, branches: list[Schema], *, required: bool) -> SettingField:
    value = next(one for one in branches if one.get("type") != "null" and one.get("const") != "auto")
    words = {**value, **declared}  # pydantic omits from a key what its group's class says too
    kind = _kind(value)
    return SettingField(
        key=key,
        label=declared.get("title", key.rpartition(".")[2]),
        help=words.get("description", ""),
        kind=kind,
        default=declared.get("default"),
        required=required and kind != "group",
        nullable=any(one.get("type") == "null" for one in branches),
        allows_auto=any(one.get("const") == "auto" for one in branches),
        choices=tuple(value.get("enum", [value["const"]] if "const" in value else [])),
        minimum=words.get("exclusiveMinimum", words.get("minimum")),
        maximum=words.get("exclusiveMaximum", words.get("maximum")),
        minimum_excluded="exclusiveMinimum" in words,
        maximum_excluded="exclusiveMaximum" in words,
        effect=declared.get("effect", "reset"),
        path=_path(value),
    )


def _kind(value: Schema) -> Kind:
    if "enum" in value or "const" in value:
        return "choice"
    if value.get("type") == "object":
        return "group" if "properties" in value else "options"
    if value.get("items", {}).get("type") == "string":
        return "texts"
    return _KINDS[value["type"]]


def _path(value: Schema) -> PathKind:
    """As `core.plugin.File` and `Folder` declare it."""
    declared = value.get("format")
    return declared if declared in ("file", "folder") else ""
