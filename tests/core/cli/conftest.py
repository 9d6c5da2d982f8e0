"""A small parallel corpus with a run trained on it, and three runs that translate phonetic script."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.config import RunConfig
from core.engine import Engine
from core.requests import Learn, Prepare, Start
from tests.core.watcher import answered, tiny_config

FILES = {f"{split}_{side}": f"{split}.{side}" for split in ("train", "valid") for side in ("source", "target")}

LETTERS = {"plugin": "phonetic_to_letter", "options": {"count": 1500, "length": 3}}
"""A dataset with 300 held-out sentences, more than the 256 that a validation decodes."""


@pytest.fixture(scope="module", autouse=True)
def share_host(module_shares_a_host: None) -> None:
    """Share the plugin host: these tests check the commands' output, not how they start plugins."""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus without test files, with one overlong pair of five valid ones, and a run that averages checkpoints."""
    folder = tmp_path_factory.mktemp("place")
    for split, lines in {"train": ["a b", "b c", "c a"] * 10, "valid": ["a b", "b a", "c", "a c", "a b c a"]}.items():
        for side in ("source", "target"):
            file = folder / f"{split}.{side}"
            file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            os.utime(file, (0, 0))  # just written, it would be read again at each preparation
    settings = {"max_steps": 20, "validate_every": 20, "checkpoint_every": 10, "average_checkpoints": 5}
    document = tiny_config(**settings).model_dump() | {
        "dataset": {"plugin": "parallel_text", "options": {"folder": str(folder), **FILES}, "max_src_length": 4}
    }
    with Engine(cache_dir=folder / "cache") as engine:
        answered(engine, Prepare(config=RunConfig.model_validate(document)))
        answered(engine, Start(runs_dir=folder, run_dir=folder / "run"))
        answered(engine, Learn())
    return folder


@pytest.fixture
def missing_file(workspace: Path) -> Iterator[Path]:
    """A file of the workspace's corpus that is moved away during the test."""
    file = workspace / "train.source"
    file.rename(workspace / "moved")
    yield file
    (workspace / "moved").rename(file)


@pytest.fixture
def moved_corpus(workspace: Path, tmp_path: Path) -> Iterator[Path]:
    """A folder to which the workspace's corpus is moved during the test."""
    files = [workspace / name for name in FILES.values()]
    for file in files:
        file.rename(tmp_path / file.name)
    yield tmp_path
    for file in files:
        (tmp_path / file.name).rename(file)


@pytest.fixture(scope="module")
def trained_runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Three briefly trained runs: two on the same data, one on other data."""
    folder = tmp_path_factory.mktemp("runs")
    with Engine(cache_dir=folder / "cache") as engine:
        for name, seed, data_seed, steps in (("short", 0, 0, 5), ("long", 1, 0, 60), ("other", 0, 1, 5)):
            document = tiny_config(seed, max_steps=steps, validate_every=steps, checkpoint_every=steps).model_dump()
            document["dataset"] = LETTERS | {"seed": data_seed}
            document["decoding"]["max_length"] = 3  # too short for 4-grams: BLEU then uses shorter n-grams
            answered(engine, Prepare(config=RunConfig.model_validate(document)))
            answered(engine, Start(runs_dir=folder, run_dir=folder / name))
            answered(engine, Learn())
    yield folder


@pytest.fixture(scope="module")
def other_tokens(trained_runs: Path) -> Path:
    """Another run with the same sentences, but with targets cut into characters."""
    document = tiny_config(max_steps=5, validate_every=5).model_dump()
    document["dataset"] = LETTERS | {"tokenizer": {"src": "whitespace", "tgt": "characters"}}
    with Engine(cache_dir=trained_runs / "cache") as engine:
        answered(engine, Prepare(config=RunConfig.model_validate(document)))
        answered(engine, Start(runs_dir=trained_runs, run_dir=trained_runs / "characters"))
        answered(engine, Learn())
    return trained_runs / "characters"
