"""Text files for plugins: lines of UTF-8, plain or compressed, and a sentence for whatever else a file may hold."""

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

from core.files_read import Reading, note
from core.typed_path import typed_path

LONGEST_LINE = 500_000
"""Characters: two of them make the longest pair."""
_BLOCK = 2**20
_LONGEST_BYTES = 4 * LONGEST_LINE
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_OTHER_MARKS = {  # the longer first: one begins as one of UTF-16
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_GZIP = b"\x1f\x8b"  # so begins what gzip made, and no text in UTF-8
_STARTED_IN = Path.cwd()  # before any plugin could change it


class BadData(ValueError):
    """Raised in `pairs` with a sentence about the user's files: what, where, what to do. No fault of the plugin."""


def absolute(path: str) -> str:
    """As a person means it who started Headlight somewhere; `~` is a home."""
    return os.path.normpath(_STARTED_IN / typed_path(path))


def _with_a_home(file: str) -> str:
    return str(typed_path(file)) if file.startswith("~") else file


Folder = Annotated[str, AfterValidator(absolute), Field(json_schema_extra={"format": "folder"})]
"""The type of an option that names a folder. Made absolute at once, so that a run finds it again from anywhere."""

File = Annotated[str, AfterValidator(_with_a_home), Field(json_schema_extra={"format": "file"})]
"""The type of an option that names a file; `~` is a home.

A plugin that has a `Folder` option looks for relative names in its first one: so they are chosen in the window.
"""


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a text file in UTF-8, compressed by gzip or not, without their ends.

    A line ends at "\\n" or "\\r\\n" and nowhere else; a byte order mark is skipped. Holds one mebibyte at a time.
    Raises BadData, which names file and line, where it is no such file or changes meanwhile.
    """
    is_empty = True
    with _opened(path) as (file, reading):
        for lines in line_blocks(file, path):
            is_empty = False
            yield from reading.through(lines)
    if is_empty:
        raise BadData(f"{path} is empty: give a file with a text on each line.")


def line_blocks(file: BinaryIO, name: object) -> Iterator[list[str]]:
    """Yield the lines as `read_lines` does, some at a time, of a file that may be empty; sentences name it so."""
    number = 0
    try:
        with gzip.open(file) if _is_packed(file) else nullcontext(file) as text:
            for block in _blocks(text, name):
                yield _lines_of(block, name, number)
                number += block.count(b"\n")
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise BadData(f"{name} is cut off or damaged: compress it once more.") from None


def _is_packed(file: BinaryIO) -> bool:
    is_packed = file.read(len(_GZIP)) == _GZIP
    file.seek(0)
    return is_packed


@contextmanager
def _opened(path: Path) -> Iterator[tuple[BinaryIO, Reading]]:
    try:
        before = path.stat()
        if not S_ISREG(before.st_mode):  # of a pipe, opening it would wait for whoever writes
            kind = "a folder" if S_ISDIR(before.st_mode) else "a pipe or a device"
            raise BadData(f"{path} is {kind}: give a file with a text on each line.")
        with path.open("rb") as file:
            if path.suffix == ".gz" and before.st_size and not _is_packed(file):
                raise BadData(f"{path} is not compressed by gzip, as its name says: rename it, or compress it.")
            note(reading := Reading(before.st_size, file.tell))
            yield file, reading
        after = path.stat()
    except OSError as error:
        raise BadData(f"{path} cannot be read: {error.strerror or error}.") from None
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise BadData(f"{path} changed while it was read: try again once it is complete.")


def _blocks(file: BinaryIO | gzip.GzipFile, name: object) -> Iterator[bytes]:
    """Whole lines, about _BLOCK bytes of them, each with its end."""
    first = file.read(_BLOCK)
    for mark, encoding in _OTHER_MARKS.items():
        if first.startswith(mark):
            raise BadData(f"{name} is {encoding}: convert it with `iconv -f {encoding} -t UTF-8`.")
    rest, number = b"", 1
    for read in chain([first.removeprefix(_BYTE_ORDER_MARK)], iter(partial(file.read, _BLOCK), b"")):
        rest += read
        end = rest.rfind(b"\n") + 1
        block, rest = rest[:end], rest[end:]
        if len(rest) > _LONGEST_BYTES:
            _require_line_feeds(name, rest, number + block.count(b"\n"))
            raise _too_long(name, number + block.count(b"\n"))
        if block:
            yield block
            number += block.count(b"\n")
    if rest:
        _require_line_feeds(name, rest, number)
        yield rest + b"\n"


def _require_line_feeds(name: object, line: bytes, number: int) -> None:
    """Raises BadData where the first line holds all that is read, and ends of lines as they once were."""
    if number == 1 and (count := line.count(b"\r")):
        raise BadData(
            f"{name} has {count:,} carriage returns before any line feed, as old Macs ended lines: "
            "convert them with `tr '\\r' '\\n'`."
        )


def _lines_of(block: bytes, name: object, before: int) -> list[str]:
    """The lines of a block; `before` of them came before it."""
    if (place := block.find(b"\0")) >= 0:
        number = before + block.count(b"\n", 0, place) + 1
        raise BadData(
            f"{name}, line {number:,} holds a NUL byte: is it text in UTF-8? Convert it, or remove that byte."
        )
    try:
        text = block.decode()
    except UnicodeDecodeError as error:
        number = before + block.count(b"\n", 0, error.start) + 1
        byte = error.start - block.rfind(b"\n", 0, error.start)
        what_to_do = _what_to_do(block[error.start : error.start + 3])
        raise BadData(
            f"{name}, line {number:,}, byte {byte:,} (0x{block[error.start]:02x}) is not UTF-8: {what_to_do}"
        ) from None
    lines = text.replace("\r\n", "\n").split("\n")[:-1]
    if max(map(len, lines)) > LONGEST_LINE:
        raise _too_long(name, before + 1 + next(i for i, line in enumerate(lines) if len(line) > LONGEST_LINE))
    return lines


def _what_to_do(wrong: bytes) -> str:
    """About three bytes that are not UTF-8."""
    try:
        wrong.decode(errors="surrogatepass")
    except UnicodeDecodeError:
        return "convert the file, with `iconv -f LATIN1 -t UTF-8` if it is Latin-1."
    return "three bytes say half of what UTF-16 writes as a pair; write the character whole, or remove them."


def _too_long(name: object, number: int) -> BadData:
    return BadData(f"{name}, line {number:,} is longer than {LONGEST_LINE:,} characters: is a line break missing?")
