"""The largest file that is read; other faults of files are tested in tests/reliability."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.run_files.documents import DamagedFile
from core.run_files.metrics_file import MetricsFile

MEMORY = 2 * 2**30
STEP = 300  # bytes per step in metrics.jsonl, see docs/reliability.md


@pytest.mark.skipif(not hasattr(os, "sysconf"), reason="needs os.sysconf")
def test_a_file_of_a_million_steps_fits_two_gigabytes_and_a_larger_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": MEMORY // 4096, "SC_PAGE_SIZE": 4096}.__getitem__)
    path = tmp_path / "metrics.jsonl"
    path.touch()
    os.truncate(path, STEP * 1_000_000)
    assert MetricsFile(path).last_step() == 0
    os.truncate(path, MEMORY * 9 // 10)
    with pytest.raises(DamagedFile, match="too large for this machine's memory"):
        MetricsFile(path).last_step()
