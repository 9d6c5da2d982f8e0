"""Promise 7: NaN and infinity never reach a checkpoint; an out-of-memory error says what to make smaller."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core.events import Event, RunFinished, Trouble
from core.plugins_host.host import PluginHost
from core.requests import OpenRun, Prepare, Start
from core.run_folder import RunFolder
from core.serving.session import Session
from core.training.loss import Loss
from core.training.trainer import Trainer
from gui.main_window import MainWindow
from tests.core.watcher import Watcher, tiny_config
from tests.gui.conftest import SMALL, WAIT_MS
from tests.in_process import run_headlight
from tests.reliability.cases import Cases
from tests.reliability.privileges import needs_prlimit
from tests.reliability.training_process import MAIN, run_in_one_process, train

CORRUPTED_AFTER = 7  # the step after which a number is corrupted
DIVERGING = {"training.optimizer": "{name: sgd, learning_rate: 10.0}", "training.max_grad_norm": "null"}
DIVERGING |= {"training.schedule": "{name: constant, warmup_steps: 0}"}  # a tenth of this rate is fine


def corrupt_weight(trainer: Trainer, number: float) -> str:
    trainer._updater.optimizer.parameters.values[-1] = number
    return f"at step {CORRUPTED_AFTER} the weight output.bias"


def corrupt_average(trainer: Trainer, number: float) -> str:
    """With an infinite average of squares nothing is learnt, and no loss shows it."""
    trainer._updater.optimizer._buffers["exp_avg_sq"][0] = number
    return f"at step {CORRUPTED_AFTER} the optimizer's exp_avg_sq."


def corrupt_gradient(trainer: Trainer, number: float) -> str:
    gradients = trainer._updater.optimizer.parameters.gradients
    _after_each_gradient(trainer, lambda: gradients[:3].fill_(number))
    return f"at step {CORRUPTED_AFTER + 1} the gradient of "


def corrupt_loss(trainer: Trainer, number: float) -> str:
    gradients = trainer._updater.optimizer.parameters.gradients
    _after_each_gradient(trainer, lambda: gradients.fill_(number), number)
    return f"at step {CORRUPTED_AFTER + 1} the loss"


def _after_each_gradient(trainer: Trainer, action: Callable[[], object], loss: float | None = None) -> None:
    written = trainer._updater._pass
    write = written.write_gradients

    def write_then_act(*arguments: Any) -> Loss:
        losses = write(*arguments)
        action()
        return losses if loss is None else type(losses)(*(torch.full_like(one, loss) for one in losses))

    setattr(written, "write_gradients", write_then_act)  # noqa: B010  (a method, to mypy)


def train_to_checkpoint(session: Session, watcher: Watcher) -> None:
    """Train to the next checkpoint, due at step `AT`: some corruption is detected only there."""
    drain(session.learn(None), watcher)


def stop(session: Session, watcher: Watcher) -> None:
    learn(session, 1, watcher)
    session.stop()


def finish(session: Session, watcher: Watcher) -> None:
    learn(session, 1, watcher)
    drain(session.finish(None), watcher)


def learn(session: Session, count: int, watcher: Watcher) -> None:
    """Take this many steps, or fewer if the run diverges."""
    until = session.step + count
    with closing(session.learn(None)) as learning:
        for event in learning:
            notify(event, watcher)
            if session.step >= until or session.run.trainer.has_diverged:
                return


def drain(work: Iterator[Event | None], watcher: Watcher) -> None:
    for event in work:
        notify(event, watcher)


def notify(event: Event | None, watcher: Watcher) -> None:
    if event is not None:
        watcher(event)


@pytest.mark.parametrize("corrupt", [corrupt_weight, corrupt_average, corrupt_gradient, corrupt_loss])
def test_nan_and_infinity_are_never_saved(
    corrupt: Callable[[Trainer, float], str], shared_host: PluginHost, tmp_path: Path, cases: Cases, full: bool
) -> None:
    for save in (train_to_checkpoint, stop, finish) if full or corrupt is corrupt_weight else (train_to_checkpoint,):
        for number in (float("nan"), float("inf"), float("-inf")) if full else (float("inf"),):
            with cases.trying(f"{corrupt.__name__}, {number}, {save.__name__}"):
                watcher = Watcher()
                session = Session(watcher, shared_host, tmp_path / "cache")
                every = CORRUPTED_AFTER if save is train_to_checkpoint else 100
                drain(session.prepare(Prepare(config=tiny_config(checkpoint_every=every, max_steps=20))), watcher)
                run = session.start(Start(runs_dir=tmp_path / "runs"))
                learn(session, CORRUPTED_AFTER, watcher)
                sentence = corrupt(session.run.trainer, number)
                save(session, watcher)
                require_only_finite(run)
                assert watcher.all(RunFinished)[-1].reason == "diverged"
                # One step later, the corrupted tensor has corrupted others.
                assert save is not train_to_checkpoint or sentence in watcher.wait(Trouble).sentence
                assert watcher.wait(Trouble).offer == "lower_rate"
                assert RunFolder.open(run).state.state == "failed"
                drain(session.open_run(OpenRun(run=run)), watcher)
                drain(session.learn(None), watcher)
                assert watcher.all(RunFinished)[-1].reason == "max_steps"
                session.close()


def require_only_finite(run: Path) -> None:
    folder = RunFolder.open(run)
    assert folder.checkpoint_steps()
    for step in folder.checkpoint_steps():
        checkpoint = folder.checkpoint(step)
        for name, array in {**checkpoint.model, **checkpoint.optimizer}.items():
            assert np.isfinite(array).all(), (step, name)


def test_the_printed_command_continues_at_a_lower_rate(tmp_path: Path) -> None:
    run = tmp_path / "a run"
    settings = [f"{key}={value}" for key, value in DIVERGING.items()]
    arguments = train(tmp_path, "--run-dir", str(run), "training.max_steps=60", *settings)[len(MAIN) :]
    stopped = run_headlight(*arguments, cwd=tmp_path)
    assert stopped.returncode == 3, stopped.stderr
    require_only_finite(run)
    program, *arguments = shlex.split(stopped.stderr.splitlines()[-1].partition("Continue with: ")[2])
    assert program == "headlight" and arguments[-1] == "training.optimizer.learning_rate=1"
    result = run_headlight(*arguments, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert RunFolder.open(run).latest_config().training.optimizer.learning_rate == 1


def test_one_button_continues_at_a_lower_rate(qtbot: QtBot, empty_window: MainWindow, tmp_path: Path) -> None:
    window, workbench = empty_window, empty_window.context.workbench
    settings = ", ".join(f"{key.removeprefix('training.')}: {value}" for key, value in DIVERGING.items())
    (tmp_path / "wild.yaml").write_text(SMALL.replace("training: {", f"training: {{{settings}, "), encoding="utf-8")
    window.setup_drawer.open_file(tmp_path / "wild.yaml")
    qtbot.waitUntil(lambda: window.context.bridge.state == "ready", timeout=WAIT_MS)
    workbench.learn()
    qtbot.waitUntil(lambda: window.context.bridge.state == "failed", timeout=WAIT_MS)
    qtbot.waitUntil(window.trouble_strip.isVisible, timeout=WAIT_MS)
    assert window.trouble_strip.offer_button.text() == "Continue at a lower rate"
    qtbot.mouseClick(window.trouble_strip.offer_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.context.bridge.state == "finished", timeout=WAIT_MS)
    assert not window.trouble_strip.isVisible() and workbench.run is not None
    require_only_finite(workbench.run)
    assert RunFolder.open(workbench.run).latest_config().training.optimizer.learning_rate == 1


LARGE_MODEL = ("model.d_model=8192", "model.d_ff=32768")
LARGE_BATCH = ("model.d_ff=65536", "training.batch_size=16001")  # half of its activations exceed the memory, too


@needs_prlimit
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc to read the memory in use")
def test_running_out_of_memory_says_what_to_make_smaller(tmp_path: Path, cases: Cases) -> None:
    run = tmp_path / "run"
    calls = [train(tmp_path, "--run-dir", str(run), *settings)[len(MAIN) :] for settings in (LARGE_MODEL, LARGE_BATCH)]
    of_model, of_batch = run_in_one_process(["prlimit", f"--as={4 * 2**30}"], *calls)
    with cases.trying("a model that is too large"):
        code, errors = of_model.returncode, of_model.stderr
        assert code == 2 and len(errors.splitlines()) == 1, errors
        assert "its weights, gradients and optimizer state take" in errors and "model.d_model (now 8,192)" in errors
    with cases.trying("a batch that is too large"):
        code, errors = of_batch.returncode, of_batch.stderr
        assert code == 3 and "Traceback" not in errors, errors
        assert "a step about" in errors and "Lower training.batch_size" in errors
        require_only_finite(run)
        sentence, _, command = errors.splitlines()[-1].partition("Start a run with smaller batches: ")
        assert "000000" in sentence
        smaller = ("--set", "training.batch_size=8000", "--set", "training.accumulate_steps=2")
        assert shlex.split(command) == ["headlight", "train", str(run / "config.yaml"), *smaller]
