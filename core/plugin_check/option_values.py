"""Tries other values of a plugin's options, one at a time: both ends of each range, and every other choice."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from core.answers.plugin_report import Finding, TriedOptions
from core.data.splits import SPLITS
from core.errors import UserError
from core.plugin_check.limits import check_limits
from core.plugin_check.optional_methods import check_metrics, check_symbols
from core.plugin_check.sample import ReportProgress, Sample, SplitSample, tokenize_split
from core.plugin_check.texts import check_alignments, check_texts
from core.plugins_host.errors import EmptySplit, OptionsRefused, PluginError
from core.plugins_host.split_drawing import draw_lines

NUM_PAIRS = 100
"""Drawn from each split for each value."""
CHECKS: tuple[Callable[[Sample], Iterable[Finding]], ...] = (
    *(check_texts, check_alignments, check_symbols, check_metrics, check_limits),
)


def try_other_values(
    sample: Sample, reported: Collection[str], seconds: float, report_progress: ReportProgress
) -> tuple[list[Finding], TriedOptions]:
    """Try the values until `seconds` are over, and give the first finding for each whose sentence is not in `reported`.

    A value that the plugin refuses, in `check` or with a ValueError, is no finding, nor is one that leaves a split
    empty (words of one letter, say): the person who chooses it reads the plugin's sentence.
    """
    values = list(other_values(sample.info.options_schema or {}, sample.options))
    findings, num_tried, deadline = list[Finding](), 0, time.monotonic() + seconds
    for name, value in values:
        if time.monotonic() > deadline:
            break
        report_progress("other options", num_tried)
        for finding in _first_finding(sample, {**sample.options, name: value}, reported):
            sentence = f"With the option {name} = {value!r}: {finding.sentence}"
            findings.append(replace(finding, check="options", sentence=sentence))
        num_tried += 1
    return findings, TriedOptions(num_tried=num_tried, num_values=len(values))


def other_values(schema: dict[str, Any], options: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Each option's choices, or the ends of its range, without the value it has now."""
    for name, field in schema.get("properties", {}).items():
        number = int if field.get("type") == "integer" else float
        ends = [number(field[end]) for end in ("minimum", "maximum") if end in field]
        choices = [False, True] if field.get("type") == "boolean" else field.get("enum", ends)
        yield from ((name, value) for value in choices if value != options[name])


def _first_finding(sample: Sample, options: dict[str, Any], reported: Collection[str]) -> list[Finding]:
    try:
        tried = _sample_with(sample, sample.host.options(sample.info.name, options))
        return list(islice((finding for finding in _findings(tried) if finding.sentence not in reported), 1))
    except (EmptySplit, OptionsRefused):
        return []
    except PluginError as error:
        if error.sentence in reported:
            return []
        advice = f"{error.remedy}, or narrow the range, or have check() refuse it with a sentence."
        return [Finding(check="options", sentence=error.sentence, advice=advice)]
    except UserError:  # check() refuses the combination
        return []


def _findings(sample: Sample) -> Iterator[Finding]:
    for check in CHECKS:
        yield from (finding for finding in check(sample) if finding.check != "lengths")  # long texts were asked for


def _sample_with(sample: Sample, options: dict[str, Any]) -> Sample:
    symbols = sample.host.symbols(sample.info.name, options) if sample.info.endless else None
    tried = replace(sample, options=options, symbols=symbols)
    return replace(tried, splits={name: _draw_split(tried, name) for name in SPLITS})


def _draw_split(sample: Sample, name: str) -> SplitSample:
    drawing = draw_lines(sample.host, sample.info.name, sample.options, 0, name, limit=NUM_PAIRS)
    pairs = [pair for lines in drawing for pair in lines.pairs()]
    return tokenize_split(SplitSample(pairs=pairs, num_pairs=None), sample.src_tokenizer, sample.tgt_tokenizer)
