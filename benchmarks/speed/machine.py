"""Describes the machine: on another one, ratios may well differ."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

import torch

from core.machine.cores import usable_cores


def machine() -> dict[str, Any]:
    """What decides the speed here."""
    return {
        "processor": _processor(),
        "cores": usable_cores(),
        "torch": torch.__version__,
        "python": platform.python_version(),
    }


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()
