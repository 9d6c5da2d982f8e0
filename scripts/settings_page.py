"""Writes docs/settings.md from the declarations: `python -m scripts.settings_page > docs/settings.md`."""

from __future__ import annotations

import argparse
import json
import re

from core.config import RunConfig
from core.settings.fields import SettingField, settings

_HEAD = """# Settings of a run

Every key of a run's YAML file. `headlight train FILE.yaml --set KEY=VALUE` overrides one.
A change that takes effect *now* acts between two steps of a running training; all others need a *new run*.
A run's `config.yaml` stays as the run began; `headlight runs show RUN` also lists what was changed since.
This page is generated from `core/config.py`: `python -m scripts.settings_page > docs/settings.md`.
"""
_COLUMNS = "| key | default | value | takes effect | meaning |\n|---|---|---|---|---|"


def settings_page() -> str:
    """The reference page, in Markdown."""
    lines = [_HEAD, "## Run", "", _COLUMNS]
    for field in settings(RunConfig):
        if field.kind == "group" and "." not in field.key:
            lines += ["", f"## {field.key}", "", field.help, "", _COLUMNS]
        elif field.kind != "group" or field.nullable or field.allows_auto:
            lines.append(_row(field))
    return "\n".join(lines) + "\n"


def _row(field: SettingField) -> str:
    acts = "now" if field.effect == "now" else "with a new run"
    return f"| `{field.key}` | {default_cell(field)} | {value_cell(field)} | {acts} | {help_cell(field)} |"


def default_cell(field: SettingField) -> str:
    """The default as YAML; empty if a value is required."""
    default = field.default
    in_yaml = default if isinstance(default, str) and default else json.dumps(default)
    return "" if field.required else f"`{in_yaml}`"


def help_cell(field: SettingField) -> str:
    """The help text; a bare <eos> would be HTML."""
    return re.sub("<[a-z]+>", r"`\g<0>`", field.help)


def value_cell(field: SettingField) -> str:
    """The accepted values, in words."""
    kinds = {
        "int": "a whole number",
        "float": "a number",
        "bool": "true or false",
        "text": f"a {field.path or 'text'}",
        "choice": ", ".join(f"`{choice}`" for choice in field.choices),
        "numbers": "a list of numbers",
        "texts": "a list of texts",
        "options": "the plugin's own keys ([datasets](datasets.md))",
        "group": "the keys below",
    }
    words = ["`auto`"] if field.allows_auto else []
    words += ["`null`"] if field.nullable else []
    words.append(f"{kinds[field.kind]} {field.limits}".strip())
    return " or ".join(words)


def main() -> None:
    """Print the page."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    print(settings_page(), end="")


if __name__ == "__main__":
    main()
