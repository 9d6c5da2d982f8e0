"""Preparing data notes a large overlap of a held-out split with the train split, in the terminal and the window."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from core.config import DatasetConfig
from core.data.preparation import prepare_data
from core.events import Trouble
from core.plugin import Pair
from core.plugins_host.host import PluginHost
from core.plugins_host.pair_lines import lines_of, unquoted
from tests.in_process import run_headlight


def corpus(folder: Path, valid: bytes, **options: str) -> DatasetConfig:
    """A dataset of a hundred train pairs and a file of these held-out pairs."""
    (folder / "train.tsv").write_bytes(lines(range(100)))
    (folder / "valid").write_bytes(valid)
    named = {"folder": str(folder), "train_source": "train.tsv", "valid_source": "valid", **options}
    return DatasetConfig(plugin="parallel_text", options=named)


def lines(numbers: range) -> bytes:
    return "".join(f"number {number}\tNummer {number}\n" for number in numbers).encode()


def notes(dataset: DatasetConfig, host: PluginHost, cache_dir: Path) -> list[str]:
    events = list(prepare_data(dataset, host, cache_dir))
    notes = [event for event in events if isinstance(event, Trouble)]
    assert all(note.is_note and note.until_prepared for note in notes)
    return [note.sentence for note in notes]


@pytest.mark.parametrize("copied", [bytes, gzip.compress], ids=["copy", "compressed copy"])
def test_a_copy_of_the_train_file_is_reported_as_fully_overlapping(
    host: PluginHost, tmp_path: Path, copied: Callable[[bytes], bytes]
) -> None:
    dataset = corpus(tmp_path, copied(lines(range(100))))
    # Not reported again for the test split, which is the same.
    expected = ["All 100 valid sources are in the train split too."]
    assert notes(dataset, host, tmp_path / "cache") == expected
    assert notes(dataset, host, tmp_path / "cache") == expected  # data from the cache have the same notes


def test_overlapping_sources_count_for_each_split_whatever_their_targets(host: PluginHost, tmp_path: Path) -> None:
    (tmp_path / "test.tsv").write_bytes(lines(range(95, 105)) + b"number 99\tneunundneunzig\n")
    dataset = corpus(tmp_path, lines(range(90, 190)).replace(b"Nummer", b"Zahl"), test_source="test.tsv")
    assert notes(dataset, host, tmp_path / "cache") == [
        "10 of 100 valid sources are in the train split too.",
        "5 of 10 test sources are in the train split too.",
    ]


@pytest.mark.parametrize("held_out", [range(91, 191), range(96, 100)], ids=["small share", "few"])
def test_a_small_overlap_is_not_reported(host: PluginHost, tmp_path: Path, held_out: range) -> None:
    assert notes(corpus(tmp_path, lines(held_out)), host, tmp_path / "cache") == []


def test_different_sources_differ_in_their_quoted_form_too() -> None:
    texts = ['", "', 'a", "b', "a\\", "\\", 'ä"', "\u2028", "a\\\\", "", 'a", ', 'a\\", ', '", ", ']
    pairs = [Pair(text, target) for text in texts for target in ("x", '", "')]
    assert len(set(lines_of(pairs).quoted_sources())) == len(texts)
    assert list(map(unquoted, lines_of(pairs).quoted_sources())) == [pair.source for pair in pairs]
    quoted = lines_of([Pair("a\\", "b"), Pair('a", "b', "b")]).quoted_sources()
    assert quoted == [rb'["a\\', rb'["a\", \"b']


def test_the_terminal_shows_the_note(tmp_path: Path) -> None:
    dataset = corpus(tmp_path, lines(range(100)))
    (tmp_path / "run.yaml").write_text(
        f"dataset: {{plugin: parallel_text, options: {dataset.options}}}\n"
        "model: {d_model: 8, num_heads: 1, num_encoder_layers: 1, num_decoder_layers: 1, d_ff: 8}\n"
        "training: {max_steps: 1, batch_size: 2}\n"
    )
    runs = ("--runs-dir", tmp_path / "runs")
    trained = run_headlight("train", tmp_path / "run.yaml", *runs, cwd=tmp_path)
    assert trained.returncode == 0, trained.stderr
    (run,) = (tmp_path / "runs").iterdir()
    for result in (trained, run_headlight("evaluate", run.name, *runs, cwd=tmp_path)):
        (line,) = (line for line in result.stderr.splitlines() if "in the train split too" in line)
        assert line.startswith("All 100 valid sources") and "was memorised" in line
