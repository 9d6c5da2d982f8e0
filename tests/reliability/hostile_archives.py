"""Ways in which a stranger can alter a shared run: each packs the files of a good one into a bad archive."""

from __future__ import annotations

import io
import json
import os
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

Files = dict[str, bytes]
Alteration = Callable[[Files], bytes]
END = 22  # length of the end record in bytes


def packed(files: Files, *more: tuple[str | zipfile.ZipInfo, bytes], kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a zip of these files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", kind) as archive:
        for name, data in (*files.items(), *more):
            archive.writestr(name, data)
    return buffer.getvalue()


def with_file(name: str, data: bytes = b"open('executed', 'w').close()\n") -> Alteration:
    """Add a file."""
    return lambda files: packed(files, (name, data))


def other(name: str, data: bytes) -> Alteration:
    """Replace the bytes of a file."""
    return lambda files: packed(files | {name: data})


def end_says(**fields: int) -> Alteration:
    """Forge the end record: `count` files, a directory of `length` bytes at `offset`, a comment of `comment` bytes."""

    def alter(files: Files) -> bytes:
        data = packed(files)
        names = ("disk", "list_disk", "here", "count", "length", "offset", "comment")
        known = dict(zip(names, struct.unpack("<4HLLH", data[-END + 4 :]), strict=True)) | fields
        return data[:-END] + b"PK\x05\x06" + struct.pack("<4HLLH", *known.values())

    return alter


def listed_as(place: int, layout: str, value: int) -> Alteration:
    """Forge a field of the first file's directory entry; `place` is its offset in the zip format's description."""

    def alter(files: Files) -> bytes:
        data = bytearray(packed(files))
        struct.pack_into(layout, data, data.index(b"PK\x01\x02") + place, value)
        return bytes(data)

    return alter


def twice(files: Files) -> bytes:
    """Pack two files of the same name. The second is renamed after packing, since zipfile warns of duplicates."""
    return packed(files, ("config.yamm", b"name: x")).replace(b"config.yamm", b"config.yaml")


def linked(files: Files) -> bytes:
    """Pack an entry that unzip would make a symbolic link to a file outside."""
    link = zipfile.ZipInfo("label.json")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    return packed({name: data for name, data in files.items() if name != "label.json"}, (link, b"/etc/passwd"))


def with_64_bits(files: Files) -> bytes:
    """Add a ZIP64 locator, which says that the directory is elsewhere."""
    data = packed(files)
    return data[:-END] + b"PK\x06\x07" + bytes(16) + data[-END:]


def without(missing: str) -> Alteration:
    """Leave out a file."""
    return lambda files: packed({name: data for name, data in files.items() if name != missing})


def run_says(**changes: object) -> Alteration:
    """Change a value of run.json and delete its checksum, as a user who edits the file may."""

    def alter(files: Files) -> bytes:
        record = {name: value for name, value in json.loads(files["run.json"]).items() if name != "checksum"}
        return packed(files | {"run.json": json.dumps(record | changes).encode()})

    return alter


def many(files: Files) -> bytes:
    """Pack more files than any run has, each under an allowed name."""
    return packed(files, *((f"probes/{step:06d}.safetensors", b"") for step in range(900_000, 921_000)), kind=0)


# name -> how the files are altered, and what the refusing sentence must contain
HOSTILE: dict[str, tuple[Alteration, str]] = {
    "no_zip": (lambda _: b"x" * 1000, "no list of files"),
    "nothing": (lambda _: b"", "no list of files"),
    "cut_off": (lambda files: packed(files)[:-100], "no list of files"),
    "cut_in_front": (lambda files: packed(files)[5000:], "not a shared run"),
    "leads_out": (with_file("../../outside.json"), "not a file of a shared run"),
    "leads_out_within": (with_file("probes/../../../outside.safetensors"), "not a file of a shared run"),
    "absolute": (with_file("/tmp/outside.json"), "not a file of a shared run"),
    "windows": (with_file("..\\outside.json"), "not a file of a shared run"),
    "drive": (with_file("C:outside.json"), "not a file of a shared run"),
    "folder": (with_file("probes/"), "not a file of a shared run"),
    "optimizer": (with_file("checkpoints/000004/optimizer.safetensors"), "not a file of a shared run"),
    "plugin": (with_file("plugins/copy_task.py"), "not a file of a shared run"),
    "python": (with_file("copy_task.py"), "not a file of a shared run"),
    "other_digits": (with_file("probes/٠٠٠٠٠٤.safetensors"), "not a file of a shared run"),
    "twice": (twice, "twice"),
    "link": (linked, "label.json"),
    "lzma": (lambda files: packed(files, kind=zipfile.ZIP_LZMA), "packed in an unsupported way"),
    "encrypted": (listed_as(8, "<H", 1), "encrypted"),
    "unknown_packing": (listed_as(10, "<H", 99), "packed in an unsupported way"),
    "bomb": (listed_as(24, "<L", 2**32 - 2), "it holds more than"),
    "longer_than_said": (listed_as(24, "<L", 10), "not a shared run"),
    "shorter_than_said": (listed_as(24, "<L", 10**6), "not a shared run"),
    "elsewhere": (listed_as(42, "<L", 2**31), "not a shared run"),
    "list_long": (end_says(length=2**32 - 2), "list of files is too long"),
    "list_of_many": (end_says(count=65_535, here=65_535), "list of files is too long"),
    "list_elsewhere": (end_says(offset=2**31), "not a shared run"),
    "comment": (end_says(comment=100), "list of files is too long"),
    "64_bits": (with_64_bits, "list of files is too long"),
    "many": (many, "list of files is too long"),
    "no_run": (lambda _: packed({}), "no run.json"),
    "no_config": (without("config.yaml"), "no config.yaml"),
    "no_vocabulary": (without("vocabulary.json"), "vocabulary.json: there is no such file"),
    "no_subwords": (without("src.model"), "src.model: there is no such file"),
    "vocabulary_altered": (other("vocabulary.json", b"{}"), "vocabulary.json: the file is damaged"),
    "created_1e300": (run_says(created=1e300), "run.json: the file is damaged (created: "),
    "step_1e30": (run_says(last_step=10**30), "run.json: the file is damaged (last_step: "),
    "group_of_two_lines": (run_says(group="a\x1b[31m\nb"), "run.json: the file is damaged (group: "),
    "run_deep": (other("run.json", b"[" * 100_000), "run.json"),
    "config_altered": (
        other("config.yaml", b"name: !!python/object/apply:os.system ['touch executed']"),
        "config.yaml",
    ),
}


def files_of(archive: Path) -> Files:
    """Read the files of a good archive."""
    with zipfile.ZipFile(archive) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def pipe(path: Path) -> Path:
    """Make a pipe that nobody writes to."""
    os.mkfifo(path)
    return path
