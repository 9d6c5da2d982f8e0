"""Shards of endless data, from a real plugin in its own process."""

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from core.config import DatasetConfig, TrainingConfig
from core.data.batching import TrainBatches
from core.data.preparation import prepare_data
from core.data.prepared_data import PreparedData
from core.data.shards import Shards
from core.data.token_arrays import PairArrays
from core.errors import UserError
from core.generators import run_to_end
from core.plugins_host.host import PluginHost
from core.plugins_host.split_drawing import draw_lines

SHARD_SIZE = 1000  # a tenth of the real size, which takes ten times longer to draw
LETTERS_PLUGIN = '''
import time
from pathlib import Path

from core.plugin import DatasetPlugin, Options, Pair

class Letters(DatasetPlugin[Options]):
    """Letters without end, until a file says otherwise."""
    name = "letters"
    title = "Letters"
    endless = True

    def pairs(self, split, rng):
        for i in range(20) if split != "train" else iter(int, 1):
            if Path(__file__).with_name("broken").exists():
                raise RuntimeError("no more letters")
            if Path(__file__).with_name("refused").exists() and not self.has_begun:
                raise RuntimeError("no new runs")
            if Path(__file__).with_name("slow").exists():
                time.sleep(0.01)
            word = "".join(rng.choices("abc", k=rng.randint(1, 9)))
            yield Pair(word, word)

PLUGIN = Letters
'''


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.plugins_host.split_drawing.SHARD_SIZE", SHARD_SIZE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "letters.py").write_text(LETTERS_PLUGIN, encoding="utf-8")
    return tmp_path


@pytest.fixture
def host(folder: Path) -> Iterator[PluginHost]:
    with PluginHost([folder]) as host:
        yield host


def prepared(host: PluginHost, folder: Path, **settings: object) -> PreparedData:
    dataset = DatasetConfig.model_validate({"plugin": "letters", **settings})
    return run_to_end(prepare_data(dataset, host, folder / "cache"))


def same(one: PairArrays, other: PairArrays) -> bool:
    return np.array_equal(one.src.ids, other.src.ids) and np.array_equal(one.tgt.ids, other.tgt.ids)


def test_a_shard_is_the_same_whether_drawn_ahead_or_when_needed(host: PluginHost, folder: Path) -> None:
    data = prepared(host, folder)
    prefetching, direct = Shards(data, host), Shards(data, host)
    prefetching.prefetch(3)
    third = prefetching.pairs(3)
    assert len(third) == SHARD_SIZE
    assert same(third, direct.pairs(3))
    assert not same(third, direct.pairs(4))
    assert same(direct.pairs(0), data.split("train"))


def test_the_first_shard_is_the_prepared_data(host: PluginHost, folder: Path) -> None:
    data = prepared(host, folder, max_src_length=6)
    drawn = [pair for lines in draw_lines(host, "letters", {}, 0, "train") for pair in lines.pairs()]
    fitting = [pair for pair in drawn if len(pair.source) < 6]
    first = Shards(data, host).pairs(0)
    assert [len(pair.source) + 1 for pair in fitting] == first.src.lengths.tolist()
    assert data.left_out["train"] == SHARD_SIZE - len(fitting) > 0


def test_a_run_gets_new_shards_though_its_plugin_refuses_new_runs(host: PluginHost, folder: Path) -> None:
    shards = Shards(prepared(host, folder), host)
    (folder / "refused").touch()
    assert len(shards.pairs(1)) == SHARD_SIZE
    with pytest.raises(UserError, match="no new runs"):
        prepared(host, folder, seed=1)


def test_pairs_that_are_too_long_are_left_out(host: PluginHost, folder: Path) -> None:
    shard = Shards(prepared(host, folder, max_tgt_length=5), host).pairs(2)
    assert 0 < len(shard) < SHARD_SIZE
    assert shard.tgt_lengths.max() == 5


