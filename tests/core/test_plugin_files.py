"""Reading lines of text files, and an error for each kind of unreadable content."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import plugin_files
from core.plugin import BadData, File, Folder, Options, option, read_lines
from core.plugin_files import LONGEST_LINE


def written(folder: Path, data: bytes, name: str = "text") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def lines_of(folder: Path, data: bytes, name: str = "text") -> list[str]:
    return list(read_lines(written(folder, data, name)))


def refusal(folder: Path, data: bytes, name: str = "text") -> str:
    with pytest.raises(BadData) as exc_info:
        lines_of(folder, data, name)
    sentence = str(exc_info.value)
    assert str(folder / name) in sentence and "\n" not in sentence
    return sentence


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"a b\nc\n", ["a b", "c"]),
        (b"a\nno end", ["a", "no end"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n", ["a", "\ufeffb"]),
        ("a\u2028b\u0085c\x0bd\re\n".encode(), ["a\u2028b\u0085c\x0bd\re"]),
        (b"a\rb\n", ["a\rb"]),
        (b"a\r\nb\rc", ["a", "b\rc"]),
        (b"\n\na\n\n", ["", "", "a", ""]),
        (b"\xef\xbb", None),
    ],
)
def test_lines_end_at_line_feeds_only(tmp_path: Path, data: bytes, lines: list[str] | None) -> None:
    if lines is None:
        assert "line 1, byte 1 (0xef) is not UTF-8" in refusal(tmp_path, data)
    else:
        assert lines_of(tmp_path, data) == lines
        for name in ("text.gz", "TEXT.GZ", "text"):
            assert lines_of(tmp_path, gzip.compress(data), name) == lines


@given(lines=st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r\0")), min_size=1))
def test_reading_in_blocks_splits_no_line_or_character(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    data = ("\n".join(lines) + "\n").encode()
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe")):
        return
    folder, block_size = tmp_path_factory.mktemp("blocks"), plugin_files._BLOCK
    for block in (3, 4, 7):
        plugin_files._BLOCK = block
        try:
            assert lines_of(folder, data) == lines
        finally:
            plugin_files._BLOCK = block_size


def zipped(data: bytes) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("text", data)
    return archive.getvalue()


@pytest.mark.parametrize(
    ("data", "name", "words"),
    [
        (b"", "text", "is empty"),
        (gzip.compress(b"", mtime=0), "text.gz", "is empty"),
        ("a\n".encode("utf-16"), "text", "is UTF-16: convert it"),
        (b"\xfe\xff" + "a\n".encode("utf-16-be"), "text", "is UTF-16: convert it"),
        ("a\n".encode("utf-32"), "text", "is UTF-32: convert it with `iconv -f UTF-32 -t UTF-8`"),
        (b"\0\0\xfe\xff" + "a\n".encode("utf-32-be"), "text", "is UTF-32: convert it"),
        ("a\nb\n".encode("utf-16-be"), "text", "looks like UTF-16: convert it with `iconv -f UTF-16BE -t UTF-8`."),
        ("für\n上海\n".encode("utf-16-le"), "text", "looks like UTF-16: convert it with `iconv -f UTF-16LE -t UTF-8`."),
        (b"a\0b\n\0\0\n\n", "text", "line 1 holds a NUL byte"),
        (b"a\nb\0\n", "text", "line 2 holds a NUL byte"),
        (b"one\ntwo \xff\n", "text", "line 2, byte 5 (0xff) is not UTF-8"),
        (b"a\n" + b"\xc3\n", "text", "line 2, byte 1 (0xc3) is not UTF-8"),
        (b"a\n\xed\n", "text", "line 2, byte 1 (0xed) is not UTF-8: convert the file, with `iconv"),
        (b"a\n\xed\xa0\x80\n", "text", "line 2, byte 1 (0xed) is not UTF-8: three bytes say half of what UTF-16 wri"),
        (b"plain\n", "text.gz", "is not compressed by gzip, as its name says"),
        (gzip.compress(b"a\n" * 9000, mtime=0)[:-12], "text.gz", "is cut off or damaged"),
        (gzip.compress(b"a\n", mtime=0)[:-8] + b"\0" * 8, "text.gz", "is cut off or damaged"),
        (zipped(b"a\n"), "text.zip", "is compressed by zip: unpack it, or compress it by gzip instead."),
        (bz2.compress(b"a\n"), "text", "is compressed by bzip2: unpack it"),
        (lzma.compress(b"a\n"), "text", "is compressed by xz: unpack it"),
        (gzip.compress(lzma.compress(b"a\n"), mtime=0), "text.gz", "is compressed by xz: unpack it"),
        (
            gzip.compress(gzip.compress(b"a\n", mtime=0), mtime=0),
            "text.gz",
            "is compressed by gzip twice: unpack it once.",
        ),
        (b"\x28\xb5\x2f\xfd\x24", "text.zst", "is compressed by zstd: unpack it"),
        (b"a\rb\rc", "text", "has 2 carriage returns before any line feed, as old Macs ended lines: convert them with"),
        (b"a b\r", "text", "has 1 carriage return before any line feed"),
        (b"a\r" * 1_200_000, "text", " carriage returns before any line feed"),
        (gzip.compress(b"a\rb\r", mtime=0), "text.gz", "has 2 carriage returns before any line feed"),
        (b"a\n" + b"x" * (LONGEST_LINE + 1) + b"\n", "text", "line 2 is longer than 500,000 characters"),
    ],
)
def test_content_that_is_not_text_is_refused(tmp_path: Path, data: bytes, name: str, words: str) -> None:
    assert words in refusal(tmp_path, data, name)


def test_a_file_may_be_named_by_a_text_and_a_missing_one_is_named_in_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, b"a\nb\n")
    assert list(read_lines("text")) == ["a", "b"]
    assert refusal_of(Path("other")).startswith(f"{tmp_path / 'other'} cannot be read")


def test_line_numbers_are_counted_across_blocks(tmp_path: Path) -> None:
    before = b"a line of text\n" * 200_000  # several blocks
    assert "line 200,001, byte 1 " in refusal(tmp_path, before + b"\xff\n")
    assert "line 200,002 holds" in refusal(tmp_path, before + b"\n\0\n")


@pytest.mark.parametrize("bad_line", [b"\xff", b"\0", b"x" * (LONGEST_LINE + 1), b"x" * 5 * LONGEST_LINE])
def test_lines_before_a_bad_one_are_yielded(tmp_path: Path, bad_line: bytes) -> None:
    lines = read_lines(written(tmp_path, b"a\rb\nc\r\n" + bad_line + b"\nd\n"))
    assert [next(lines), next(lines)] == ["a\rb", "c"]
    with pytest.raises(BadData, match=r"line 3\b"):
        next(lines)


def test_a_line_of_50_megabytes_is_refused_without_holding_it(tmp_path: Path) -> None:
    with (tmp_path / "text").open("wb") as file:
        file.write(b"a\n")
        file.truncate(50 * 2**20)
    assert "line 2 is longer than" in refusal_of(tmp_path / "text")


def refusal_of(path: Path) -> str:
    with pytest.raises(BadData) as exc_info:
        list(read_lines(path))
    return str(exc_info.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nothing", "/nothing cannot be read: No such file or directory. Make it readable, or name another."),
        (".", "is a folder: give a file with a text on each line."),
        ("pipe", "/pipe is a pipe or a device: give a file with a text on each line."),
    ],
)
def test_a_path_that_is_not_a_readable_file_is_refused(tmp_path: Path, name: str, words: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert words in refusal_of(tmp_path / name)


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, b"a\nb\n")
    lines = read_lines(path)
    assert next(lines) == "a"
    path.write_bytes(b"a\nb\nc\n")
    with pytest.raises(BadData, match="changed while it was read"):
        list(lines)


class Where(Options):
    folder: Folder = option(".")


def test_a_folder_is_relative_to_where_the_process_was_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started_in = Path.cwd()
    monkeypatch.chdir(tmp_path)
    assert Where().folder == str(started_in)
    assert Where(folder="data/../texts").folder == str(started_in / "texts")
    assert Where(folder="~").folder == os.path.normpath(Path.home())
    assert Where(folder="/corpus/").folder == "/corpus"


class Which(Options):
    file: File = option("")


def test_a_file_option_expands_the_home_and_is_left_unchanged_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Which(file="~/corpus/train.en").file == str(tmp_path / "corpus" / "train.en")
    for name in ("", "./train.en", "a~b", "/corpus/train.en"):
        assert Which(file=name).file == name
