"""Where a setting was written that only preparing with it shows to be wrong."""

from __future__ import annotations

from argparse import Namespace

from core.config import override
from core.errors import UserError
from core.plugins_host.failures import NoSuchPlugin
from core.settings.fields import named_setting
from core.settings.presets import preset_or_file
from core.settings.strict_yaml import Document


def with_place(error: UserError, arguments: Namespace) -> UserError:
    """The error with file and line, or the --set, before it where it begins with a setting's key; else as it is."""
    key = "dataset.plugin" if isinstance(error, NoSuchPlugin) else named_setting(error.sentence)
    where = _written(arguments).where(tuple(key.split("."))) if key else ""
    return UserError(f"{where}: {error.sentence}", error.advice) if where else error


def _written(arguments: Namespace) -> Document:
    """The settings that the command names, as they were written."""
    config, given = getattr(arguments, "config", None), getattr(arguments, "set", ())
    return override(preset_or_file(config) if config else Document("", {}, {}), tuple(given))
