"""The scale benchmark's corpus, and its verdict on the measured stages."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks import scale
from benchmarks.scale import Stage, make_corpus, private_megabytes, rows, settings, verdict
from core.config import RunConfig


def test_the_corpus_repeats_the_texts_with_neighbouring_words_swapped(tmp_path: Path) -> None:
    texts, folder = tmp_path / "texts", tmp_path / "folder"
    texts.mkdir()
    folder.mkdir()
    for name in ("train.de", "train.en", "val.de", "val.en"):
        (texts / name).write_text("a b c d\ne\n", encoding="utf-8")
    make_corpus(texts, folder, 7)
    lines = (folder / "train.de").read_text(encoding="utf-8").split("\n")
    assert [sorted(line.split()) for line in lines] == [["a", "b", "c", "d"], ["e"]] * 3 + [["a", "b", "c", "d"], []]
    assert "a b c d" not in lines and len(set(lines[::2])) > 1
    assert RunConfig.model_validate(settings(folder)).dataset.plugin == "parallel_text"


def test_the_verdict_sums_the_stages_and_compares_them_with_the_goals() -> None:
    drawing = Stage("drawing", 0.0, (0.0, 0.0), done=1000, seconds=0.008, used=(0.006, 0.004), peak=300.0)
    counting = Stage("counting", 0.0, (0.0, 0.0), done=9000, seconds=0.004, used=(0.004, 0.0), peak=500.0)
    measuring = Stage("measuring speed", 0.0, (0.0, 0.0), done=5, seconds=0.6, used=(0.6, 0.0))
    training = Stage("training", 0.0, (0.0, 0.0), seconds=60.0, used=(99.0, 0.0), peak=1100.0)
    stages = [drawing, counting, measuring, training]
    speed, memory = verdict(stages, private_megabytes("RssAnon:\t  100000 kB\n"), 1000)
    assert speed == ("prepared 83,333 pairs a second (goal: 100,000), 14.0 µs of processor time a pair", False)
    assert memory == ("998 MB beyond torch's own 102 (goal: 1,000)", True)
    assert len(list(rows([drawing, counting, training]))) == 3, "a row for a stage that took no time"


def test_without_the_files_it_is_skipped_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "multi30k" / "lc.norm.tok").mkdir(parents=True)  # all that check_quality needs
    monkeypatch.setattr(sys, "argv", ["scale", str(tmp_path)])
    assert scale.main() == 0
    assert capsys.readouterr().out == f"Skipped, since there is no multi30k/train.de in DATA ({tmp_path}).\n"
