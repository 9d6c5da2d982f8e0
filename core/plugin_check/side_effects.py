"""Checks how a plugin treats what it shares with other processes and plugins: folders and output."""

from __future__ import annotations

from collections.abc import Iterator

from core.answers.plugin_report import Finding
from core.plugin_check.sample import Sample
from core.plugins_host.common_mistakes import remedy_for
from core.short_repr import short_repr

MAX_PRINTED_LINES = 1000
MAX_PRINTED_BYTES = 1_000_000
IN_PAIRS_REMEDY = "Fix it, or let pairs() raise it too, as result() of a concurrent.futures.Future does"


def check_side_effects(sample: Sample) -> Iterator[Finding]:
    """Find a changed working directory, files written beside the plugin, unseen exceptions and excessive output."""
    folder = sample.host.changed_directory()
    if folder is not None:
        yield Finding(
            check="conduct",
            sentence=f"It has changed the working directory to {folder}; expected no change.",
            advice="Open files by their place beside the plugin, Path(__file__).parent, without os.chdir.",
        )
    for path, file, line in sample.host.written_beside(sample.info.name)[:1]:
        yield Finding(
            check="conduct",
            sentence=f"It has written {path} ({file}, line {line}); expected it to leave its folder as it is.",
            advice="Keep that in memory, or write it once yourself: several processes may run the plugin at a time, "
            "and its folder may be read-only where others install it.",
        )
    if printed := sample.host.printed_exception(sample.info.name):
        yield Finding(
            check="conduct",
            sentence=f"It has printed {printed}; expected no exception, as nobody sees those of a thread or process of "
            "its own.",
            advice=f"{remedy_for(printed.text) or IN_PAIRS_REMEDY}.",
        )
    if amount := _excessive_output(sample):
        yield Finding(
            check="conduct",
            sentence=f"It has printed more than {amount}, such as "
            f"{short_repr(sample.host.last_printed_line.strip(), 80)}; expected little or nothing.",
            advice="Remove the print: nobody reads it, and printing takes time.",
        )


def _excessive_output(sample: Sample) -> str:
    """The amount that a plugin has printed more than; empty if it has printed little."""
    if sample.host.num_printed_lines > MAX_PRINTED_LINES:
        return f"{MAX_PRINTED_LINES:,} lines"
    return "1 MB" if sample.host.num_printed_bytes > MAX_PRINTED_BYTES else ""
