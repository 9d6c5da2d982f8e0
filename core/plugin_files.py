"""Reads text files for plugins: lines of UTF-8, plain or gzipped, with a clear error for anything else in a file."""

import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from itertools import chain
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Annotated, BinaryIO

from pydantic import AfterValidator, Field

from core.home_paths import expand_home
from core.read_progress import FileReading, track

LONGEST_LINE = 500_000
"""In characters: two such lines make the longest pair."""
_BLOCK = 2**20
_LONGEST_BYTES = 4 * LONGEST_LINE
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_OTHER_BYTE_ORDER_MARKS = {  # the longer ones first: one of UTF-32 begins with one of UTF-16
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_GZIP = b"\x1f\x8b"  # gzip files begin with this, and UTF-8 text cannot
_OTHER_COMPRESSIONS = {b"PK\3\4": "zip", b"BZh91AY&SY": "bzip2", b"\xfd7zXZ\0": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
_START_FOLDER = Path.cwd()  # before any plugin could change it


class BadData(ValueError):
    """Raised in `pairs` with a sentence about the user's files: what, where, what to do. Not an error of the plugin."""


def absolute(path: str) -> str:
    """Make a path absolute, relative to the folder in which Headlight was started; `~` is the home folder."""
    return os.path.normpath(_START_FOLDER / expand_home(path))


def _expand_home(file: str) -> str:
    return str(expand_home(file)) if file.startswith("~") else file


Folder = Annotated[str, AfterValidator(absolute), Field(json_schema_extra={"format": "folder"})]
"""The type of an option that names a folder. It is made absolute, so that a run finds it from any working directory."""

File = Annotated[str, AfterValidator(_expand_home), Field(json_schema_extra={"format": "file"})]
"""The type of an option that names a file; `~` is the home folder.

A plugin with a `Folder` option must look for relative names in its first one: the window chooses files that way.
"""


def read_lines(path: Path | str) -> Iterator[str]:
    """Yield the lines of a UTF-8 text file, gzipped or not, without their line ends.

    Only "\\n" and "\\r\\n" end a line; a byte order mark is skipped. Holds about one mebibyte in memory at a time.
    Raises BadData, naming file and line, if the file is not such a text or changes while it is read.
    """
    path, is_empty = Path(path).absolute(), True  # errors name the folder that was looked in
    with _opened(path) as (file, reading):
        for lines in line_blocks(file, path):
            is_empty = False
            yield from reading.iterate(lines)
    if is_empty:
        raise BadData(f"{path} is empty: give a file with a text on each line.")


def line_blocks(file: BinaryIO, name: object) -> Iterator[list[str]]:
    """Yield lists of the lines as `read_lines` does, but the file may be empty. Errors call it `name`.

    All lines before a bad one are yielded, wherever the blocks end.
    """
    number = 0
    try:
        with gzip.open(file) if _is_gzipped(file) else nullcontext(file) as text:
            for block in _blocks(text, name):
                yield from _lines_of(block, name, number)
                number += block.count(b"\n")
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise BadData(f"{name} is cut off or damaged: compress it once more.") from None


def _is_gzipped(file: BinaryIO) -> bool:
    is_gzipped = file.read(len(_GZIP)) == _GZIP
    file.seek(0)
    return is_gzipped


@contextmanager
def _opened(path: Path) -> Iterator[tuple[BinaryIO, FileReading]]:
    try:
        before = path.stat()
        if not S_ISREG(before.st_mode):  # opening a pipe would wait for a writer
            kind = "a folder" if S_ISDIR(before.st_mode) else "a pipe or a device"
            raise BadData(f"{path} is {kind}: give a file with a text on each line.")
        with path.open("rb") as file:
            if path.suffix == ".gz" and before.st_size and not _is_gzipped(file):
                raise BadData(f"{path} is not compressed by gzip, as its name says: rename it, or compress it.")
            track(reading := FileReading(before.st_size, file.tell))
            yield file, reading
        after = path.stat()
    except OSError as error:
        raise BadData(f"{path} cannot be read: {error.strerror or error}. Make it readable, or name another.") from None
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise BadData(f"{path} changed while it was read: try again once it is complete.")


def _blocks(file: BinaryIO | gzip.GzipFile, name: object) -> Iterator[bytes]:
    """Blocks of whole lines with their line ends, of about _BLOCK bytes."""
    first = file.read(_BLOCK)
    _require_plain(first, name)
    rest, number = b"", 1
    for read in chain([first.removeprefix(_BYTE_ORDER_MARK)], iter(partial(file.read, _BLOCK), b"")):
        rest += read
        end = rest.rfind(b"\n") + 1
        block, rest = rest[:end], rest[end:]
        if block:
            yield block
            number += block.count(b"\n")
        if len(rest) > _LONGEST_BYTES:
            _require_line_feeds(name, rest, number)
            raise _too_long(name, number)
    if rest:
        _require_line_feeds(name, rest, number)
        yield rest + b"\n"


def _require_plain(first: bytes, name: object) -> None:
    """Raise BadData if a file that begins like this is in another encoding, or compressed."""
    for mark, encoding in _OTHER_BYTE_ORDER_MARKS.items():
        if first.startswith(mark):
            raise BadData(f"{name} is {encoding}: convert it with `iconv -f {encoding} -t UTF-8`.")
    if (unmarked := _unmarked_utf16(first)) is not None:
        raise BadData(f"{name} looks like UTF-16: convert it with `iconv -f {unmarked} -t UTF-8`.")
    for mark, program in _OTHER_COMPRESSIONS.items():
        if first.startswith(mark):
            raise BadData(f"{name} is compressed by {program}: unpack it, or compress it by gzip instead.")
    if first.startswith(_GZIP):  # in what was unpacked, or it would have been unpacked
        raise BadData(f"{name} is compressed by gzip twice: unpack it once.")


def _unmarked_utf16(text: bytes) -> str | None:
    """The kind of UTF-16 that a text without a byte order mark looks like: most of its characters are Latin letters."""
    for encoding, low in (("UTF-16LE", 0), ("UTF-16BE", 1)):
        others, highs = text[low::2], text[1 - low :: 2]
        if len(others) == len(highs) < 2 * highs.count(b"\0") and b"\0" not in others:
            return encoding
    return None


def _require_line_feeds(name: object, line: bytes, number: int) -> None:
    """Raise BadData if this is the first line and has carriage returns: the file then has old Mac line ends."""
    if number == 1 and (count := line.count(b"\r")):
        raise BadData(
            f"{name} has {count:,} carriage return{'s' * (count != 1)} before any line feed, as old Macs ended lines: "
            "convert them with `tr '\\r' '\\n'`."
        )


def _lines_of(block: bytes, name: object, before: int) -> Iterator[list[str]]:
    """Yield the lines of a block in one list; if one of them is bad, those before it one by one, and raise BadData.

    `before` is the number of lines before the block.
    """
    try:
        yield _decoded(block, name, before)
    except BadData:
        for number, line in enumerate(block.split(b"\n"), start=before):
            yield _decoded(line + b"\n", name, number)


def _decoded(block: bytes, name: object, before: int) -> list[str]:
    """The lines of a block, decoded and checked."""
    if (position := block.find(b"\0")) >= 0:
        number = before + block.count(b"\n", 0, position) + 1
        raise BadData(
            f"{name}, line {number:,} holds a NUL byte: is it text in UTF-8? Convert it, or remove that byte."
        )
    try:
        text = block.decode()
    except UnicodeDecodeError as error:
        number = before + block.count(b"\n", 0, error.start) + 1
        byte = error.start - block.rfind(b"\n", 0, error.start)
        advice = _advice_for(block[error.start : error.start + 3])
        raise BadData(
            f"{name}, line {number:,}, byte {byte:,} (0x{block[error.start]:02x}) is not UTF-8: {advice}"
        ) from None
    lines = text.replace("\r\n", "\n").split("\n")[:-1]
    if max(map(len, lines)) > LONGEST_LINE:
        raise _too_long(name, before + 1 + next(i for i, line in enumerate(lines) if len(line) > LONGEST_LINE))
    return lines


def _advice_for(wrong: bytes) -> str:
    """The advice for three bytes that are not UTF-8."""
    try:
        wrong.decode(errors="surrogatepass")
    except UnicodeDecodeError:
        return "convert the file, with `iconv -f LATIN1 -t UTF-8` if it is Latin-1."
    return "three bytes say half of what UTF-16 writes as a pair; write the character whole, or remove them."


def _too_long(name: object, number: int) -> BadData:
    return BadData(f"{name}, line {number:,} is longer than {LONGEST_LINE:,} characters: is a line break missing?")
