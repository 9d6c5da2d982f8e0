"""The free memory within a container's limit."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.machine import free_memory


@pytest.mark.parametrize(
    ("stat", "free"), [("", 40), ("anon 7\ninactive_file 25\nactive_file 9\n", 65), ("anon 7\n", 40)]
)
def test_the_page_cache_of_a_container_counts_as_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stat: str, free: int
) -> None:
    for name, text in (("memory.max", "100\n"), ("memory.current", "60\n"), ("memory.stat", stat)):
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(free_memory, "_CONTAINER", tmp_path)
    assert free_memory.free_memory() == free
