"""A split is drawn whole, endless data in shards, the same everywhere; one that breaks the rules is refused."""

from pathlib import Path
from typing import Any

import pytest

from core.plugins_host import split_drawing
from core.plugins_host.errors import PluginError
from core.plugins_host.host import PluginHost
from core.plugins_host.split_drawing import SHARD_SIZE, draw_lines
from tests.core.plugins_host.helpers import ENDLESS, GOOD, draw_pairs


def test_a_finite_split_is_drawn_whole_in_chunks_with_its_alignments(host: PluginHost, write_plugin: Any) -> None:
    write_plugin(GOOD)
    *chunks, last = draw_lines(host, "named", {"length": 4}, 0, "train")
    assert not last and len(chunks) >= 3 and max(map(len, chunks)) <= 1000 and sum(map(len, chunks)) == 2500
    pair = chunks[0].pairs()[0]
    assert len(pair.source) == 4 and pair.target == pair.source[::-1] and pair.alignment == [(0, 1), (2, 3)]
    assert len(draw_pairs(host, "named", limit=7)) == 7


def test_endless_data_are_drawn_in_independent_shards(host: PluginHost, write_plugin: Any) -> None:
    write_plugin(ENDLESS)
    shard = draw_pairs(host, "named", shard=3)
    assert len(shard) == SHARD_SIZE
    assert draw_pairs(host, "named", shard=3, limit=5) == shard[:5]
    assert draw_pairs(host, "named", shard=4, limit=5) != shard[:5]
    assert draw_pairs(host, "named", shard=3, seed=1, limit=5) != shard[:5]


def test_each_split_of_each_data_seed_has_random_numbers_of_its_own(host: PluginHost, write_plugin: Any) -> None:
    """Otherwise a plugin that draws without `split_of` would give the train pairs again as held-out ones."""
    write_plugin("""
        def pairs(self, split, rng):
            yield Pair(repr(rng.random()), type(rng).__module__ + "." + type(rng).__name__)
    """)
    drawn = [draw_pairs(host, "named", split, seed=seed) for seed in (0, 1) for split in ("train", "valid", "test")]
    assert len({pair.source for (pair,) in drawn}) == 6 and {pair.target for (pair,) in drawn} == {"random.Random"}


def test_pairs_are_the_same_in_every_process(folder: Path, write_plugin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    write_plugin(GOOD)
    results = []
    for hash_seed in ("1", "2"):
        monkeypatch.setenv("PYTHONHASHSEED", hash_seed)
        with PluginHost([folder]) as host:
            results.append([draw_pairs(host, "named"), draw_pairs(host, "copy_task", "valid")])
    assert results[0] == results[1]


def test_endless_held_out_data_is_refused(host: PluginHost, write_plugin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    write_plugin(ENDLESS)
    monkeypatch.setitem(split_drawing.MAX_PAIRS, "valid", 3000)
    with pytest.raises(PluginError, match=r"does not end its valid split.* with endless = True"):
        draw_pairs(host, "named", "valid")


def test_an_endless_train_split_that_ends_is_refused(host: PluginHost, write_plugin: Any) -> None:
    write_plugin("endless = True" + GOOD)
    with pytest.raises(PluginError, match="ended after 2,500 pairs"):
        draw_pairs(host, "named")
