"""The product's own command line, as benchmarks call it: each call is a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
MAIN = ROOT / "main.py"


def headlight(*arguments: str) -> list[str]:
    """The command that runs `headlight ARGUMENTS` from this source."""
    return [sys.executable, str(MAIN), *arguments]


def set_options(settings: Iterable[str]) -> list[str]:
    """The arguments that set each `KEY=VALUE`."""
    return [word for setting in settings for word in ("--set", setting)]


def evaluate(run: str | Path, *options: str) -> dict[str, Any]:
    """The record that `evaluate` prints, with the plugin's own metrics also among the others."""
    command = headlight("evaluate", str(run), *options, "--json")
    record: dict[str, Any] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    return {**record, **record["metrics"]}
