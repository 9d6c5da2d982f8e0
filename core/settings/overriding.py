"""Overrides settings: by `--set KEY=VALUE` in a document, and by key in a config."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.config import RunConfig, config_from_document
from core.errors import UserError
from core.user_input.quoting import format_value
from core.user_input.strict_yaml import Document, KeyPath, dotted, read_yaml

OVERRIDE_EXAMPLE = "training.max_steps=200"


def override(document: Document, overrides: tuple[str, ...]) -> Document:
    """Apply overrides such as `training.max_steps=200` in order; later errors name the override instead of a line."""
    if not isinstance(document.value, dict):  # refused later, not replaced
        return document
    for text in overrides:
        key, value = parse_override(text)
        path = tuple(key.split("."))
        _require_keys_along(document, path[:-1], f"--set {text}")
        document = _set_value(document, path, value, f"--set {text}")
    return document


def _require_keys_along(document: Document, path: KeyPath, source: str) -> None:
    """Raise UserError if keys would replace a value, which would be lost; they may replace null and auto."""
    value = document.value
    for depth, part in enumerate(path, start=1):
        value = value.get(part)
        if value is None or value == "auto":
            return
        if not isinstance(value, dict):
            where = document.where(path[:depth])
            raise UserError(f"{source}: {dotted(path[:depth])} is {format_value(value)} ({where}), which has no keys.")


def parse_override(text: str, example: str = OVERRIDE_EXAMPLE) -> tuple[str, Any]:
    """Parse `KEY=VALUE`. Raises UserError, with the example if the text is not of this form."""
    key, separator, value = text.partition("=")
    if not separator or not all(part.strip() for part in key.split(".")):
        raise UserError(f"--set {text}: expected KEY=VALUE, such as {example}.")
    return key.strip(), parse_value(value, f"--set {text}")


def parse_value(text: str, source: str) -> Any:
    """Parse a typed value as YAML; a blank one is an empty text. Raises UserError that names the source."""
    return read_yaml(text, source).value if text.strip() else ""


def _set_value(document: Document, path: KeyPath, value: Any, source: str) -> Document:
    root = dict(document.value)
    group, replaced = root, path
    for depth, part in enumerate(path[:-1], start=1):
        below = group.get(part)
        if not isinstance(below, dict):  # null or auto: the keys below replace it
            below, replaced = {}, min(replaced, path[:depth], key=len)
        group[part] = dict(below)
        group = group[part]
    group[path[-1]] = value
    if path[-1] in ("batch_tokens", "batch_size") and value is not None:  # it replaces the other one
        group.pop("batch_size" if path[-1] == "batch_tokens" else "batch_tokens", None)
    lines = {known: line for known, line in document.lines.items() if known[: len(replaced)] != replaced}
    return Document(document.name, root, lines, document.overrides | {path: source})


def change_setting(config: RunConfig, key: str, value: Any) -> RunConfig:
    """The config with one key changed, validated as a whole. Raises UserError for an unknown key or a wrong value."""
    return change_settings(config, {key: value})


def change_settings(config: RunConfig, changes: Mapping[str, Any]) -> RunConfig:
    """The config with several keys changed at once, as needed if they are valid only together. Raises UserError."""
    document = Document("", config.model_dump(mode="json"), {})
    for key, value in changes.items():
        document = _set_value(document, tuple(key.split(".")), value, "")
    return config_from_document(document)
