"""Tries other values of a plugin's options, one at a time: both ends of each range, and every other choice."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from core.data.splits import SPLITS
from core.doctor.drawing import Drawn, DrawnSplit, Tell, cut
from core.doctor.findings import Finding, TriedOptions
from core.doctor.limits import check_limits
from core.doctor.methods import check_metrics, check_symbols
from core.doctor.texts import check_alignments, check_texts
from core.errors import UserError
from core.plugins_host.errors import EmptySplit, OptionsRefused, PluginError

NUM_PAIRS = 100
"""Drawn from each split for each value."""
CHECKS: tuple[Callable[[Drawn], Iterable[Finding]], ...] = (
    *(check_texts, check_alignments, check_symbols, check_metrics, check_limits),
)


def try_extremes(drawn: Drawn, told: Collection[str], seconds: float, tell: Tell) -> tuple[list[Finding], TriedOptions]:
    """Try the values until `seconds` are over, and give the first finding for each whose sentence is not in `told`.

    A value that the plugin refuses, in `check` or with a ValueError, is no finding, nor is one that leaves a split
    empty (words of one letter, say): the person who chooses it reads the plugin's sentence.
    """
    values = list(other_values(drawn.info.options_schema or {}, drawn.options))
    findings, num_tried, until = list[Finding](), 0, time.monotonic() + seconds
    for name, value in values:
        if time.monotonic() > until:
            break
        tell("other options", num_tried)
        for finding in _first_finding(drawn, {**drawn.options, name: value}, told):
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


def _first_finding(drawn: Drawn, options: dict[str, Any], told: Collection[str]) -> list[Finding]:
    try:
        tried = _drawn_with(drawn, drawn.host.options(drawn.info.name, options))
        return list(islice((finding for finding in _findings(tried) if finding.sentence not in told), 1))
    except (EmptySplit, OptionsRefused):
        return []
    except PluginError as error:
        if error.sentence in told:
            return []
        advice = f"{error.remedy}, or narrow the range, or have check() refuse it with a sentence."
        return [Finding(check="options", sentence=error.sentence, advice=advice)]
    except UserError:  # check() refuses the combination
        return []


def _findings(drawn: Drawn) -> Iterator[Finding]:
    for check in CHECKS:
        yield from (finding for finding in check(drawn) if finding.check != "lengths")  # long texts were asked for


def _drawn_with(drawn: Drawn, options: dict[str, Any]) -> Drawn:
    symbols = drawn.host.symbols(drawn.info.name, options) if drawn.info.endless else None
    tried = replace(drawn, options=options, symbols=symbols)
    return replace(tried, splits={name: _split(tried, name) for name in SPLITS})


def _split(drawn: Drawn, name: str) -> DrawnSplit:
    pairs = list(chain.from_iterable(drawn.host.pairs(drawn.info.name, drawn.options, 0, name, limit=NUM_PAIRS)))
    return cut(DrawnSplit(pairs=pairs, num_pairs=None), drawn.src_tokenizer, drawn.tgt_tokenizer)
