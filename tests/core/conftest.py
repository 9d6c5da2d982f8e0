"""The fixtures of many tests here; shared data are prepared once."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.data.cache_folder import default_cache_dir
from core.engine import Engine
from core.requests import Prepare
from tests.core.watcher import Watcher, answered, tiny_config


@pytest.fixture(scope="session")
def tiny_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that holds the data of `tiny_config`."""
    folder = tmp_path_factory.mktemp("tiny data")
    with Engine(cache_dir=folder) as engine:
        answered(engine, Prepare(config=tiny_config()))
    return folder


@pytest.fixture
def tiny_data_at_hand(home: Path, tiny_data: Path) -> None:
    """Copy the data into this test's cache, as if they had been prepared before."""
    shutil.copytree(tiny_data, default_cache_dir())


@pytest.fixture
def watcher() -> Watcher:
    return Watcher()


@pytest.fixture
def engine(watcher: Watcher) -> Iterator[Engine]:
    """An engine whose listener is `watcher`."""
    with Engine([watcher]) as engine:
        yield engine
