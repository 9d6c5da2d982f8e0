"""What nobody reads any more goes nowhere; what cannot be written for another reason is still told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.cli.streams import fall_silent, perhaps_unread, speak_utf8


def test_a_pipe_whose_reader_has_left_takes_everything_from_then_on() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream:
        for _ in range(3):
            with perhaps_unread(stream):
                print("x" * 100_000, file=stream)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is of Linux")
def test_a_full_disk_is_no_reader_that_left() -> None:
    stream = Path("/dev/full").open("w", buffering=1)  # noqa: SIM115 (closing it fails as writing does)
    with pytest.raises(OSError, match="No space left"), perhaps_unread(stream):
        stream.write("x")
    fall_silent(stream)
    stream.close()


def test_bytes_that_are_no_text_come_through(tmp_path: Path) -> None:
    with (tmp_path / "out").open("w", encoding="ascii") as stream:
        speak_utf8(stream)
        print("ü", os.fsdecode(b"\xff"), file=stream)
    assert (tmp_path / "out").read_text(encoding="utf-8") == "ü \\udcff\n"
