"""Preparing data notes extremely long pairs, as of missing line breaks, in the terminal and the window."""

from __future__ import annotations

from math import exp
from pathlib import Path
from statistics import NormalDist

import pytest

from core.config import DatasetConfig
from core.data.preparation import prepare_data
from core.events import Trouble
from core.plugins_host.host import PluginHost
from tests.in_process import run_headlight

ROOM_FOR_ALL = 100_000


def corpus(folder: Path, *lengths: int) -> DatasetConfig:
    """A dataset of 200 sources of five or six words, then sources of these lengths, with one-word targets."""
    sources = [f"{'go ' * length}\tx\n" for length in (*[5, 6] * 100, *lengths)]
    (folder / "train.tsv").write_text("".join(sources))
    (folder / "valid.tsv").write_text("go\tx\n")
    options = {"folder": str(folder), "train_source": "train.tsv", "valid_source": "valid.tsv"}
    return DatasetConfig(plugin="parallel_text", options=options)


def notes(dataset: DatasetConfig, host: PluginHost, cache_dir: Path) -> list[Trouble]:
    return [event for event in prepare_data(dataset, host, cache_dir) if isinstance(event, Trouble)]


def test_a_long_pair_is_reported_with_the_usual_length_and_advice(host: PluginHost, tmp_path: Path) -> None:
    dataset = corpus(tmp_path, 3000)
    (note,) = notes(dataset, host, tmp_path / "cache")
    assert note.sentence == (
        "Pair 201 of the train split has 3,001 source tokens, <eos> counted; 9 of 10 train pairs have at most 7. "
        "It begins with 'go go go go go go go go go go go go go g'."
    )
    assert "Is a line break missing there? Fix it, or set dataset.max_src_length" in note.advice
    assert note.is_note and note.until_prepared
    assert notes(dataset, host, tmp_path / "cache") == [note]  # data from the cache have the same note


def test_the_longest_of_several_pairs_is_reported(host: PluginHost, tmp_path: Path) -> None:
    (note,) = notes(corpus(tmp_path, 1200, 3000), host, tmp_path / "cache")
    assert "Pair 202" in note.sentence and note.sentence.endswith(" 1 more is about as long.")


def test_a_held_out_pair_is_compared_with_the_train_pairs(host: PluginHost, tmp_path: Path) -> None:
    dataset = corpus(tmp_path)
    (tmp_path / "valid.tsv").write_text(f"go\t{'x ' * 2000}\n")
    (note,) = notes(dataset, host, tmp_path / "cache")
    assert note.sentence.startswith("Pair 1 of the valid split has 2,001 target tokens") and "most 2." in note.sentence
    assert "dataset.max_tgt_length" in note.advice


def test_a_pair_in_both_held_out_splits_counts_once(host: PluginHost, tmp_path: Path) -> None:
    dataset = corpus(tmp_path)
    (tmp_path / "valid.tsv").write_text(f"{'go ' * 2000}\tx\n")
    (note,) = notes(dataset, host, tmp_path / "cache")
    assert note.sentence.startswith("Pair 1 of the valid split") and note.sentence.endswith("'.")
    (tmp_path / "test.tsv").write_text(f"go {'go ' * 2000}\tx\n")
    of_its_own = dataset.model_copy(update={"options": dataset.options | {"test_source": "test.tsv"}})
    (note,) = notes(of_its_own, host, tmp_path / "cache")
    assert note.sentence.startswith("Pair 1 of the test split") and note.sentence.endswith(" 1 more is about as long.")


@pytest.mark.parametrize(
    ("short", "long"), [(9, 1), (200, 20), (295, 5)], ids=["few", "a tenth", "more than one of a hundred"]
)
def test_long_pairs_are_reported_whether_pairs_are_few_or_long_ones_several(
    host: PluginHost, tmp_path: Path, short: int, long: int
) -> None:
    dataset = corpus(tmp_path)
    lengths = [5] * short + [5000] * long
    (tmp_path / "train.tsv").write_text("".join(f"{'go ' * length}\tx\n" for length in lengths))
    (note,) = notes(dataset, host, tmp_path / "cache")
    assert f"Pair {short + 1} of the train split" in note.sentence and "most 6." in note.sentence
    assert (f" {long - 1:,} more are" in note.sentence) is (long > 1)


def documents() -> list[int]:
    """Log-normal numbers of words of 200 texts: half are above 300, and the longest is 5,000."""
    return [round(300 * exp(NormalDist().inv_cdf((number + 0.5) / 200))) for number in range(200)]


@pytest.mark.parametrize("lengths", [[900], [1000] * 40 + [9000], documents()], ids=["cheap", "usual", "documents"])
def test_pairs_of_cheap_or_usual_length_are_not_reported(host: PluginHost, tmp_path: Path, lengths: list[int]) -> None:
    assert notes(corpus(tmp_path, *lengths), host, tmp_path / "cache") == []


def test_nothing_is_reported_if_the_maximum_length_is_set(host: PluginHost, tmp_path: Path) -> None:
    """A resumed run has its lengths set, too. A set length that leaves the pair out needs no note either."""
    dataset = corpus(tmp_path, 3000)
    for length in (10, ROOM_FOR_ALL):
        chosen = dataset.model_copy(update={"max_src_length": length})
        assert notes(chosen, host, tmp_path / "cache") == []


def test_the_pair_number_counts_pairs_that_are_left_out(host: PluginHost, tmp_path: Path) -> None:
    dataset = corpus(tmp_path, 3000).model_copy(update={"max_tgt_length": 2})
    lines = (tmp_path / "train.tsv").read_text()
    (tmp_path / "train.tsv").write_text(f"away\tx x x\n{lines}")
    (note,) = notes(dataset, host, tmp_path / "cache")
    assert note.sentence.startswith("Pair 202 of the train split")


def test_the_terminal_shows_the_note(tmp_path: Path) -> None:
    dataset = corpus(tmp_path, 1200)
    (tmp_path / "run.yaml").write_text(
        f"dataset: {{plugin: parallel_text, options: {dataset.options}}}\n"
        "model: {d_model: 8, num_heads: 1, num_encoder_layers: 1, num_decoder_layers: 1, d_ff: 8}\n"
        "training: {max_steps: 1, batch_size: 2}\n"
    )
    trained = run_headlight("train", tmp_path / "run.yaml", "--runs-dir", tmp_path / "runs", cwd=tmp_path)
    assert trained.returncode == 0, trained.stderr
    (line,) = (line for line in trained.stderr.splitlines() if "1,201 source tokens" in line)
    assert line.startswith("Pair 201") and line.endswith("longer pairs are left out.")
