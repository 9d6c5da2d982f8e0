"""Lines with a checksum: any text is read back, any damage detected, and an incomplete last line left out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import UserError
from core.run_files.checked_lines import checked_line, is_intact, read_checked_lines

VALUES = st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
RECORDS = st.dictionaries(st.text().filter(lambda key: key != "checksum"), VALUES, min_size=1)


@given(st.lists(RECORDS, min_size=1), st.data())
def test_records_are_read_back_without_an_incomplete_last_line(
    records: list[dict[str, object]], data: st.DataObject
) -> None:
    lines = [checked_line(record) for record in records]
    content = b"".join(lines)
    read, num_bytes = read_checked_lines(content, "metrics.jsonl")
    assert [{key: value for key, value in one.items() if key != "checksum"} for one in read] == records
    assert num_bytes == len(content)
    num_cut = data.draw(st.integers(1, len(lines[-1])))
    read, num_bytes = read_checked_lines(content[:-num_cut], "metrics.jsonl")
    assert (len(read), num_bytes) == (len(records) - 1, len(content) - len(lines[-1]))


@given(RECORDS, st.data())
def test_any_flipped_bit_is_detected(record: dict[str, object], data: st.DataObject) -> None:
    line = bytearray(checked_line(record)[:-1])
    line[data.draw(st.integers(0, len(line) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    assert not is_intact(bytes(line))


def test_the_damaged_line_is_named() -> None:
    lines = [checked_line({"step": step}) for step in (1, 2, 3)]
    lines[1] = lines[1].replace(b"2", b"7", 1)
    with pytest.raises(UserError, match=r"metrics\.jsonl: line 2 is damaged"):
        read_checked_lines(b"".join(lines), "metrics.jsonl")


def test_a_line_is_plain_json_with_its_checksum_last() -> None:
    assert list(json.loads(checked_line({"step": 50, "train/loss": 2.5}))) == ["step", "train/loss", "checksum"]
