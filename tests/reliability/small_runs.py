"""Small real runs for the tests of the promises, and functions that read everything a run keeps."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from pydantic import BaseModel

from core.engine import Engine
from core.history import History
from core.requests import Learn, OpenRun, Prepare, Start, Translate
from core.run_folder import RunFolder
from core.settings.overriding import change_settings
from tests.core.watcher import Watcher, answered, tiny_config

SENTENCE = "1 2 3"
WITH_SUBWORDS = {"dataset.options.num_symbols": 6, "dataset.tokenizer": {"src": "subword", "size": 16}}
"""Settings of a run that also has src.model."""


def train(run_dir: Path, steps: int, settings: Mapping[str, Any] = MappingProxyType({}), **training: Any) -> Path:
    """Train a tiny run for this many steps in the real engine, to its end."""
    often = {"validate_every": 2, "checkpoint_every": 2, "probe_every": 2, **training}
    config = change_settings(tiny_config(max_steps=steps, **often), settings)
    with Engine(cache_dir=run_dir.with_name("cache")) as engine:
        answered(engine, Prepare(config=config))
        answered(engine, Start(runs_dir=run_dir.parent, run_dir=run_dir))
        answered(engine, Learn())
    return run_dir


def resume(run: Path, steps: int) -> Watcher:
    """Open a run at its last checkpoint, translate, and train for this many steps; return the watcher of its events."""
    watcher = Watcher()
    with Engine([watcher], cache_dir=run.with_name("cache")) as engine:
        answered(engine, OpenRun(run=run))
        answered(engine, Translate(texts=(SENTENCE,)))
        answered(engine, Learn(steps=steps))
    return watcher


def read_everything(run: Path) -> list[object]:
    """Read everything a run holds. Raises a UserError that names a damaged file."""
    folder = RunFolder.open(run)
    history = History.read(folder)
    return [
        *(folder.state, folder.config(), folder.environment(), folder.vocabulary(), folder.subword_models()),
        folder.label(),
        *(history.curve(name) for name in history.metric_names),
        *(history.settings_changed, folder.validation_metrics()),
        *(folder.validated_sentences(step) for step in folder.validation_steps()),
        *(folder.probe(step) for step in folder.probe_steps()),
        *(folder.read_snapshot(step) for step in folder.snapshot_steps()),
        *(folder.checkpoint(step) for step in folder.checkpoint_steps()),
    ]


def digest(value: object) -> str:
    """A hash of all numbers and texts in a nested value; arrays to the bit."""
    found = hashlib.sha256()
    for part in _parts(value):
        found.update(part)
    return found.hexdigest()


def _parts(value: object) -> Iterator[bytes]:
    if isinstance(value, np.ndarray):
        yield f"{value.dtype}{value.shape}".encode() + value.tobytes()
    elif isinstance(value, BaseModel):
        yield value.model_dump_json().encode()
    elif isinstance(value, Mapping):
        for key in sorted(value):
            yield from _parts((key, value[key]))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _parts(item)
    elif hasattr(value, "__dict__"):
        yield from _parts(vars(value))
    else:
        yield f"{value!r};".encode()
