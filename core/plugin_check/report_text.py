"""Formats the report of a check for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from core.answers.plugin_report import Figures, Lengths, PluginReport, SplitFigures
from core.per_cent import per_cent


def findings_text(report: PluginReport) -> str:
    """The findings, numbered."""
    if report.is_clean:
        return "Nothing to fix."
    head = "1 finding:" if len(report.findings) == 1 else f"{len(report.findings)} findings:"
    return "\n".join([head, *(f"{number}. {finding}" for number, finding in enumerate(report.findings, start=1))])


def report_text(report: PluginReport) -> str:
    """The whole report: figures first, findings last."""
    return "\n".join([f"{report.name} ({report.origin})", *figures_lines(report), findings_text(report)])


def figures_lines(report: PluginReport) -> Iterator[str]:
    """The dataset in numbers, how well it was learned, and the note on its name."""
    if report.figures is not None:
        yield from _figures_lines(report.figures)
    if report.tried_options is not None and report.tried_options.num_values:
        tried = report.tried_options
        yield f"options: {tried.num_tried} of {tried.num_values} other option values tried, one at a time"
    if report.learnability is not None:
        learned = report.learnability
        yield (
            f"learnability: {_count(learned.num_pairs, 'pair')}, loss {learned.loss:.3f} after {learned.steps:,} steps "
            f"({learned.seconds:.1f} s)"
        )
    elif not report.is_clean:
        yield "learnability: not tried until the findings are fixed"
    if report.note:
        yield f"note: {report.note}"


def _figures_lines(figures: Figures) -> Iterator[str]:
    for name, split in figures.splits.items():
        yield _split_line(name, split)
    yield f"vocabulary: {figures.src_vocabulary:,} source and {figures.tgt_vocabulary:,} target tokens"
    yield f"padding: {per_cent(figures.padding)} of a batch of the default size"
    yield f"another dataset.seed: {'other pairs' if figures.depends_on_seed else 'the same pairs, the data are fixed'}"


def _split_line(name: str, split: SplitFigures) -> str:
    parts = ["endless" if split.num_pairs is None else _count(split.num_pairs, "pair")]
    if name != "train":
        parts.append(f"{_count(split.in_train, 'source')} in train")
    start = "" if split.num_pairs == split.num_kept else f"of the first {split.num_kept:,}: "
    parts.append(f"{start}source {_lengths(split.src_lengths)}, target {_lengths(split.tgt_lengths)} tokens")
    parts.append(f"{per_cent(split.duplicates, 1)} duplicates")
    if name != "train":
        parts.append(f"unknown {per_cent(split.unknown_src, 1)} and {per_cent(split.unknown_tgt, 1)}")
    return f"{name}: {', '.join(parts)}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _lengths(lengths: Lengths) -> str:
    return f"{lengths.shortest} to {lengths.longest} (median {lengths.median})"
