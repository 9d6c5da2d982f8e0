"""Finds leaks: held-out sources that are trained on too, so that the figures of their split say nothing."""

from __future__ import annotations

from collections.abc import Iterator

from core.answers.plugin_report import Finding
from core.data.splits import HELD_OUT
from core.plugin_check.sample import Sample
from core.plugins_host.pair_lines import unquoted
from core.short_repr import short_repr

RNG_SEEDS = range(3)
NUM_PAIRS = 20
"""Drawn from each split with each of these seeds."""


def check_leaks(sample: Sample) -> Iterator[Finding]:
    """Compare the train split with all held-out sources; of endless data, its first shards, and draws from equal rngs.

    For a finite train split the comparison is complete. For an endless one it cannot be. If the same code draws both
    splits and nothing keeps them apart, equal rngs give both the same source, however many sources there are. Otherwise
    a leak is found with probability 1 - exp(-t h / n), for t pairs drawn to train on, h held-out sources, and n sources
    that are equally likely in both splits.
    """
    if sample.info.splits_overlap:
        return
    leaked = [finding for name in HELD_OUT for finding in _check_split(sample, name)]
    yield from leaked
    if sample.info.endless and not leaked:
        yield from _check_equal_rngs(sample)


def _check_split(sample: Sample, name: str) -> Iterator[Finding]:
    split = sample.splits[name]
    if leaked := split.in_train:
        yield Finding(
            check="leaks",
            sentence=f"{len(leaked):,} of the {len(split.sources):,} different sources of the {name} split "
            f"{'is' if len(leaked) == 1 else 'are'} in the train split too, "
            f"{short_repr(unquoted(min(leaked)), 80)} for one; expected none.",
            advice="Yield a pair only where split_of(source) == split, or, if this is intended, declare "
            "splits_overlap = True.",
        )


def _check_equal_rngs(sample: Sample) -> Iterator[Finding]:
    for rng_seed in RNG_SEEDS:
        train_sources = _sources(sample, "train", rng_seed)
        for name in HELD_OUT:
            shared = train_sources & _sources(sample, name, rng_seed)
            if shared:
                yield Finding(
                    check="leaks",
                    sentence=f"Given the same rng, the train split and the {name} split both have the source "
                    f"{short_repr(min(shared), 80)}: nothing keeps them apart; expected a source in one of them only.",
                    advice="Draw with draw_for(split, ...), which draws again until the source belongs to the split, "
                    "or, if this is intended, declare splits_overlap = True.",
                )
                return


def _sources(sample: Sample, split: str, rng_seed: int) -> set[str]:
    host, name, options = sample.host, sample.info.name, sample.options
    chunks = host.stream(name, options, split=split, rng_seed=rng_seed, limit=NUM_PAIRS)
    return {pair.source for chunk in chunks for pair in chunk.pairs()}
