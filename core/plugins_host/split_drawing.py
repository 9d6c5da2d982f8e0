"""Draws a split of a plugin's pairs, endless training data in shards, and refuses one that is empty or does not end."""

import hashlib
from collections.abc import Generator
from typing import Any

from core.plugins_host.errors import EmptySplit, plugin_error
from core.plugins_host.host import PluginHost
from core.plugins_host.pair_lines import PairLines

SHARD_SIZE = 10_000
"""Pairs in one shard of endless training data."""
MAX_PAIRS = {"train": 50_000_000, "valid": 1_000_000, "test": 1_000_000}
"""A split with more pairs is taken to be endless."""
ENDLESS_REMEDY = "Let it end, or declare endless = True if training data are generated without end"
HELD_OUT_ENDLESS_REMEDY = "Let it end, 1,000 pairs are enough; the train split alone need not, with endless = True"


def draw_lines(
    host: PluginHost,
    name: str,
    options: dict[str, Any],
    seed: int,
    split: str,
    shard: int = 0,
    limit: int | None = None,
    *,
    accepted: bool = False,
) -> Generator[PairLines, None, None]:
    """Draw one split in chunks of up to 1,000 pairs; at most `limit` pairs, if given. The last chunk is empty.

    A finite split is drawn whole, with an rng of (seed, split). The train split of an endless plugin is cut into shards
    of SHARD_SIZE pairs, each with an rng of (seed, split, shard). The same arguments give the same pairs on every
    machine. `accepted` as for `PluginHost.options`: the pairs are those of an existing run.
    Raises PluginError if the plugin fails or hangs, or the split is empty or does not end.
    """
    info = host.info(name)
    sharded = split == "train" and info.endless
    size = SHARD_SIZE if limit is None else min(limit, SHARD_SIZE)
    rng_seed = _derive_seed(seed, split, shard) if sharded else _derive_seed(seed, split)
    max_pairs = size if sharded else limit
    drawn = 0
    for chunk in host.stream(name, options, split=split, rng_seed=rng_seed, limit=max_pairs, accepted=accepted):
        drawn += len(chunk)
        if drawn > MAX_PAIRS[split]:
            sentence = f"does not end its {split} split (stopped after {drawn:,} pairs)"
            remedy = ENDLESS_REMEDY if split == "train" else HELD_OUT_ENDLESS_REMEDY
            raise plugin_error(name, sentence, info.origin, 0, remedy)
        yield chunk
    if sharded and drawn < size:
        sentence = f"says endless = True, but its train split ended after {drawn:,} pair{'s' * (drawn != 1)}"
        remedy = "Remove endless = True, or never stop yielding for train"
        raise plugin_error(name, sentence, info.origin, 0, remedy)
    if drawn == 0 and limit != 0:
        sentence = f"gives no pairs for its {split} split with these options"
        remedy = "Yield at least one pair for each of train, valid and test"
        raise plugin_error(name, sentence, info.origin, 0, remedy, EmptySplit)


def _derive_seed(*parts: int | str) -> int:
    """Derive the seed of one rng; the same in every process and on every machine, unlike `hash`."""
    return int.from_bytes(hashlib.sha256("/".join(map(str, parts)).encode()).digest()[:8], "big")
