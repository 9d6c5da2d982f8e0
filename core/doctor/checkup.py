"""Runs a plugin's check in the engine's thread, in small steps between its other work."""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path

from core.doctor.examination import Examination, Examined
from core.doctor.findings import PluginReport
from core.doctor.learnability import check_learnability, learn_by_heart
from core.events import Progress
from core.plugins_host.host import PluginHost
from core.requests import CheckPlugin

_LOOK_SECONDS = 0.005
"""How long one poll waits for the examination to end. A run that is learning is held up by as much at each step."""


def check_plugin(request: CheckPlugin, known: PluginHost) -> Generator[Progress | None, None, PluginReport]:
    """Examine the plugin in a thread that touches no torch, then see whether a small model learns from it.

    Learning is tried only if the examination found nothing. Closing the generator stops the examination.
    """
    examination = Examination(request.bounds)
    thread = ThreadPoolExecutor(1, thread_name_prefix="plugin check")
    examining = thread.submit(examination.run, request.plugin, request.options, known)
    thread.shutdown(wait=False)  # the thread ends after this one task
    try:
        told = None
        while not examining.done():
            wait([examining], _LOOK_SECONDS)
            told, before = examination.progress, told
            if told is None or told == before:
                yield None
            else:
                stage = f"checking {Path(request.plugin).stem}: {told[0]}"
                yield Progress(stage=stage, done=told[1], total=None)
        examined = examining.result()
    finally:
        examination.close(examining)
    if request.with_learning and examined.drawn is not None and examined.report.is_clean:
        return (yield from _with_learning(examined, request.bounds.learn_seconds))
    return examined.report


def _with_learning(examined: Examined, seconds: float) -> Generator[Progress | None, None, PluginReport]:
    assert examined.drawn is not None
    learnability = yield from learn_by_heart(examined.drawn, seconds)
    findings = tuple(check_learnability(examined.drawn, learnability))
    return replace(examined.report, learnability=learnability, findings=findings)
