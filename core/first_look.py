"""How the first preset looks before its first step: shown as the window opens, until the engine is ready.

Loading torch and preparing the data take seconds, but a preset with its seed always gives the same data and the same
untrained model. So Headlight ships the events that the engine emitted when it prepared the preset (made by
`scripts/first_look.py`), and the window is filled as soon as it is shown. The engine prepares as always, and its own
events replace these.
"""

from __future__ import annotations

from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Any

from core.config import RunConfig
from core.events import Event, Prepared, ProbeDone
from core.probes import Probe
from core.run_files.documents import json_bytes, json_object, read_file
from core.run_files.probe_file import probe_bytes, read_probe_file

FOLDER = Path(str(files("resources"))) / "first_look"
_PREPARED_FIELDS = (
    "num_parameters", "src_tokens", "tgt_tokens", "num_pairs", "left_out", "limits", "longest_source",
    "unigram_loss", "examples", "fingerprint",
)  # fmt: skip


def read_first_look(config: RunConfig) -> tuple[Event, ...]:
    """The events of preparing `config`, except those of progress and state; none if other settings were prepared.

    The training settings stay as `config` has them: device and threads are known only once torch is loaded.
    """
    document = json_object(read_file(FOLDER / "prepared.json"), FOLDER)
    if document["asked"] != config.model_dump(mode="json"):
        return ()
    fields: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in document["told"].items()
    }
    resolved = RunConfig.model_validate(document["asked"] | document["resolved"])
    return Prepared(config=resolved, run=None, **fields), ProbeDone(probe=read_probe_file(FOLDER / "probe.safetensors"))


def write_first_look(config: RunConfig, prepared: Prepared, probe: Probe) -> None:
    """Store the events that the engine emitted when it was asked to prepare `config`."""
    resolved = prepared.config.model_dump(mode="json")
    document = {
        "asked": config.model_dump(mode="json"),
        "resolved": {name: resolved[name] for name in ("dataset", "decoding")},
        "told": {name: value for name, value in asdict(prepared).items() if name in _PREPARED_FIELDS},
    }
    (FOLDER / "prepared.json").write_bytes(json_bytes(document))
    (FOLDER / "probe.safetensors").write_bytes(probe_bytes(probe))