def test_an_error_of_drawing_ahead_is_raised_when_the_shard_is_needed(host: PluginHost, folder: Path) -> None:
    shards, failure_mark = Shards(prepared(host, folder), host), folder / "broken"
    failure_mark.touch()
    shards.prefetch(1)
    assert len(shards.pairs(0)) == SHARD_SIZE
    with pytest.raises(UserError, match="no more letters"):
        shards.pairs(1)
    shards.prefetch(1)
    shards.close()
    failure_mark.unlink()
    assert len(Shards(shards._data, host).pairs(1)) == SHARD_SIZE


def test_a_shard_whose_drawing_ahead_failed_is_drawn_again(host: PluginHost, folder: Path) -> None:
    shards = Shards(prepared(host, folder), host)
    shards.prefetch(1)
    host.reset()  # as after a plugin hung in another call
    assert len(shards.pairs(1)) == SHARD_SIZE


def test_closing_ends_drawing_ahead_before_the_host_is_closed(host: PluginHost, folder: Path) -> None:
    shards = Shards(prepared(host, folder), host)
    (folder / "slow").touch()
    before = set(threading.enumerate())
    shards.prefetch(1)
    drawing = set(threading.enumerate()) - before
    shards.close()
    for thread in drawing:
        thread.join(1.0)
    assert drawing and not any(thread.is_alive() for thread in drawing)


def test_a_shard_that_failed_is_trained_on_once_it_can_be_drawn(host: PluginHost, folder: Path) -> None:
    data, failure_mark = prepared(host, folder), folder / "broken"
    training = TrainingConfig.model_validate({"batch_size": SHARD_SIZE // 2})
    undisturbed, disturbed = (TrainBatches(data, training, 0, host) for _ in range(2))
    expected = [next(undisturbed) for _ in range(4)]
    undisturbed.close()
    failure_mark.touch()
    found = [next(disturbed) for _ in range(2)]
    with pytest.raises(UserError, match="no more letters"):
        next(disturbed)
    failure_mark.unlink()
    found += [next(disturbed) for _ in range(2)]
    disturbed.close()
    assert all(torch.equal(one.src, other.src) for one, other in zip(found, expected, strict=True))


ALPHABET_PLUGIN = '''
from pathlib import Path

from core.plugin import DatasetPlugin, Folder, Options, Pair, option

class AlphabetOptions(Options):
    folder: Folder = option(".")

class Alphabet(DatasetPlugin[AlphabetOptions]):
    """Letters of a file without end."""
    name = "alphabet"
    title = "Alphabet"
    endless = True

    def pairs(self, split, rng):
        letters = Path(self.options.folder, "alphabet.txt").read_text()
        for i in range(20) if split != "train" else iter(int, 1):
            word = "".join(rng.choices(letters, k=rng.randint(1, 9)))
            yield Pair(word, word)

PLUGIN = Alphabet
'''


def test_shards_are_drawn_from_the_new_folder_of_moved_files(folder: Path, host: PluginHost) -> None:
    (folder / "alphabet.py").write_text(ALPHABET_PLUGIN, encoding="utf-8")
    (folder / "alphabet.txt").write_text("abc", encoding="utf-8")
    dataset = DatasetConfig.model_validate({"plugin": "alphabet", "options": {"folder": str(folder)}})
    original = run_to_end(prepare_data(dataset, host, folder / "cache"))
    shard = Shards(original, host).pairs(1)
    moved = folder / "moved"
    moved.mkdir()
    (folder / "alphabet.txt").rename(moved / "alphabet.txt")
    relocated = run_to_end(prepare_data(dataset, host, folder / "other cache", local_options={"folder": str(moved)}))
    assert (relocated.fingerprint, relocated.dataset) == (original.fingerprint, original.dataset)
    assert np.array_equal(Shards(relocated, host).pairs(1).src.ids, shard.src.ids)
    (moved / "alphabet.txt").write_text("abd", encoding="utf-8")
    changed = run_to_end(prepare_data(dataset, host, folder / "other cache", local_options={"folder": str(moved)}))
    assert changed.fingerprint != original.fingerprint
