"""Data of real plugins, prepared by a real plugin host into a temporary cache."""

from collections.abc import Callable, Generator, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from core.config import DatasetConfig
from core.data.preparation import prepare_data
from core.data.prepared_data import PreparedData
from core.events import Progress, Trouble
from core.generators import run_to_end
from core.plugins_host.host import PluginHost

Prepare = Callable[..., PreparedData]

WORDS = '''
from pathlib import Path

from core.plugin import DatasetPlugin, Options, Pair, option

class WordsOptions(Options):
    count: int = option(40)
    longest: int = option(6)
    failing_split: str = option("")

class Words(DatasetPlugin[WordsOptions]):
    """Backwards words."""
    name = "words"
    title = "Words"
    tokenizer = "whitespace"

    def pairs(self, split, rng):
        if split == self.options.failing_split:
            raise RuntimeError("no more words")
        file = Path(__file__).with_name("letters.txt")
        letters = list(file.read_text()) if file.exists() else ["a", "b", "c", "é", "<pad>"]
        for i in range(self.options.count if split == "train" else 5):
            length = rng.randint(1, self.options.longest)
            tokens = [rng.choice(letters) for _ in range(length)]
            yield Pair(" ".join(tokens), " ".join(reversed(tokens)), [(k, length - 1 - k) for k in range(length)])
        if split == "valid":
            yield Pair("a never seen", "seen never a")

PLUGIN = Words
'''


def flat_ids(sequences: list[list[int]]) -> NDArray[np.int32]:
    """All ids of these sequences as one array."""
    return np.array(list(chain.from_iterable(sequences)), dtype=np.int32)


def progress_of(work: Generator[Progress | Trouble, None, PreparedData]) -> Iterator[Progress]:
    """The progress reports of preparing data."""
    return (event for event in work if isinstance(event, Progress))


def folder_of(data: PreparedData) -> Path:
    """The folder of these data in the cache."""
    assert data.folder is not None
    return data.folder


@pytest.fixture(scope="module")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the plugin of these tests, which reads its letters from letters.txt if that exists."""
    folder = tmp_path_factory.mktemp("plugins")
    (folder / "words.py").write_text(WORDS, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def host(plugins: Path) -> Iterator[PluginHost]:
    with PluginHost([plugins]) as host:
        host.plugins()  # starts its process before the first test
        yield host


@pytest.fixture
def prepare(host: PluginHost, tmp_path: Path) -> Prepare:
    def prepare(plugin: str = "words", **settings: Any) -> PreparedData:
        config = DatasetConfig.model_validate({"plugin": plugin, **settings})
        return run_to_end(prepare_data(config, host, tmp_path / "cache"))

    return prepare
