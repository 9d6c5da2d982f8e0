"""Preparing data notes held-out texts that write accents in the other Unicode form than the train split."""

from __future__ import annotations

from pathlib import Path
from typing import Literal
from unicodedata import normalize

import pytest

from core.config import DatasetConfig
from core.data.preparation import prepare_data
from core.events import Trouble
from core.plugins_host.host import PluginHost

Form = Literal["NFC", "NFD"]


def notes(folder: Path, host: PluginHost, train: Form, valid: Form, **options: str) -> list[Trouble]:
    """The notes on a corpus whose targets are in these forms; three train targets are in the other one."""
    words = [f"Tür {number}" for number in range(60)]
    targets = [normalize(valid if number < 3 else train, word) for number, word in enumerate(words)]
    (folder / "train.tsv").write_text("".join(f"door {i}\t{text}\n" for i, text in enumerate(targets)), "utf-8")
    held_out = [f"window {i}\t{normalize(valid, f'Öl {i}')}\n" for i in range(10)]
    (folder / "valid.tsv").write_text("".join(held_out), encoding="utf-8")
    files = {"folder": str(folder), "train_source": "train.tsv", "valid_source": "valid.tsv"}
    dataset = DatasetConfig(plugin="parallel_text", options=files | options)
    return [one for one in prepare_data(dataset, host, folder / "cache") if isinstance(one, Trouble)]


@pytest.mark.parametrize(
    ("train", "valid", "counts"), [("NFC", "NFD", "one character {} two"), ("NFD", "NFC", "two characters {} one")]
)
def test_targets_in_the_other_form_are_reported_with_what_to_do(
    host: PluginHost, tmp_path: Path, train: Form, valid: Form, counts: str
) -> None:
    (trouble,) = notes(tmp_path, host, train, valid)
    counts = counts.format("in the train targets and")
    assert trouble.sentence == (
        f"A letter with its accent is {counts} in those of valid: they look the same, and are different tokens."
    )
    assert trouble.advice == "Set dataset.options.normalisation: NFC, so that all are one character."
    assert notes(tmp_path, host, train, valid) == [trouble], "data from the cache have the same notes"
    assert notes(tmp_path, host, train, valid, normalisation="NFC") == []


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_texts_in_one_form_give_no_note(host: PluginHost, tmp_path: Path, form: Form) -> None:
    assert notes(tmp_path, host, form, form) == []
