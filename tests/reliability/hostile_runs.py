"""Ways in which a stranger can alter a run: each alters a copy of a good one, with forged checksums."""

from __future__ import annotations

import json
import os
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from core.run_files.checked_lines import checked_line
from core.run_files.documents import checksum, json_bytes
from core.run_files.state import read_state, state_bytes
from core.run_files.tensors import tensor_bytes

Alteration = Callable[[Path], object]
TERABYTE = 2**40
MOST_MEMORY = 9 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 10 if hasattr(os, "sysconf") else TERABYTE
OPENS = None  # harmless: opens as it is, with its data prepared again, or at the checkpoint before


PICKLED = b"cposix\nsystem\n(Vtouch executed\ntR."
"""A pickle written by hand; unpickling it creates a file in the working directory."""


def document(run: Path, name: str, data: bytes) -> None:
    """Write a document of a run and its checksum in run.json."""
    (run / name).write_bytes(data)
    state = read_state(run / "run.json")
    (run / "run.json").write_bytes(state_bytes(replace(state, checksums=state.checksums | {name: checksum(data)})))


def setting(pattern: str, text: str) -> Alteration:
    """Replace a value in config.yaml."""

    def alter(run: Path) -> None:
        before = (run / "config.yaml").read_text(encoding="utf-8")
        after, count = re.subn(pattern, text, before)
        assert count, pattern
        document(run, "config.yaml", after.encode())

    return alter


def config(text: str) -> Alteration:
    """Replace config.yaml."""
    return lambda run: document(run, "config.yaml", text.encode())


def vocabulary(**changes: Any) -> Alteration:
    """Replace values in vocabulary.json."""

    def alter(run: Path) -> None:
        before = json.loads((run / "vocabulary.json").read_text(encoding="utf-8"))
        document(run, "vocabulary.json", json.dumps(before | changes).encode())

    return alter


def file(name: str, data: bytes) -> Alteration:
    """Replace the bytes of a file."""
    return lambda run: (run / name).write_bytes(data)


def line(name: str, record: dict[str, Any]) -> Alteration:
    """Replace a file by one line with a correct checksum."""
    return file(name, checked_line(record))


def sparse(name: str, size: int = TERABYTE) -> Alteration:
    """Extend a file to this size without using disk space."""
    return lambda run: os.truncate(run / name, size)


def link(name: str, target: str) -> Alteration:
    """Replace a file or folder by a link; a relative target lies beside the run."""

    def alter(run: Path) -> None:
        place = run / name
        if place.is_dir():
            place.rename(run / "aside")
        else:
            place.unlink(missing_ok=True)
        place.symlink_to(target if Path(target).is_absolute() else run.parent / target)

    return alter


def folder(name: str) -> Alteration:
    """Replace a file by a folder."""

    def alter(run: Path) -> None:
        (run / name).unlink(missing_ok=True)
        (run / name).mkdir()

    return alter


def pipe(name: str) -> Alteration:
    """Replace a file by a pipe that nobody writes to."""

    def alter(run: Path) -> None:
        (run / name).unlink()
        os.mkfifo(run / name)

    return alter


def torch_saved(run: Path) -> None:
    """Replace the model's file of arrays by what torch.save writes: an archive with a pickle."""
    with zipfile.ZipFile(run / MODEL, "w") as archive:
        archive.writestr("archive/data.pkl", PICKLED)
        archive.writestr("archive/version", "3\n")


def header(length: int, text: bytes = b"") -> bytes:
    """Return the beginning of a file of arrays: the header's length, and its text."""
    return length.to_bytes(8, "little") + text


def huge_tensor(size: int = TERABYTE) -> bytes:
    """Return a header that claims a tensor of this many bytes."""
    shape = {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}
    text = json.dumps({"__metadata__": {"headlight": "{}", "checksum": "0"}, "w": shape}).encode()
    return header(len(text), text)


