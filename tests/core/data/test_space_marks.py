"""Preparing data notes targets with the character that subwords write for a space."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.config import DatasetConfig
from core.data.preparation import prepare_data
from core.data.space_marks import count_marked_targets
from core.events import Trouble
from core.plugin import Pair
from core.plugins_host.host import PluginHost
from core.plugins_host.pair_lines import lines_of


def notes(folder: Path, host: PluginHost, tokenizer: str) -> list[str]:
    """The notes on a corpus of three train targets with the character and one valid target, and as many sources."""
    texts = ["▁a b", "a▁b", "▁", *["a b ab"] * 20]
    (folder / "train.tsv").write_text("".join(f"▁a b\t{text}\n" for text in texts), encoding="utf-8")
    (folder / "valid.tsv").write_text("b\ta▁b\n", encoding="utf-8")
    options = {"folder": str(folder), "train_source": "train.tsv", "valid_source": "valid.tsv"}
    dataset = DatasetConfig.model_validate(
        {"plugin": "parallel_text", "options": options, "tokenizer": {"src": "subword", "tgt": tokenizer}}
    )
    events = list(prepare_data(dataset, host, folder / "cache"))
    return [event.sentence for event in events if isinstance(event, Trouble)]


@pytest.mark.parametrize("tokenizer", ["subword", "subword_unigram"])
def test_targets_that_subwords_cannot_write_are_reported(host: PluginHost, tmp_path: Path, tokenizer: str) -> None:
    expected = [
        "3 train targets hold ▁ (U+2581), which subwords write for a space: outputs have a space there.",
    ]
    assert notes(tmp_path, host, tokenizer) == expected
    assert notes(tmp_path, host, tokenizer) == expected, "data from the cache have the same notes"


@pytest.mark.parametrize("tokenizer", ["whitespace", "characters"])
def test_targets_that_are_written_as_they_are_give_no_note(host: PluginHost, tmp_path: Path, tokenizer: str) -> None:
    assert notes(tmp_path, host, tokenizer) == []


def test_a_backslash_and_its_number_are_not_the_character() -> None:
    assert count_marked_targets(lines_of([Pair("a", r"\u2581"), Pair("▁", "a")])) == 0
    assert count_marked_targets(lines_of([Pair("a", "▁"), Pair("a", "b▁")])) == 2
