"""Records what a run was made with: versions, device, threads, command line, code revision."""

from __future__ import annotations

import platform
import subprocess
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from core.config import RunConfig
from core.torchrun import process_rank
from core.version import version as headlight_version

_LIBRARIES = ("torch", "numpy", "pydantic", "safetensors", "sacrebleu", "PyYAML")


def environment(config: RunConfig, data_fingerprint: str, picked: str) -> dict[str, Any]:
    """Plain data for a run's environment.json."""
    return {
        "headlight": headlight_version(),
        "python": platform.python_version(),
        "libraries": _libraries(),
        "platform": platform.platform(),
        "device": config.training.device,
        "gpu": _gpu_name(config.training.device),
        "precision": config.training.precision,
        "num_threads": config.training.num_threads,
        "picked": picked,  # see `Prepared`
        "processes": process_rank().world_size,
        "command_line": sys.argv,
        "code_revision": code_revision(),
        "data_fingerprint": data_fingerprint,
    }


def _gpu_name(device: str) -> str | None:
    """`NVIDIA H100 80GB HBM3`; None for another device."""
    return torch.cuda.get_device_name(device) if device.startswith("cuda") else None


@cache  # the code loaded here does not change, and git takes as long as several steps
def code_revision() -> str | None:
    """The commit that is checked out, marked if the source differs from it; None outside a checkout."""
    if not _git("ls-files", Path(__file__).name):  # an installed copy may be inside somebody's repository
        return None
    return _git("describe", "--always", "--dirty", "--abbrev=12") or None


@cache
def _libraries() -> dict[str, str]:
    return {name: version(name) for name in _LIBRARIES}


def _git(*arguments: str) -> str:
    """git's output in this file's folder; empty without git or a repository."""
    try:
        answered = subprocess.run(["git", *arguments], cwd=Path(__file__).parent, capture_output=True, text=True)
    except FileNotFoundError:
        return ""
    return answered.stdout.strip()
