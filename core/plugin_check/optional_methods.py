"""Checks the answers of a plugin's optional methods against its pairs and Headlight's own metrics."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from pathlib import Path

from core.answers.plugin_report import Finding
from core.at_path import exists
from core.plugin_check.sample import Sample
from core.short_repr import short_repr
from core.training.metrics import BUILT_IN, LOWER_IS_BETTER, ONLY_EVALUATED, higher_is_better

PREFIX = "valid/"
NUM_SCORED_PAIRS = 100
"""Pairs that metrics() is tried with."""


def check_symbols(sample: Sample) -> Iterator[Finding]:
    """Find the first token of each side that symbols() does not list."""
    if sample.symbols is None:
        return
    for side, listed in zip(("source", "target"), map(set, sample.symbols), strict=True):
        for name, split in sample.splits.items():
            texts = split.src_tokens if side == "source" else split.tgt_tokens
            missing = next(((n, token) for n, own in enumerate(texts, 1) for token in own if token not in listed), None)
            if missing is not None:
                yield Finding(
                    check="symbols",
                    sentence=f"The {side} token {missing[1]!r} (pair {missing[0]:,} of the {name} split) is not among "
                    "those that symbols() lists; expected all of them.",
                    advice="Add it to symbols(), or leave symbols() out: the first 10,000 pairs then decide.",
                )
                break


def check_metrics(sample: Sample) -> Iterator[Finding]:
    """Call metrics() for right, empty and wrong outputs: the values must be finite, the names the same each time and
    none of Headlight's own, without `valid/`, and each metric must rise or fall as its name says.
    """
    pairs = sample.splits["valid"].pairs[:NUM_SCORED_PAIRS]
    right = metrics_of(sample, [pair.target for pair in pairs])
    empty, wrong = metrics_of(sample, [""] * len(pairs)), metrics_of(sample, [pair.source for pair in pairs])
    for outputs, found in (("right", right), ("empty", empty), ("wrong", wrong)):
        for name in [name for name, value in found.items() if not math.isfinite(value)]:
            yield _metrics_finding(
                f"metrics() gives {name!r} as {found[name]} where all outputs are {outputs}; expected a finite number.",
                "Return 0.0 where there is nothing to count.",
            )
        if set(found) != set(right):
            yield _metrics_finding(
                f"metrics() names {_name_list(found)} where all outputs are {outputs}, and {_name_list(right)} "
                "where they are right; expected the same names.",
                "Return every metric each time.",
            )
    for name in right:
        yield from _check_name(name)
        yield from _check_direction(name, right[name], *(found[name] for found in (empty, wrong) if name in found))


def _check_name(name: str) -> Iterator[Finding]:
    bare = name.removeprefix(PREFIX)
    if bare in (*BUILT_IN, *ONLY_EVALUATED):
        yield _metrics_finding(
            f"metrics() returns {name!r}, which Headlight measures itself; expected other names.",
            "Name it differently.",
        )
    elif bare != name:
        yield _metrics_finding(
            f"metrics() returns {name!r}, which in curves and validations is '{PREFIX}{name}'; expected {bare!r}.",
            f"Return it as {bare!r}: {PREFIX} is put before it.",
        )


def _check_direction(name: str, right: float, *worse: float) -> Iterator[Finding]:
    """Find a metric that moves against its name: as `best_metric` it would choose the worst checkpoint."""
    if worse and right < min(worse) and higher_is_better(name):
        yield _metrics_finding(
            f"The metric {name!r} falls as outputs get better, and is taken to rise: its name does not end in "
            f"{_name_list(LOWER_IS_BETTER)}.",
            f"Call it {name}_error_rate, for example.",
        )
    if worse and right > max(worse) and not higher_is_better(name):
        yield _metrics_finding(
            f"The metric {name!r} rises as outputs get better, and is taken to fall: so is each whose name "
            f"ends in {_name_list(LOWER_IS_BETTER)}.",
            "Name it differently.",
        )


def _metrics_finding(sentence: str, advice: str) -> Finding:
    return Finding(check="metrics", sentence=sentence, advice=advice)


def metrics_of(sample: Sample, hypotheses: list[str]) -> dict[str, float]:
    pairs = sample.splits["valid"].pairs[:NUM_SCORED_PAIRS]
    return sample.host.metrics(sample.info.name, sample.options, pairs, hypotheses)


def check_examples(sample: Sample) -> Iterator[Finding]:
    """Find examples that are empty or hold tokens that the model does not know."""
    known = set(sample.known_tokens[0])
    form = sample.host.text_form(sample.info.name, sample.options)
    for text in sample.host.examples(sample.info.name, sample.options):
        tokens = sample.src_tokenizer.tokenize(form.apply(text))
        unknown = [token for token in tokens if token not in known]
        if unknown or not tokens:
            what = f"has the token {unknown[0]!r}, which is in no source of the train split" if unknown else "is empty"
            yield Finding(
                check="examples",
                sentence=f"The example {short_repr(text, 80)} {what}; expected a text like a source.",
                advice="Offer only what a model of this data can read.",
            )


def check_text_form(sample: Sample) -> Iterator[Finding]:
    """Call text_form(), which raises PluginError for an answer with which no run could begin."""
    sample.host.text_form(sample.info.name, sample.options)
    yield from ()


def check_files(sample: Sample) -> Iterator[Finding]:
    """Find missing files among those of files(): the pairs would be drawn again each time, as without files()."""
    for file in sample.host.files(sample.info.name, sample.options):
        if not exists(Path(file)):
            yield Finding(
                check="files",
                sentence=f"files() names {file!r}, which does not exist; expected files that the pairs are read from.",
                advice="Name each in full, as str(Path(__file__).with_name(...)) does, or leave files() out.",
            )


def _name_list(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names)) or "none"
