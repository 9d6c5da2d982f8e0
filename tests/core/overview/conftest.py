"""A corpus small enough to be counted by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.config import RunConfig
from core.data.preparation import prepare_data
from core.data.prepared_data import PreparedData
from core.generators import run_to_end
from core.plugins_host.host import PluginHost
from core.settings.overriding import change_settings

TEXTS = {
    "train.en": "a dog\na dog\na cat\na cat sleeps here now",
    "train.de": "ein hund\nein hund\neine kleine katze\neine katze schläft",
    "valid.en": "a dog\na cat\nthe emu",
    "valid.de": "ein anderer hund\neine kleine katze\nder emu",
    "test.en": "a bird",
    "test.de": "ein vogel",
}
OPTIONS = {
    f"{split}_{side}": f"{split}.{ending}"
    for split in ("train", "valid", "test")
    for side, ending in (("source", "en"), ("target", "de"))
}


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the corpus files."""
    folder = tmp_path_factory.mktemp("corpus")
    for name, text in TEXTS.items():
        (folder / name).write_text(f"{text}\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def config(corpus: Path) -> RunConfig:
    """A config with sources of at most five tokens, including <eos>, for which one pair is too long."""
    config = RunConfig.model_validate(
        {"dataset": {"plugin": "parallel_text", "options": {"folder": str(corpus), **OPTIONS}}}
    )
    return change_settings(config, {"dataset.max_src_length": 5, "dataset.max_tgt_length": 9})


@pytest.fixture(scope="session")
def data(config: RunConfig, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PreparedData]:
    """The prepared data of all pairs, including the overlong one."""
    host = PluginHost()
    unlimited = config.dataset.model_copy(update={"max_src_length": "auto", "max_tgt_length": "auto"})
    yield run_to_end(prepare_data(unlimited, host, tmp_path_factory.mktemp("cache")))
    host.close()
