"""Checks that the same seed gives the same pairs in every process, and whether another seed gives others."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from core.answers.plugin_report import Finding
from core.data.splits import HELD_OUT, SPLITS
from core.plugin import Pair
from core.plugin_check.sample import Sample
from core.plugins_host.host import PluginHost
from core.plugins_host.pair_lines import PairLines
from core.short_repr import short_repr

SAME_PROCESS_ADVICE = (
    "Draw from the rng that pairs() is given, and from nothing else: not from the module random, the clock, "
    "or what an earlier call left behind."
)
OTHER_PROCESS_ADVICE = (
    "hash() of a text and the order of a set differ from process to process: use split_of() or hashlib, and sorted()."
)


def check_same_seed(sample: Sample, other: PluginHost) -> Iterator[Finding]:
    """Draw again in the same process, and in `other`, which has another hash seed; report the first difference."""
    for split in SPLITS:
        first = sample.splits[split].first_lines
        if difference := _difference(first, sample.redraw(sample.host, split)):
            yield _finding(f"drawn twice with the same seed, {difference}", split, SAME_PROCESS_ADVICE)
            return
        if difference := _difference(first, sample.redraw(other, split)):
            yield _finding(f"drawn with the same seed in another process, {difference}", split, OTHER_PROCESS_ADVICE)
            return


def check_same_symbols(sample: Sample, other: PluginHost) -> Iterator[Finding]:
    """Ask `other`, which has another hash seed, for the symbols: their order decides the ids of the tokens."""
    if sample.symbols is None:
        return
    symbols = other.symbols(sample.info.name, sample.options) or ([], [])
    for side, first, second in zip(("source", "target"), sample.symbols, symbols, strict=True):
        for number, (one, another) in enumerate(zip_longest(first, second)):
            if one != another:
                yield Finding(
                    check="same symbols",
                    sentence=f"In another process, symbols() lists other {side} tokens, or in another order: token "
                    f"{number} is {short_repr(one, 60)} and then {short_repr(another, 60)}; expected the same.",
                    advice=OTHER_PROCESS_ADVICE,
                )
                return


def check_shards_differ(sample: Sample) -> Iterator[Finding]:
    """Find endless data that do not depend on the rng: each shard has its own, so all shards would be the same."""
    if sample.info.endless and not sample.train_depends_on_seed:
        yield Finding(
            check="other seeds",
            sentence="The train split is declared endless, but gives the same pairs whatever its rng; "
            "expected others with another seed, and in each shard of 10,000.",
            advice="Draw from the rng that pairs() is given, or remove endless = True and let the split end.",
        )


def depends_on_seed(sample: Sample) -> bool:
    """Whether another dataset.seed gives other pairs."""
    return sample.train_depends_on_seed or any(
        sample.splits[split].first_lines != sample.redraw(sample.host, split, seed=1) for split in HELD_OUT
    )


def _difference(first: PairLines, second: PairLines) -> str:
    """The first difference in words; empty if there is none."""
    if first != second:
        for number, (one, other) in enumerate(zip_longest(first.pairs(), second.pairs()), start=1):
            if one != other:
                return f"pair {number:,} is {_pair_text(one)} and then {_pair_text(other)}"
    return ""


def _pair_text(pair: Pair | None) -> str:
    if pair is None:
        return "missing"
    alignment = "" if pair.alignment is None else f", alignment={short_repr(list(pair.alignment), 60)}"
    return f"Pair({short_repr(pair.source, 60)}, {short_repr(pair.target, 60)}{alignment})"


def _finding(what: str, split: str, advice: str) -> Finding:
    return Finding(check="same seed", sentence=f"In the {split} split, {what}; expected the same.", advice=advice)
