"""The fraction of a plugin's files that has been read."""

import gzip
from pathlib import Path

import pytest

from core import plugin_files
from core.plugin import read_lines
from core.read_progress import ReadProgress

LINES = [f"line {number:04}" for number in range(1000)]


@pytest.mark.parametrize("block", [64, 2**20])
def test_the_fraction_is_that_of_the_lines_read(tmp_path: Path, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin_files, "_BLOCK", block)
    (tmp_path / "one").write_text("".join(f"{line}\n" for line in LINES))
    (tmp_path / "other").write_text("".join(f"{line}\n" for line in LINES))
    files = ReadProgress()
    assert files.fraction_read is None
    with files.tracking():
        for number, _ in enumerate(zip(read_lines(tmp_path / "one"), read_lines(tmp_path / "other"), strict=True), 1):
            assert files.fraction_read == pytest.approx(number / 1000, abs=0.02)
    assert files.fraction_read == 1.0


def test_compressed_files_count_their_bytes_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in LINES).encode()))
    files = ReadProgress()
    with files.tracking():
        for number, _ in enumerate(read_lines(path), 1):
            assert files.fraction_read == pytest.approx(number / 1000, abs=0.01)


def test_files_opened_outside_tracking_are_not_counted(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("a\n")
    mine, theirs = ReadProgress(), ReadProgress()
    with mine.tracking():
        lines = read_lines(tmp_path / "text")
    with theirs.tracking():
        assert list(lines) == ["a"], "the file is opened by the first line, not by read_lines"
    assert (mine.fraction_read, theirs.fraction_read) == (None, 1.0)
    assert list(read_lines(tmp_path / "text")) == ["a"]