def sparse_tensor(size: int) -> Alteration:
    """Write such a header, and extend the file to the claimed length."""

    def alter(run: Path) -> None:
        data = huge_tensor(size)
        (run / MODEL).write_bytes(data)
        os.truncate(run / MODEL, len(data) + size)

    return alter


def run_json(**changes: Any) -> Alteration:
    """Change values of run.json and delete its checksum, as a user who edits the file may."""

    def alter(run: Path) -> None:
        record = json.loads((run / "run.json").read_text(encoding="utf-8"))
        del record["checksum"]
        (run / "run.json").write_text(json.dumps(record | changes), encoding="utf-8")

    return alter


def labelled(**label: str) -> Alteration:
    """Write an invalid name or note with a correct checksum."""
    record = {"name": "", "note": ""} | label
    return file("label.json", json_bytes({"checksum": checksum(json_bytes(record)), **record}))


def plugins(run: Path) -> None:
    """Put plugins wherever the program might look for them."""
    for place in ("copy_task.py", "plugins/copy_task.py", "plugins/other.py", "checkpoints/copy_task.py"):
        (run / place).parent.mkdir(exist_ok=True)
        (run / place).write_text("open('executed', 'w').close()\n", encoding="utf-8")


DEEP = "[" * 100_000
BOMB = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 100))
NEWEST = "checkpoints/000004"
MODEL, STATE = f"{NEWEST}/model.safetensors", f"{NEWEST}/state.json"
MANY = np.zeros(10, np.float32)

