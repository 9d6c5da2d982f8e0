"""The statistics of a dataset small enough to count by hand, and a declared overlap of splits."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.answers.plugin_report import Lengths, PluginReport
from core.engine import Engine
from core.plugin_check.report_text import report_text
from core.requests import CheckPlugin
from tests.core.watcher import answered

SMALL_PLUGIN = """
from core.plugin import DatasetPlugin, Options, Pair

PAIRS = {
    "train": [Pair("a", "x"), Pair("a b", "x y"), Pair("a b", "x y"), Pair("a b b b", "x y y y")],
    "valid": [Pair("b", "y"), Pair("b c", "y z"), Pair("a b", "x y")],
    "test": [Pair("b a", "y x")],
}

class Small(DatasetPlugin[Options]):
    name = "small"
    title = "Small"
    tokenizer = "whitespace"
    splits_overlap = OVERLAP

    def pairs(self, split, rng):
        yield from PAIRS[split]

PLUGIN = Small
"""


def report_of(folder: Path, *, overlap: bool) -> PluginReport:
    path = folder / "small.py"
    path.write_text(SMALL_PLUGIN.replace("OVERLAP", str(overlap)))
    with Engine() as engine:
        return answered(engine, CheckPlugin(plugin=str(path), with_learning=False))


def test_statistics_equal_those_counted_by_hand(tmp_path: Path) -> None:
    report = report_of(tmp_path, overlap=True)
    assert report.figures is not None
    train, valid = report.figures.splits["train"], report.figures.splits["valid"]
    assert (train.num_pairs, train.src_lengths) == (4, Lengths(shortest=1, median=2, longest=4))
    assert (train.duplicates, train.in_train, valid.in_train) == (0.25, 0, 1)
    assert valid.unknown_src == valid.unknown_tgt == pytest.approx(1 / 5)
    assert (report.figures.src_vocabulary, report.figures.tgt_vocabulary) == (2, 2)
    # One batch of four sources with 2 + 3 + 3 + 5 tokens, <eos> included, in 4 * 5 positions; targets likewise.
    assert report.figures.padding == pytest.approx(7 / 20)
    assert not report.figures.depends_on_seed
    line = "train: 4 pairs, source 1 to 4 (median 2), target 1 to 4 (median 2) tokens, 25.0 % duplicates"
    assert line in report_text(report)
    assert ", 1 source in train\n" in report_text(report)
    assert [finding.check for finding in report.findings] == ["unknown tokens", "unknown tokens"]


def test_an_overlap_is_a_finding_unless_it_is_declared(tmp_path: Path) -> None:
    assert "leaks" in [finding.check for finding in report_of(tmp_path, overlap=False).findings]
