"""Complete runs by the engine, and comparing their weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from core.engine import Engine
from core.requests import Learn
from core.run_folder import RunFolder
from tests.core.watcher import answered, begun

TEXT = "1 2 3"


def final_weights(run: Path, step: int | None = None) -> dict[str, np.ndarray]:
    folder = RunFolder.open(run)
    return dict(folder.checkpoint(folder.checkpoint_step("last") if step is None else step).model)


def assert_same_weights(one: Path, other: Path) -> None:
    mine, theirs = final_weights(one), final_weights(other)
    assert mine.keys() == theirs.keys()
    for name, array in mine.items():
        np.testing.assert_array_equal(array, theirs[name], err_msg=name, strict=True)


def finished_run(engine: Engine, runs_dir: Path, **training: int) -> Path:
    run = begun(engine, runs_dir, **training)
    answered(engine, Learn())
    return run
