"""The table of docs/documents.md: rewriting it keeps the text below it."""

from __future__ import annotations

import platform

import pytest

from benchmarks.documents import EXPERIMENTS, PAGE, page


def test_the_page_equals_the_output_of_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")  # the machine on which its figures were measured
    written = PAGE.read_text(encoding="utf-8")
    rows = [line for line in written.splitlines() if line.startswith(tuple(f"| {one.name} |" for one in EXPERIMENTS))]
    assert len(rows) == 2 * len(EXPERIMENTS)
    assert page(rows, written) == written
