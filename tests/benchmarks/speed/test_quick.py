"""The quick benchmark's table; its figures are not checked, since tests are not timed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.speed import parts, quick
from benchmarks.speed.parts import PARTS, decode, train_at_best
from benchmarks.speed.rivals import TEXTBOOK, textbook_only
from benchmarks.speed.rounds import Spread
from benchmarks.speed.sizes import TINY


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Reduce the quick benchmark to two parts at a tiny size; return the file it records to."""
    tiny_parts = {
        "small": lambda conditions: train_at_best(TINY, conditions),
        "greedy-1": lambda conditions: decode(TINY, 1, 1, conditions),
    }
    monkeypatch.setattr(quick, "PARTS", tiny_parts)
    monkeypatch.setattr(quick, "ROUNDS", dict.fromkeys(tiny_parts, 2))
    monkeypatch.setattr(quick, "RECORDED", tmp_path / "recorded.json")
    monkeypatch.setattr(quick, "usable_cores", lambda: 1)
    return tmp_path / "recorded.json"


def test_recorded_ratios_are_printed_beside_the_measured_ones(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["quick", "--record"])
    quick.main()
    assert "–" in capsys.readouterr().out.splitlines()[1]  # nothing is recorded yet
    recorded = json.loads(tiny.read_text())["ratios"]
    assert set(recorded) == {"small", "greedy-1"}
    monkeypatch.setattr("sys.argv", ["quick"])
    quick.main()
    printed = capsys.readouterr().out.splitlines()
    assert [row.split()[0] for row in printed[1:]] == ["small", "greedy-1"]
    assert [f"{ratio:.2f}" in row for row, ratio in zip(printed[1:], recorded.values(), strict=True)] == [True, True]


def test_only_a_ratio_that_fell_by_more_than_15_percent_is_marked() -> None:
    assert "slower" not in quick.line("small", Spread(1.71, 1.7, 1.8), 2.0)
    assert "slower than recorded" in quick.line("small", Spread(1.69, 1.7, 1.8), 2.0)


def test_figures_recorded_on_another_machine_are_marked(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tiny.write_text(json.dumps({"machine": {"processor": "another"}, "ratios": {}}))
    monkeypatch.setattr(quick, "ROUNDS", {})
    monkeypatch.setattr("sys.argv", ["quick"])
    quick.main()
    assert "another" in capsys.readouterr().out.splitlines()[0]


def test_bfloat16_is_left_out_with_a_sentence_where_the_processor_does_not_multiply_in_it(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(parts, "has_bfloat16_products", lambda: False)
    monkeypatch.setattr(quick, "ROUNDS", {"medium-bfloat16": 2, "greedy-1": 2})
    monkeypatch.setattr("sys.argv", ["quick", "--record"])
    quick.main()
    left_out, measured = capsys.readouterr().out.splitlines()[1:]
    assert left_out.startswith("medium-bfloat16   not measured: this processor does not multiply in bfloat16")
    assert measured.startswith("greedy-1")
    assert set(json.loads(tiny.read_text())["ratios"]) == {"greedy-1"}


def test_every_quick_part_exists_and_is_compared_with_the_textbook() -> None:
    assert set(quick.ROUNDS) <= set(PARTS)
    assert TEXTBOOK in textbook_only(TINY).models
