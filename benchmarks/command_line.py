"""The product's own command line, as benchmarks call it: each call is a process of its own."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
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


def run_quietly(command: Sequence[str], environment: Mapping[str, str] | None = None) -> str:
    """What a command prints on standard output; what it says on the way is shown only if it fails, in a SystemExit."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise SystemExit(f"{done.stderr}{shlex.join(command)} ended with exit code {done.returncode}")
    return done.stdout


def evaluate(run: str | Path, *options: str) -> dict[str, Any]:
    """The record that `evaluate` prints, with the plugin's own metrics also among the others."""
    command = headlight("evaluate", str(run), *options, "--json")
    record: dict[str, Any] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    return {**record, **record["metrics"]}
