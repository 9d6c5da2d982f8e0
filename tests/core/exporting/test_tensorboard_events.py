"""TensorBoard event files: TensorBoard's reader finds every step once, also those of a resumed run."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import pytest

from core import cli
from core.engine import Engine
from core.events import RunStarted, ValidationDone
from core.requests import Learn, OpenRun, Stop
from core.run_folder import RunFolder
from tests.core.watcher import answered, begun
from tests.full_disk import no_file_beyond

pytestmark = pytest.mark.usefixtures("engines_share_a_host")


def test_without_the_extra_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    loaded = [name for name in sys.modules if name.split(".")[0] == "tensorboard"]  # by an earlier test
    for name in (*loaded, "core.exporting.tensorboard_events"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "tensorboard", None)  # as if it were not installed
    assert cli.main(["train", "copy_task", "--tensorboard", str(tmp_path)]) == 2
    advice, by_uv = capfd.readouterr().err, "uv tool install '.[tensorboard]'"
    assert all(way in advice for way in ("pip install tensorboard", "pipx inject headlight tensorboard", by_uv))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("is_set_back", [False, True])
def test_a_resumed_run_has_each_step_once_with_the_metrics_of_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_set_back: bool
) -> None:
    """Also if the clock is set back meanwhile: TensorBoard reads files by their names."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    from core.exporting.tensorboard_events import TensorBoardEvents

    listener = TensorBoardEvents(tmp_path / "board")
    with Engine([listener], cache_dir=tmp_path / "cache") as engine:
        run = begun(engine, tmp_path)
        answered(engine, Learn(steps=25))
        answered(engine, Stop())
        if is_set_back:
            monkeypatch.setattr(time, "time_ns", lambda: 10**18)  # in 2001
        answered(engine, OpenRun(run=run))
        answered(engine, Learn())
    board = EventAccumulator(str(tmp_path / "board" / run.name)).Reload()
    folder = RunFolder.open(run)
    steps, arrays = folder.metrics()
    for name, values in arrays.items():
        if name != "time":
            points = board.Scalars(name)
            assert [one.step for one in points] == steps.tolist()
            np.testing.assert_allclose([one.value for one in points], values, rtol=1e-6)
    for step, metrics in folder.validation_metrics().items():
        assert metrics["valid/loss"] == pytest.approx(
            next(one.value for one in board.Scalars("valid/loss") if one.step == step)
        )


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX resource limits")
def test_a_full_disk_is_reported_once_and_what_follows_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from core.exporting.tensorboard_events import TensorBoardEvents

    listener = TensorBoardEvents(tmp_path)
    listener(RunStarted(run=Path("run"), step=0))
    for step in (1, 2):
        with no_file_beyond(100):
            listener(ValidationDone(step=step, metrics={"valid/loss": 1.0}, sentences=(), is_best=True))
    sentence = f"{tmp_path}: no more event files are written (File too large)."
    assert capsys.readouterr().err == f"\nheadlight: {sentence} The training goes on, and its run keeps the curves.\n"
