"""Another process prepares its data from the first process's document if it cannot find the first one's data."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.config import RunConfig
from core.data.cache_folder import default_cache_dir
from core.data.preparation import prepare_data
from core.data.prepared_data import PreparedData
from core.errors import UserError
from core.generators import run_to_end
from core.plugins_host.host import PluginHost
from core.training.follower import _data


@pytest.fixture
def host(shared_host: PluginHost) -> PluginHost:
    """The shared plugin host in place of that of conftest.py."""
    return shared_host


def config_with(size: int) -> RunConfig:
    """A config with subwords of Roman numerals."""
    tokenizer = {"src": "subword_unigram", "tgt": "subword_unigram", "size": size}
    return RunConfig.model_validate({"dataset": {"plugin": "roman_numerals", "tokenizer": tokenizer}})


def document_of(data: PreparedData) -> dict[str, Any]:
    """The document as it comes from a process on another machine."""
    models = {side: b64encode(model).decode() for side, model in data.subword_models.items()}
    unprepared = {"data": "/not/on/this/machine", "local_options": data.local_options}
    return {**unprepared, "vocabulary": data.vocabulary_document(), "subwords": models}


def test_it_uses_the_first_processs_subwords_though_its_own_would_differ(host: PluginHost, tmp_path: Path) -> None:
    own = run_to_end(prepare_data(config_with(24).dataset, host, default_cache_dir()))
    theirs = run_to_end(prepare_data(config_with(18).dataset, host, tmp_path))
    assert theirs.subword_models != own.subword_models
    data = _data(document_of(replace(theirs, fingerprint=own.fingerprint)), config_with(24), host)
    assert data.subword_models == theirs.subword_models
    assert len(data.src_vocabulary) == 18


def test_different_pairs_are_refused(host: PluginHost) -> None:
    config = config_with(24)
    data = run_to_end(prepare_data(config.dataset, host, default_cache_dir()))
    document = document_of(replace(data, fingerprint="of other pairs"))
    with pytest.raises(UserError, match="'roman_numerals' gives different pairs here than in the first process"):
        _data(document, config, host)


@pytest.mark.parametrize("is_found", [True, False])
def test_it_draws_from_the_folder_that_the_first_process_uses(is_found: bool, host: PluginHost, tmp_path: Path) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    for split in ("train", "valid"):
        for side in ("source", "target"):
            (there / f"{split}.{side}").write_text("a b\nb a\n", encoding="utf-8")
    options = {f"{split}_{side}": f"{split}.{side}" for split in ("train", "valid") for side in ("source", "target")}
    dataset = {"plugin": "parallel_text", "options": {"folder": str(there), **options}}
    config = RunConfig.model_validate({"dataset": dataset})
    there.rename(here)
    data = run_to_end(prepare_data(config.dataset, host, tmp_path, None, {"folder": str(here), **options}))
    document = document_of(data) | ({"data": str(data.folder)} if is_found else {})
    found = _data(document, config, host)
    assert (found.options["folder"], found.fingerprint) == (str(here), data.fingerprint)
