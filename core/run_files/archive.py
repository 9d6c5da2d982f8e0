"""A run shared as one file: a zip of some of its files. Untrusted archives are checked before they are unpacked.

Only the names of a shared run are unpacked, each once, stored or deflated, within fixed sizes. The size of the list of
files is checked before it is read into memory, and each file is written in pieces.
"""

from __future__ import annotations

import re
import shutil
import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from core.at_path import is_file
from core.errors import UserError
from core.run_files.atomic import atomic_file
from core.run_files.documents import reporting_read_errors
from core.run_files.file_names import DOCUMENTS, LABEL, METRICS, any_of
from core.run_files.step_files import SNAPSHOTS, STEP_FILES

SUFFIX = ".headlight"
MAX_FILES = 20_000
MAX_BYTES = 2**31  # bytes, of the archive and of what is in it

_NAMES = re.compile(f"{any_of((*DOCUMENTS, METRICS, LABEL))}|{STEP_FILES}")
_END = struct.Struct("<4s4H2LH")  # the last record of a zip without a comment; zip64 has another one before it
_END_64 = b"PK\x06\x07"
_MAX_ENTRY_BYTES = 256  # bytes of the list; our names are below 40
_CHUNK_BYTES = 2**20
_ENCRYPTED = 1
_READ_ADVICE = "Choose another file."
_UNREADABLE = (BadZipFile, zlib.error, struct.error, NotImplementedError, RuntimeError, EOFError, ValueError, OSError)


def write_archive(path: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write named files as one archive, whole or not at all. Weights are stored, as they do not compress.

    Raises UserError if it would be larger than `unpack` accepts; files beyond that are only counted, for the error.
    """
    num_files, num_bytes = Counter[str](), Counter[str]()  # by folder
    with atomic_file(path) as file:
        with ZipFile(file, "w") as archive:
            for name, data in files:
                folder = name.rpartition("/")[0]
                num_files[folder] += 1
                num_bytes[folder] += len(data)
                if _fits(num_files.total(), num_bytes.total()):
                    kind = ZIP_STORED if folder == SNAPSHOTS else ZIP_DEFLATED
                    archive.writestr(ZipInfo(name), data, kind)
        if not _fits(num_files.total(), max(num_bytes.total(), file.tell())):  # the list of files counts too
            raise _too_large(path, num_files, num_bytes)


def _fits(num_files: int, num_bytes: int) -> bool:
    return num_files <= MAX_FILES and num_bytes <= MAX_BYTES


def _too_large(path: Path, num_files: Counter[str], num_bytes: Counter[str]) -> UserError:
    folders = [name for name, _ in num_bytes.most_common() if name]
    parts = "; ".join(f"{name}: {num_files[name]:,}, {num_bytes[name] / 1e6:,.1f} MB" for name in folders)
    return UserError(
        f"{path} would hold {num_files.total():,} files and {num_bytes.total() / 1e6:,.1f} MB ({parts}), "
        f"expected at most {MAX_FILES:,} files and {MAX_BYTES / 1e6:,.1f} MB.",
        "A run with a smaller training.snapshot_budget_mb keeps fewer weights, one with a larger training.probe_every "
        "fewer probes. The weights of one checkpoint alone are exported with --format safetensors.",
    )


def unpack(path: Path, folder: Path) -> None:
    """Write the files of a shared run into an empty folder. Raises UserError if `path` is not a shared run."""
    with reporting_read_errors(path, _READ_ADVICE):
        if not is_file(path):  # a pipe, say, into which nobody writes
            raise UserError(f"{path} is not a file.", "Choose one that Share has written.")
        opened = path.open("rb")
    with opened as file:
        with reporting_read_errors(path, _READ_ADVICE):
            _require_short_list(file, path)
        with _reporting_unreadable(path):
            archive = ZipFile(file)
        entries = archive.infolist()
        _require_harmless(entries, path)
        _require_disk_space(folder, sum(entry.file_size for entry in entries))
        for entry in entries:
            target = folder / entry.filename
            target.parent.mkdir(exist_ok=True)
            with target.open("xb") as unpacked:
                for chunk in _chunks(archive, entry, path):
                    unpacked.write(chunk)


@contextmanager
def _reporting_unreadable(path: Path) -> Iterator[None]:
    """Turn errors of reading the archive into a UserError; not for errors of writing its files."""
    try:
        yield
    except _UNREADABLE as error:
        raise _refusal(path, str(error) or type(error).__name__) from None


def _require_short_list(file: BinaryIO, path: Path) -> None:
    """Check the length of the list of files, by the record at the end: zipfile reads the whole list into memory."""
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise _refusal(path, f"it is larger than {MAX_BYTES:,} bytes")
    tail = min(size, _END.size + 20)
    file.seek(size - tail)
    data = file.read()
    if len(data) < _END.size or not data[-_END.size :].startswith(b"PK\x05\x06"):
        raise _refusal(path, "it has no list of files at its end")
    _, _, _, _, count, length, _, comment = _END.unpack(data[-_END.size :])
    if data.startswith(_END_64) or comment or count > MAX_FILES or length > MAX_FILES * _MAX_ENTRY_BYTES:
        raise _refusal(path, "its list of files is too long")


def _require_harmless(entries: Sequence[ZipInfo], path: Path) -> None:
    if not _fits(len(entries), sum(entry.file_size for entry in entries)):
        raise _refusal(path, f"it holds more than {MAX_BYTES:,} bytes or {MAX_FILES:,} files")
    times = Counter(entry.filename for entry in entries)
    for entry in entries:
        if not _NAMES.fullmatch(entry.filename):
            raise _refusal(path, f"{entry.filename[:80]!r} is not a file of a shared run")
        if times[entry.filename] > 1:
            raise _refusal(path, f"{entry.filename} is in it twice")
        if entry.flag_bits & _ENCRYPTED or entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise _refusal(path, f"{entry.filename} is encrypted, or packed in an unsupported way")


def _require_disk_space(folder: Path, num_bytes: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < num_bytes:
        raise UserError(
            f"There is no room for this run in {folder}: it takes {num_bytes / 1e6:,.1f} MB, "
            f"and {free / 1e6:,.1f} MB are free.",
            "Free some space, or keep runs in another folder.",
        )


def _chunks(archive: ZipFile, entry: ZipInfo, path: Path) -> Iterator[bytes]:
    """The content of an entry in pieces: no more than its size says, which zipfile ensures, and no less."""
    size = 0
    with _reporting_unreadable(path), archive.open(entry) as packed:
        while chunk := packed.read(_CHUNK_BYTES):
            size += len(chunk)
            yield chunk
    if size != entry.file_size:
        raise _refusal(path, f"{entry.filename} is shorter than the archive says")


def _refusal(path: Path, why: str) -> UserError:
    return UserError(
        f"{path} is not a shared run ({why}).", "Have it shared again, or take it from somebody you trust."
    )
