"""Finds where a setting was written that turns out to be wrong only when data are prepared with it."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Sequence

from core.errors import UserError
from core.plugins_host.errors import NoSuchPlugin
from core.settings.fields import named_setting
from core.settings.overriding import parse_override
from core.user_input.strict_yaml import Document, KeyPath


def with_location(error: UserError, arguments: Namespace) -> UserError:
    """Prefix the error with file and line, or with the --set, if it begins with a setting's key."""
    key = "dataset.plugin" if isinstance(error, NoSuchPlugin) else named_setting(error.sentence)
    if not key:
        return error
    document: Document | None = getattr(arguments, "document", None)
    if document is None:
        location = _set_at_fault(key, error.sentence, getattr(arguments, "set", ()))
    else:
        location = document.where(_named_key(tuple(key.split(".")), error.sentence, document))
    return UserError(f"{location}: {error.sentence}", error.advice) if location else error


def _set_at_fault(key: str, sentence: str, given: Sequence[str]) -> str:
    """The --set that the sentence is about; empty if it is about a setting of the run's own."""
    words = set(re.findall(r"\w+", sentence))
    settings = [(f"--set {text}", *parse_override(text)) for text in reversed(given)]
    itself = [source for source, name, _ in settings if name == key]
    quoted = [source for source, _, value in settings if isinstance(value, str) and value and value in sentence]
    named = [source for source, name, _ in settings if name.rpartition(".")[2] in words]
    inside = [source for source, name, _ in settings if name.startswith(f"{key}.")]
    return next(iter([*itself, *quoted, *named, *inside]), "")


def _named_key(group: KeyPath, sentence: str, document: Document) -> KeyPath:
    """The written setting in this group that the sentence names, those of --set first; otherwise the group."""
    words = set(re.findall(r"\w+", sentence))
    keys_in_group = (path for path in (*document.overrides, *document.lines) if path[: len(group)] == group != path)
    return next((path for path in keys_in_group if path[-1] in words), group)
