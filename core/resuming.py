"""Resuming a run from one of its checkpoints: choose among them, claim the run, and remove everything later."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from types import MappingProxyType
from typing import Any

import numpy as np

from core.run_files.atomic import write_atomically
from core.run_files.file_names import METRICS
from core.run_files.metrics_file import last_line
from core.run_files.step_files import CHECKPOINTS, STEP_FILE_SUFFIXES, remove_step, steps_in
from core.run_folder import RunFolder

Best = tuple[int | None, float | None, str | None]
"""The best step, its value, and the metric that the value is of."""
_NO_BEST: Best = (None, None, None)


def resumable_steps(run: RunFolder) -> list[int]:
    """The checkpoints to resume from: all, or those from before a diverged run blew up, which may be none."""
    return steps_before_divergence(run) if run.state.reason == "diverged" else run.checkpoint_steps()


def steps_before_divergence(run: RunFolder) -> list[int]:
    """For a run whose next step is not finite: the checkpoints whose next step has no higher loss than the first.

    The checkpoint of the last trained step is not among them.
    """
    steps, metrics = run.metrics()
    losses = metrics.get("train/loss", np.empty(0))
    diverging = {*(steps[~(losses <= losses[:1])] - 1).tolist(), run.last_trained_step()}
    return [step for step in run.checkpoint_steps() if step not in diverging]


@contextmanager
def claimed_for_resuming(run: RunFolder) -> Iterator[None]:
    """Claim a run, and undo the claim if the block fails, since nobody else would release it."""
    before = run.reread_state()
    run.claim()
    try:
        yield
    except BaseException:
        # Not released: after a crash, the run's pid says that lines after the checkpoint may be damaged.
        with suppress(OSError):  # the first error says more than this one
            run.update(
                state=before.state, reason=before.reason,
                pid=before.pid, host=before.host, pid_started=before.pid_started,
            )  # fmt: skip
        raise


def truncate_run(
    run: RunFolder, step: int, at_step: Mapping[str, int] = MappingProxyType({}), best: Best = _NO_BEST
) -> None:
    """Remove everything after `step`, which a run resumed there writes again.

    `at_step` says how many "setting" and "is_best" lines of `step` itself came before its checkpoint, and `best` what
    that checkpoint knows as the best: run.json is written after it, and lacks that if a crash came in between. The
    newest checkpoints go first: if this is interrupted at any point, the last one left has all that belongs to it.
    """
    metrics = run.metrics_file.lines_until(step, at_step)
    for later in reversed(_later(run, CHECKPOINTS, step)):
        remove_step(run.path, CHECKPOINTS, later)
    size = len(metrics) - len(last_line(metrics))
    run.update(last_step=step, metrics_size=size, reason=None, **_best_until(run, step, best))
    write_atomically(run.path / METRICS, metrics)
    for kind in STEP_FILE_SUFFIXES:
        for later in _later(run, kind, step):
            remove_step(run.path, kind, later)


def _later(run: RunFolder, kind: str, step: int) -> list[int]:
    return [known for known in steps_in(run.path, kind) if known > step]


def _best_until(run: RunFolder, step: int, best: Best) -> dict[str, Any]:
    """run.json's new fields for the best step: `best` if its checkpoint exists; none of a later step remain."""
    names = ("best_step", "best_value", "best_metric")
    if best[0] in run.checkpoint_steps():
        return dict(zip(names, best, strict=True))
    best_step = run.state.best_step
    return dict.fromkeys(names) if best_step is not None and best_step > step else {}
