"""The statistics of a dataset small enough to count by hand, and a declared overlap of splits."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.answers.plugin_report import Lengths, PluginReport
from core.engine import Engine
from core.plugin import split_of
from core.plugin_check.report_text import findings_text, report_text
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
    assert "\nvalid: 3 pairs, 1 source in train, source 1 to 2" in report_text(report)
    assert [finding.check for finding in report.findings] == ["unknown tokens", "unknown tokens"]


def test_an_overlap_is_a_finding_unless_it_is_declared(tmp_path: Path) -> None:
    assert "leaks" in [finding.check for finding in report_of(tmp_path, overlap=False).findings]


LARGE_PLUGIN = """
from core.plugin import DatasetPlugin, Options, Pair, split_of

class Large(DatasetPlugin[Options]):
    name = "large"
    title = "Large"
    tokenizer = ("whitespace", "characters")
    endless = ENDLESS

    def pairs(self, split, rng):  # sorted, like a dictionary
        while True:
            for number, text in enumerate(TEXTS):
                if split_of(text) == split:
                    yield Pair(text, str(number // 30_000))
            if not (self.endless and split == "train"):
                return

    def examples(self):
        return [TEXTS[-1]]

TEXTS = [f"w{number // 100} {number}" for number in range(50_000)]
PLUGIN = Large
"""


@pytest.mark.parametrize("is_endless", [False, True])
def test_every_token_is_known_that_a_run_knows(is_endless: bool, tmp_path: Path) -> None:
    path = tmp_path / "large.py"
    path.write_text(LARGE_PLUGIN.replace("ENDLESS", str(is_endless)))
    with Engine() as engine:
        report = answered(engine, CheckPlugin(plugin=str(path), with_learning=False))
    assert report.figures is not None
    train, valid = report.figures.splits["train"], report.figures.splits["valid"]
    texts = [f"w{number // 100} {number}" for number in range(50_000)]
    texts = [text for text in texts if split_of(text) == "train"][: 10_000 if is_endless else None]
    tokens = {token for text in texts for token in text.split()}
    assert report.figures.src_vocabulary == len(tokens)
    assert report.figures.tgt_vocabulary == (1 if is_endless else 2)
    for words in (
        "target tokens of the valid split are in no pair of the train split",
        "The example 'w499 49999' has the token 'w499'",
        "Every target of the train split is '0'",
    ):
        assert (words in findings_text(report)) == is_endless, words
    assert train.num_kept == 20_000 and "of the first 20,000: source 2 to 2" in report_text(report)
    assert valid.num_kept == valid.num_pairs


REPEATING = """
    def pairs(self, split, rng):
        for number in range(28_000):
            text = str(number if number > 26_000 else number % 1_000)
            if split_of(text) == split:
                yield Pair(" ".join([text] * (1_001 if len(text) == 1 else 1)), text)

TEXTS = ["0"]
PLUGIN = Large
"""


def test_what_is_found_in_the_first_pairs_is_not_said_of_all(tmp_path: Path) -> None:
    path = tmp_path / "repeating.py"
    path.write_text(LARGE_PLUGIN.replace("ENDLESS", "False").partition("    def pairs")[0] + REPEATING.lstrip("\n"))
    with Engine() as engine:
        report = answered(engine, CheckPlugin(plugin=str(path), with_learning=False))
    for words in (
        "% of the first 20,000 pairs of the train split repeat an earlier pair",
        "The longest source of the first 20,000 pairs of the train split has 1,001 tokens",
        "% of a batch of the default size from the first 20,000 pairs is padding",
    ):
        assert words in findings_text(report)
