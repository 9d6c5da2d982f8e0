"""Runs a plugin's check in the engine's thread, in small steps between its other work."""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path

from core.answers.plugin_report import PluginReport
from core.events import Progress
from core.plugin_check.learnability import check_learnability, memorise_pairs
from core.plugin_check.plugin_checker import CheckOutcome, PluginChecker
from core.plugins_host.host import PluginHost
from core.requests import CheckPlugin

_POLL_SECONDS = 0.005
"""How long one poll waits for the check to end. A run that is learning is held up by as much at each step."""


def check_plugin(request: CheckPlugin, listing_host: PluginHost) -> Generator[Progress | None, None, PluginReport]:
    """Check the plugin in a thread that touches no torch, then see whether a small model learns from it.

    Learning is tried only if the other checks found nothing. Closing the generator stops the check.
    """
    checker = PluginChecker(request.bounds)
    thread = ThreadPoolExecutor(1, thread_name_prefix="plugin check")
    checking = thread.submit(checker.run, request.plugin, request.options, listing_host)
    thread.shutdown(wait=False)  # the thread ends after this one task
    try:
        progress = None
        while not checking.done():
            wait([checking], _POLL_SECONDS)
            progress, previous = checker.progress, progress
            if progress is None or progress == previous:
                yield None
            else:
                stage = f"checking {Path(request.plugin).stem}: {progress[0]}"
                yield Progress(stage=stage, done=progress[1], total=None)
        outcome = checking.result()
    finally:
        checker.close(checking)
    if request.with_learning and outcome.sample is not None and outcome.report.is_clean:
        return (yield from _check_learning(outcome, request.bounds.learn_seconds))
    return outcome.report


def _check_learning(outcome: CheckOutcome, seconds: float) -> Generator[Progress | None, None, PluginReport]:
    assert outcome.sample is not None
    learnability = yield from memorise_pairs(outcome.sample, seconds)
    findings = tuple(check_learnability(outcome.sample, learnability))
    return replace(outcome.report, learnability=learnability, findings=findings)
