"""How large a file may be to be read; that whatever else is wrong with one is named: tests/reliability."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.run_files import metrics_file
from core.run_files.documents import DamagedFile

MEMORY = 2 * 2**30
STEP = 300  # bytes of metrics.jsonl, see docs/reliability.md


@pytest.mark.skipif(not hasattr(os, "sysconf"), reason="elsewhere nobody asks for the memory")
def test_a_million_steps_are_read_in_two_gigabytes_and_what_nearly_fills_them_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": MEMORY // 4096, "SC_PAGE_SIZE": 4096}.__getitem__)
    path = tmp_path / "metrics.jsonl"
    path.touch()
    os.truncate(path, STEP * 1_000_000)
    assert metrics_file.last_step(path) == 0
    os.truncate(path, MEMORY * 9 // 10)
    with pytest.raises(DamagedFile, match="too large for this machine's memory"):
        metrics_file.last_step(path)
