"""Going on with a run from one of its checkpoints: the right to write it, and nothing left of what came later."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from types import MappingProxyType
from typing import Any

from core.run_files import metrics_file
from core.run_files.atomic import write_whole
from core.run_files.by_step import CHECKPOINTS, FILES, remove_step, steps_in
from core.run_folder import RunFolder

Best = tuple[int | None, float | None, str | None]
"""A step, its value, and of which metric that is."""
_NO_BEST: Best = (None, None, None)


@contextmanager
def claimed_to_go_on(run: RunFolder) -> Iterator[None]:
    """Claim a run, and undo that where what is done within the block fails: nobody would release it."""
    before = run.reread_state()
    run.claim()
    try:
        yield
    except BaseException:
        # Not released: of a run that a crash left, its pid says that lines after the checkpoint may be damaged.
        with suppress(OSError):  # what failed says more than that this did, too
            run.update(
                state=before.state, reason=before.reason,
                pid=before.pid, host=before.host, pid_started=before.pid_started,
            )  # fmt: skip
        raise


def cut_back(
    run: RunFolder, step: int, at_step: Mapping[str, int] = MappingProxyType({}), best: Best = _NO_BEST
) -> None:
    """Remove what came after `step`: a run resumed there writes it again.

    `at_step` says how many lines "setting" and "is_best" of `step` itself came before its checkpoint, and `best` what
    that checkpoint knows as the best: run.json is written after it, and may not know it where a crash came between.
    The newest checkpoints go first: whatever instant this is broken off, the last one has all that belongs to it.
    """
    path = run.path / "metrics.jsonl"
    least, durable = run.state.metrics_size, run.state.durable_metrics
    metrics = metrics_file.lines_until(path, step, at_step, least=least, durable=durable)
    for later in reversed(_later(run, CHECKPOINTS, step)):
        remove_step(run.path, CHECKPOINTS, later)
    size = len(metrics) - len(metrics_file.last_line(metrics))
    run.update(last_step=step, metrics_size=size, reason=None, **_best_until(run, step, best))
    write_whole(path, metrics)
    for kind in FILES:
        for later in _later(run, kind, step):
            remove_step(run.path, kind, later)


def _later(run: RunFolder, kind: str, step: int) -> list[int]:
    return [known for known in steps_in(run.path, kind) if known > step]


def _best_until(run: RunFolder, step: int, best: Best) -> dict[str, Any]:
    """The fields of run.json for it: as it is known where its checkpoint is there, and nothing of a later one."""
    names = ("best_step", "best_value", "best_metric")
    if best[0] in run.checkpoint_steps():
        return dict(zip(names, best, strict=True))
    named = run.state.best_step
    return dict.fromkeys(names) if named is not None and named > step else {}
