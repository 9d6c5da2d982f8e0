"""`presets list|show`."""

from __future__ import annotations

from argparse import Namespace

from core.cli.output import print_json
from core.errors import UserError
from core.settings.presets import preset_names, preset_summary, preset_text, read_preset


def list_presets(arguments: Namespace) -> int:
    """Print every preset with its summary."""
    width = max(map(len, preset_names()))
    for name in preset_names():
        if arguments.json:
            print_json({"name": name, "summary": preset_summary(name)})
        else:
            print(f"{name:{width}}  {preset_summary(name)}")
    return 0


def show_preset(arguments: Namespace) -> int:
    """Print a preset's YAML text; with `--json`, all of its settings, defaults included."""
    name = arguments.preset
    if not name.strip():  # an empty shell variable
        raise UserError("A preset's name is needed.", "`presets list` shows them.")
    if arguments.json:
        print_json({"name": name, "summary": preset_summary(name), "config": read_preset(name)})
    else:
        print(preset_text(name), end="")
    return 0