# name -> how the run is altered, and what the refusing sentence must contain
HOSTILE: dict[str, tuple[Alteration, str | None]] = {
    "yaml_executes": (config("name: !!python/object/apply:os.system ['touch executed']"), "line 1"),
    "yaml_names_code": (config("name: !!python/name:os.system x"), "this is not YAML"),
    "yaml_bomb": (config(BOMB), "aliases"),
    "yaml_deep": (config(DEEP), "nested deeper"),
    "yaml_long": (config("#" * 2_000_000), "larger than"),
    "yaml_no_text": (config("\x00\x01"), "config.yaml"),
    "width_1e9": (setting(r"d_model: \d+", "d_model: 1000000000"), "d_model"),
    "width_8192": (setting(r"d_model: \d+", "d_model: 8192"), "describe a model of"),
    "layers_64": (setting(r"(num_..coder_layers): \d+", r"\1: 64"), "describe a model of"),
    "learned_positions": (setting("positions: sinusoidal", "positions: learned"), "describe a model of"),
    "longest_1e12": (setting(r"max_src_length: \d+", "max_src_length: 1000000000000"), "max_src_length"),
    "threads_1e6": (setting(r"num_threads: \d+", "num_threads: 1000000"), OPENS),
    "device_elsewhere": (setting("device: cpu", "device: mps"), OPENS),
    "options_1e12": (setting(r"num_symbols: \d+", "num_symbols: 1000000000000"), OPENS),
    "plugin_elsewhere": (setting("plugin: copy_task", "plugin: ../../plugins/copy_task"), OPENS),
    "name_leads_out": (setting("name: copy_task", "name: ../../outside"), "name"),
    "format_newer": (setting("format: 1", "format: 2"), "format"),
    "vocabulary_deep": (lambda run: document(run, "vocabulary.json", DEEP.encode()), "vocabulary.json"),
    "vocabulary_of_numbers": (vocabulary(src_tokens=[1, 2]), "vocabulary"),
    "vocabulary_longer": (vocabulary(tgt_tokens=[str(n) for n in range(100_000)]), "describe a model"),
    "vocabulary_lacks": (vocabulary(dataset={}), "vocabulary"),
    "vocabulary_pickled": (lambda run: document(run, "vocabulary.json", PICKLED), "vocabulary.json"),
    "subwords_of_nothing": (lambda run: document(run, "src.model", b""), "subwords"),
    "subwords_pickled": (lambda run: document(run, "src.model", PICKLED), "subwords"),
    "subwords_large": (lambda run: document(run, "src.model", bytes(33 * 2**20)), "subwords"),
    "subwords_terabyte": (sparse("src.model"), "src.model"),
    "subwords_link": (link("src.model", "/dev/zero"), "is a link"),
    "subwords_gone": (lambda run: (run / "src.model").unlink(), "src.model"),
    "subwords_of_others": (vocabulary(src_tokens=["a"]), "subwords"),
    "run_json_pid": (run_json(pid=-1), "run.json"),
    "run_json_pid_1e30": (run_json(pid=10**30), "run.json"),
    "run_json_step": (run_json(last_step="../../.."), "run.json"),
    "run_json_step_1e30": (run_json(last_step=10**30), "last_step"),
    "run_json_size_1e20": (run_json(metrics_size=10**20), "metrics_size"),
    "run_json_created_1e300": (run_json(created=1e300), "created"),
    "run_json_created_negative": (run_json(created=-1e18), "created"),
    "run_json_group": (run_json(group="a\x1b[31m\nb"), "group"),
    "run_json_reason": (run_json(reason="\x1b[2J"), "reason"),
    "run_json_deep": (file("run.json", DEEP.encode()), "run.json"),
    "run_json_nan": (file("run.json", b'{"best_value": NaN}'), "run.json"),
    "state_lacks": (line(STATE, {}), "state.json"),
    "state_of_texts": (line(STATE, {"batches": "x", "best": "y", "done_at": [], "changes": 1}), "state.json"),
    "state_without_positions": (
        line(STATE, {"batches": {}, "best": {"metric": "k"}, "done_at": {}, "changes": [], "probe_sentences": []}),
        "state.json",
    ),
    "state_deep": (file(STATE, DEEP.encode()), OPENS),
    "model_pickled": (file(MODEL, PICKLED), OPENS),
    "model_saved_by_torch": (torch_saved, OPENS),
    "model_header_2e62": (file(MODEL, header(2**62)), OPENS),
    "model_header_terabyte": (file(MODEL, header(TERABYTE)), OPENS),
    "model_tensor_terabyte": (file(MODEL, huge_tensor()), OPENS),
    "model_sparse_terabyte": (sparse_tensor(TERABYTE), OPENS),
    "model_of_most_memory": (sparse_tensor(MOST_MEMORY), OPENS),
    "model_of_others": (file(MODEL, tensor_bytes({"w": MANY}, {})), "describe a model of"),
    "model_deep": (file(MODEL, header(len(DEEP), DEEP.encode())), OPENS),
    "metrics_terabyte": (sparse("metrics.jsonl"), "metrics.jsonl"),
    "metrics_of_most_memory": (sparse("metrics.jsonl", MOST_MEMORY), "metrics.jsonl"),
    "metrics_folder": (folder("metrics.jsonl"), "is a folder"),
    "metrics_of_texts": (line("metrics.jsonl", {"step": "x", "train/loss": []}), "metrics.jsonl"),
    "config_terabyte": (sparse("config.yaml"), "config.yaml"),
    "config_link": (link("config.yaml", "/etc/passwd"), "is a link"),
    "log_link": (link("log.txt", "victim"), "is a link"),
    "metrics_link": (link("metrics.jsonl", "/dev/zero"), "is a link"),
    "label_link": (link("label.json", "/dev/zero"), "is a link"),
    "label_deep": (file("label.json", DEEP.encode()), "label.json"),
    "label_long": (labelled(name="x" * 10**6), "label.json"),
    "probes_link": (link("probes", "victims"), "is a link"),
    "checkpoint_link": (link(NEWEST, "victims"), "is a link"),
    "temporary_link": (link("run.json.tmp", "victim"), "is a link"),
    "vocabulary_folder": (folder("vocabulary.json"), "is a folder"),
    "label_folder": (folder("label.json"), "is a folder"),
    "log_folder": (folder("log.txt"), "is a folder"),
    "vocabulary_pipe": (pipe("vocabulary.json"), "is a pipe"),
    "plugins": (plugins, OPENS),
}
