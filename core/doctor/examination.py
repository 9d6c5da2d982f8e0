"""Runs every check of a plugin that needs no model, in processes that the plugin may crash."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.doctor.conduct import check_conduct
from core.doctor.declarations import check_options, odd_options
from core.doctor.drawing import Drawn, draw
from core.doctor.extremes import try_extremes
from core.doctor.findings import Bounds, Figures, Finding, PluginReport, TriedOptions
from core.doctor.leaks import check_leaks
from core.doctor.limits import check_limits
from core.doctor.methods import check_examples, check_files, check_metrics, check_symbols, check_text_form
from core.doctor.naming import collision, said_of_name
from core.doctor.repeatability import check_other_shards, check_same_seed, depends_on_seed
from core.doctor.statistics import check_figures, figures_of
from core.doctor.texts import check_alignments, check_texts
from core.errors import UserError
from core.plugins_host.discovery import Source
from core.plugins_host.errors import PluginError
from core.plugins_host.host import PluginHost

CHECKS: dict[str, Callable[[Drawn], Iterable[Finding]]] = {
    "other seeds": check_other_shards,
    "leaks": check_leaks,
    "texts": check_texts,
    "alignment": check_alignments,
    "symbols": check_symbols,
    "metrics": check_metrics,
    "limits": check_limits,
    "examples": check_examples,
    "text form": check_text_form,
    "files": check_files,
    "conduct": check_conduct,
}
_JOIN_SECONDS = 0.1


class Closed(Exception):
    """Raised in `run` once `close` has been called."""


@dataclass(frozen=True)
class Examined:
    """What was found without a model, and the pairs to learn from; None if they could not be drawn."""

    report: PluginReport
    drawn: Drawn | None = None


class Examination:
    """The checks of one plugin. `run` has a thread of its own; the thread that waits uses `progress` and `close`."""

    def __init__(self, bounds: Bounds) -> None:
        self.progress: tuple[str, int] | None = None  # the stage, and how much of it is done
        self._bounds = bounds
        self._findings: list[Finding] = []
        self._note = ""
        self._hosts: list[PluginHost] = []
        self._is_closed = False

    def run(self, plugin: str, options: Mapping[str, Any], known: PluginHost) -> Examined:
        """Check the plugin of a file, or of a name that `known` lists; options that are not given keep their defaults.

        Raises UserError for an unknown plugin, and for an option that it does not take.
        """
        sources = [_file(plugin)] if _is_path(plugin, known) else known.sources_of(plugin)
        if len(sources) > 1:
            origins = [source.origin for source in sources]
            self._findings.append(collision(plugin, origins))
            return Examined(self._report(plugin, " and ".join(origins)))
        source, seconds = sources[0], self._bounds.answer_seconds
        self._hosts = [  # two processes with different hash seeds
            PluginHost(only=source, hash_seed=number, describe_timeout=seconds, pairs_timeout=seconds)
            for number in (1, 2)
        ]
        return self._examine(source, dict(options), known)

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

    def _examine(self, source: Source, given: dict[str, Any], known: PluginHost) -> Examined:
        host, name = self._hosts[0], source.label
        self._tell("loading", 0)
        try:
            info = host.load(source)
            name = info.name
            self._note = said_of_name(info, source, known)
            self._collect("options", check_options(host, info))
        except PluginError as error:
            self._add("loading", error)
            return Examined(self._report(error.plugin or name, source.origin))
        if odd_options(info):  # nothing can be drawn with them
            return Examined(self._report(name, source.origin))
        options = host.options(name, given)  # raises, as a wrong option is the user's mistake and no finding
        try:
            return self._examine_drawn(draw(host, info, options, self._bounds, self._tell), source)
        except UserError as error:
            self._add("pairs", error)
            return Examined(self._report(name, source.origin))

    def _examine_drawn(self, drawn: Drawn, source: Source) -> Examined:
        self._tell("drawing again", 0)
        self._collect("same seed", check_same_seed(drawn, self._hosts[1]))
        for what, check in CHECKS.items():
            self._tell(what, 0)
            self._collect(what, check(drawn))
        told = {finding.sentence for finding in self._findings}
        found, tried = try_extremes(drawn, told, self._bounds.options_seconds, self._tell)
        self._collect("options", found)
        figures = self._figures(drawn)
        return Examined(self._report(drawn.info.name, source.origin, figures, tried), drawn)

    def _figures(self, drawn: Drawn) -> Figures | None:
        self._tell("counting", 0)
        try:
            figures = figures_of(drawn, depends_on_seed(drawn))
        except PluginError as error:
            self._add("pairs", error)
            return None
        self._collect("figures", check_figures(drawn, figures))
        return figures

    def _collect(self, check: str, found: Iterable[Finding]) -> None:
        try:
            for finding in found:
                self._findings.append(finding)
        except PluginError as error:
            self._add(check, error)

    def _add(self, check: str, error: UserError) -> None:
        """Add a plugin's error as a finding, unless the same one is there already."""
        remedy = f"{error.remedy}." if isinstance(error, PluginError) and error.remedy else error.advice
        finding = Finding(check=check, sentence=error.sentence, advice=remedy)
        if all(str(finding) != str(known) for known in self._findings):
            self._findings.append(finding)

    def _tell(self, stage: str, done: int) -> None:
        if self._is_closed:
            raise Closed
        self.progress = stage, done

    def _report(
        self, name: str, origin: str, figures: Figures | None = None, tried: TriedOptions | None = None
    ) -> PluginReport:
        return PluginReport(
            name=name,
            origin=origin,
            findings=tuple(self._findings),
            note=self._note,
            figures=figures,
            tried_options=tried,
        )


def _is_path(plugin: str, known: PluginHost) -> bool:
    if plugin.endswith(".py") or Path(plugin).name != plugin:
        return True
    return Path(plugin).exists() and all(info.name != plugin for info in known.plugins())


def _file(plugin: str) -> Source:
    path = Path(plugin)
    if path.exists():  # false for a name with a NUL byte, which resolve() does not take
        path = path.resolve()
    if not path.is_file() or path.suffix != ".py":
        raise UserError(
            f"{plugin}: expected a plugin's .py file, and {_what(path)}.", "`plugins list` shows the names."
        )
    return Source(path.stem, path=str(path))


def _what(path: Path) -> str:
    if path.is_dir():
        return "this is a folder"
    return "this is none" if path.exists() else "there is none"
