"""Runs every check of a plugin that needs no model, in processes that the plugin may crash."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.answers.plugin_report import Bounds, Figures, Finding, PluginReport, TriedOptions
from core.at_path import exists, is_dir, is_file
from core.errors import UserError
from core.plugin_check.leaks import check_leaks
from core.plugin_check.limits import check_limits
from core.plugin_check.member_names import check_member_names
from core.plugin_check.name_collisions import collision_finding, name_note
from core.plugin_check.option_values import try_other_values
from core.plugin_check.optional_methods import (
    check_examples,
    check_files,
    check_metrics,
    check_symbols,
    check_text_form,
)
from core.plugin_check.options import check_options, unsupported_options
from core.plugin_check.repeatability import (
    check_same_seed,
    check_same_symbols,
    check_shards_differ,
    depends_on_seed,
)
from core.plugin_check.sample import NoRoomToCheck, Sample, draw_sample
from core.plugin_check.side_effects import check_side_effects
from core.plugin_check.statistics import check_figures, compute_figures
from core.plugin_check.texts import check_alignments, check_texts
from core.plugins_host.discovery import PluginSource
from core.plugins_host.errors import PluginError
from core.plugins_host.host import PluginHost
from core.run_files.documents import reporting_read_errors

CHECKS: dict[str, Callable[[Sample], Iterable[Finding]]] = {
    "other seeds": check_shards_differ,
    "leaks": check_leaks,
    "texts": check_texts,
    "alignment": check_alignments,
    "symbols": check_symbols,
    "metrics": check_metrics,
    "limits": check_limits,
    "text form": check_text_form,
    "examples": check_examples,
    "files": check_files,
    "conduct": check_side_effects,
}
_JOIN_SECONDS = 0.1


class CheckClosed(Exception):
    """Raised in `run` once `close` has been called."""


@dataclass(frozen=True)
class CheckOutcome:
    """What was found without a model, and the pairs to learn from; None if they could not be drawn."""

    report: PluginReport
    sample: Sample | None = None


class PluginChecker:
    """The checks of one plugin. `run` has a thread of its own; the thread that waits uses `progress` and `close`."""

    def __init__(self, bounds: Bounds) -> None:
        self.progress: tuple[str, int] | None = None  # the stage, and how much of it is done
        self._bounds = bounds
        self._findings: list[Finding] = []
        self._note = ""
        self._hosts: list[PluginHost] = []
        self._is_closed = False

    def run(self, plugin: str, options: Mapping[str, Any], listing_host: PluginHost) -> CheckOutcome:
        """Check the plugin of a file, or of a name that `listing_host` lists.

        Options that are not given keep their defaults. Raises UserError for an unknown plugin or option, and
        NoRoomToCheck.
        """
        sources = [_source_of_file(plugin)] if _is_path(plugin, listing_host) else listing_host.sources_of(plugin)
        if len(sources) > 1:
            origins = [source.origin for source in sources]
            self._findings.append(collision_finding(plugin, origins))
            return CheckOutcome(self._report(plugin, " and ".join(origins)))
        source, seconds = sources[0], self._bounds.answer_seconds
        self._hosts = [  # two processes with different hash seeds
            PluginHost(only=source, hash_seed=number, describe_timeout=seconds, pairs_timeout=seconds)
            for number in (1, 2)
        ]
        return self._check(source, dict(options), listing_host)

    def close(self, running: Future[Any]) -> None:
        """Stop `run`, and end the plugin's processes."""
        self._is_closed = True
        while not running.done():
            self._end_processes()  # a pending answer fails at once, and the next check sees the flag
            wait([running], _JOIN_SECONDS)
        self._end_processes()

    def _end_processes(self) -> None:
        for host in self._hosts:
            host.close()

    def _check(self, source: PluginSource, given: dict[str, Any], listing_host: PluginHost) -> CheckOutcome:
        host, name = self._hosts[0], source.label
        self._report_progress("loading", 0)
        try:
            info = host.load(source)
            name = info.name
            self._note = name_note(info, source, listing_host)
            self._collect("options", check_options(host, info))
            self._collect("names", check_member_names(host, info))
        except PluginError as error:
            self._add_error("loading", error)
            return CheckOutcome(self._report(error.plugin or name, source.origin))
        if unsupported_options(info):  # nothing can be drawn with them
            return CheckOutcome(self._report(name, source.origin))
        options = host.options(name, given)  # raises, as a wrong option is the user's mistake and no finding
        try:
            return self._check_sample(draw_sample(host, info, options, self._bounds, self._report_progress), source)
        except NoRoomToCheck:
            raise
        except UserError as error:
            self._add_error("pairs", error)
            return CheckOutcome(self._report(name, source.origin))

    def _check_sample(self, sample: Sample, source: PluginSource) -> CheckOutcome:
        self._report_progress("drawing again", 0)
        self._collect("same seed", check_same_seed(sample, self._hosts[1]))
        self._collect("same symbols", check_same_symbols(sample, self._hosts[1]))
        for name, check in CHECKS.items():
            self._report_progress(name, 0)
            self._collect(name, check(sample))
        reported = {finding.sentence for finding in self._findings}
        found, tried_options = try_other_values(sample, reported, self._bounds.options_seconds, self._report_progress)
        self._collect("options", found)
        figures = self._figures(sample)
        return CheckOutcome(self._report(sample.info.name, source.origin, figures, tried_options), sample)

    def _figures(self, sample: Sample) -> Figures | None:
        self._report_progress("counting", 0)
        try:
            figures = compute_figures(sample, depends_on_seed(sample))
        except PluginError as error:
            self._add_error("pairs", error)
            return None
        self._collect("figures", check_figures(sample, figures))
        return figures

    def _collect(self, check: str, found: Iterable[Finding]) -> None:
        try:
            for finding in found:
                self._findings.append(finding)
        except PluginError as error:
            self._add_error(check, error)

    def _add_error(self, check: str, error: UserError) -> None:
        """Add a plugin's error as a finding, unless the same one is there already."""
        remedy = f"{error.remedy}." if isinstance(error, PluginError) and error.remedy else error.advice
        finding = Finding(check=check, sentence=error.sentence, advice=remedy)
        if all(str(finding) != str(known) for known in self._findings):
            self._findings.append(finding)

    def _report_progress(self, stage: str, done: int) -> None:
        if self._is_closed:
            raise CheckClosed
        self.progress = stage, done

    def _report(
        self, name: str, origin: str, figures: Figures | None = None, tried_options: TriedOptions | None = None
    ) -> PluginReport:
        return PluginReport(
            name=name,
            origin=origin,
            findings=tuple(self._findings),
            note=self._note,
            figures=figures,
            tried_options=tried_options,
        )


def _is_path(plugin: str, listing_host: PluginHost) -> bool:
    if plugin.endswith(".py") or Path(plugin).name != plugin:
        return True
    return exists(Path(plugin)) and all(info.name != plugin for info in listing_host.plugins())


def _source_of_file(plugin: str) -> PluginSource:
    path = Path(plugin)
    with reporting_read_errors(path, "Make it readable, or name another."):
        if exists(path):  # false for a name with a NUL byte, which resolve() does not take
            path = path.resolve()
        if not is_file(path) or path.suffix != ".py":
            raise UserError(
                f"{plugin}: expected a plugin's .py file, and {_path_description(path)}.",
                "`plugins list` shows the names.",
            )
    return PluginSource(path.stem, path=str(path))


def _path_description(path: Path) -> str:
    if is_dir(path):
        return "this is a folder"
    return "this is none" if exists(path) else "there is none"
