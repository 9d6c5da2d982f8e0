"""Several processes train like a single one: real processes of main.py, stopped, killed and resumed; what they send."""

from __future__ import annotations

import json
import math
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from queue import SimpleQueue
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from torch import Tensor

from core.config import OptimizerConfig, TrainingConfig
from core.data.batch import Batch
from core.data.batching import make_batch
from core.data.prepared_data import PreparedData
from core.errors import UserError
from core.plugins_host.host import PluginHost
from core.run_folder import RunFolder
from core.torchrun import ProcessRank, torchrun_command
from core.training import distributed
from core.training.distributed import ProcessLost, SeveralProcesses, StepCommand
from core.training.follower import _train
from core.training.loss import Loss
from tests.core.training.small_runs import MakeTrainer
from tests.in_process import run_headlight
from tests.reliability.run_digests import assert_same, digests

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs torchrun and gloo on Linux")

ROOT = Path(__file__).parents[3]
MAIN = [sys.executable, str(ROOT / "main.py")]
MAIN_WITH_SHORT_TIMEOUTS = """
import sys
from datetime import timedelta
from core.machine.torch_import import stub_out_tracing
stub_out_tracing()
from core.training import distributed
distributed.STEP_TIMEOUT, distributed.HEARTBEAT_SECONDS = timedelta(seconds=3), 0.5
from core.cli import main
sys.exit(main(sys.argv[1:]))
"""
CONFIG = """
seed: 3
dataset: {plugin: phonetic_to_letter, options: {count: 200, length: 4}}
model: {d_model: 16, num_heads: 2, num_encoder_layers: 1, num_decoder_layers: 1, d_ff: 32}
training:
  {max_steps: 60, batch_size: 7, accumulate_steps: 2, validate_every: 25, checkpoint_every: 25, num_threads: 1}
"""
MAIN_ON_ANOTHER_DISK = """
import sys
from core.machine.torch_import import stub_out_tracing
stub_out_tracing()
from core.training import follower
follower.is_intact = lambda folder: False  # the folder that the first process prepared cannot be read here
from core.cli import main
sys.exit(main(sys.argv[1:]))
"""
WITHOUT_DROPOUT = ("--set", "model.dropout=0.0")
ENDLESS_TRAINING = ("--set", "training.max_steps=1000000", "--set", "training.validate_every=1000000")


@pytest.fixture(scope="module")
def workdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    workdir = tmp_path_factory.mktemp("distributed")
    (workdir / "run.yaml").write_text(CONFIG)
    return workdir


@pytest.fixture(scope="module")
def one_process(workdir: Path) -> RunFolder:
    """A run of a single process, without dropout."""
    assert run_headlight("train", "run.yaml", "--run-dir", "alone", *WITHOUT_DROPOUT, cwd=workdir).returncode == 0
    return RunFolder.open(workdir / "alone")


def free_port() -> str:
    """A TCP port of this machine on which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return str(server.getsockname()[1])


@contextmanager
def processes(
    workdir: Path, count: int, *arguments: str, main: Sequence[str] = MAIN
) -> Iterator[list[subprocess.Popen[str]]]:
    """Start `main.py train` in `count` processes, as torchrun would; yield them in the order of their ranks."""
    rendezvous = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port(), "PYTHONPATH": str(ROOT)}
    with ExitStack() as stack:
        started = []
        for rank in range(count):
            numbers = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": count, "LOCAL_WORLD_SIZE": count}
            env = {**os.environ, **rendezvous, **{name: str(number) for name, number in numbers.items()}}
            process = subprocess.Popen(
                [*main, "train", *arguments], cwd=workdir, env=env, text=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )  # fmt: skip
            started.append(stack.enter_context(process))
            stack.callback(process.kill)  # waiting for a failed process would take half an hour
        yield started


def trained(workdir: Path) -> Path:
    """A complete run of two processes, started with the command in README."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    torchrun, *arguments = shlex.split(next(line for line in readme if line.startswith("torchrun ")), comments=True)
    (workdir / "main.py").symlink_to(MAIN[1])
    command = [str(Path(sys.executable).with_name(torchrun)), *arguments]
    runs = os.environ | {"HEADLIGHT_RUNS_DIR": str(workdir / "documented")}
    result = subprocess.run(command, cwd=workdir, env=runs, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    (run,) = (workdir / "documented").iterdir()
    for output in (result.stdout, result.stderr):
        assert output.splitlines().count(f"run {run}") == 1, "only the first process prints"
    return run


def wait_for_steps(process: subprocess.Popen[str]) -> None:
    """Wait for the first steps of a process started with --json."""
    assert process.stdout is not None
    assert any(json.loads(line)["event"] == "steps_done" for line in process.stdout)


def test_two_machines_give_the_losses_of_one_process(workdir: Path, one_process: RunFolder) -> None:
    """Two folders of this machine stand for them; the second process sees neither the first's run nor its data."""
    (workdir / "on_another_disk.py").write_text(MAIN_ON_ANOTHER_DISK)
    rendezvous = ["--nnodes", "2", "--master-addr", "127.0.0.1", "--master-port", free_port()]
    with ExitStack() as stack:
        agents = []
        for number, main in enumerate((MAIN[1], "../on_another_disk.py")):
            machine = workdir / f"machine {number}"
            machine.mkdir()
            (machine / "run.yaml").write_text(CONFIG)
            torchrun = [sys.executable, "-m", "core.processes.agent", *rendezvous, "--node-rank", str(number)]
            agents.append(stack.enter_context(subprocess.Popen(
                [*torchrun, main, "train", "run.yaml", "--run-dir", "run", *WITHOUT_DROPOUT], cwd=machine, text=True,
                env=os.environ | {"XDG_CACHE_HOME": str(machine / "cache"), "PYTHONPATH": str(ROOT)},
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )))  # fmt: skip
            stack.callback(agents[-1].terminate)
        outputs = [agent.communicate() for agent in agents]
    assert [agent.returncode for agent in agents] == [0, 0], outputs
    assert not (workdir / "machine 1" / "run").exists()
    assert all(list(workdir.glob(f"machine {number}/cache/headlight/*")) for number in (0, 1))
    two_machines = RunFolder.open(workdir / "machine 0" / "run")
    (_, expected), (_, losses_of_both) = one_process.metrics(), two_machines.metrics()
    assert len(expected["train/loss"]) == 60
    for name in ("train/loss", "train/objective", "train/grad_norm", "train/epoch"):
        np.testing.assert_allclose(losses_of_both[name], expected[name], rtol=0, atol=1e-5)
    losses = [run.validation_metrics()[60]["valid/loss"] for run in (one_process, two_machines)]
    assert losses[0] == pytest.approx(losses[1], abs=1e-5)


def test_machines_that_cannot_connect_get_advice(workdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "no_such_network")
    with processes(workdir, 2, "run.yaml", "--run-dir", "nowhere") as started:
        errors = [process.communicate()[1] for process in started]
    assert [process.returncode for process in started] == [3, 2], errors  # in the first process, a run has failed
    assert all("GLOO_SOCKET_IFNAME" in error for error in errors), errors


def test_ctrl_c_ends_a_process_that_waits_for_the_first_to_prepare(workdir: Path) -> None:
    """The first has not begun the run: it could not end the others, which torchrun would kill after 30 s."""
    with socket.create_server(("127.0.0.1", 0)) as first:
        rendezvous = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(first.getsockname()[1])}
        second_of_two = {"RANK": "1", "LOCAL_RANK": "1", "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2"}
        command = [*MAIN, "train", "run.yaml"]
        environment = os.environ | rendezvous | second_of_two
        with subprocess.Popen(command, cwd=workdir, env=environment) as waiting, first.accept()[0]:
            waiting.send_signal(signal.SIGINT)
            try:
                assert waiting.wait(timeout=20) == -signal.SIGINT
            finally:
                waiting.kill()


def test_an_error_in_the_call_is_the_last_message_of_torchrun(workdir: Path) -> None:
    command = [*torchrun_command(2), MAIN[1], "train", "no_such_preset"]
    result = subprocess.run(command, cwd=workdir, capture_output=True, text=True)
    assert result.returncode == 1
    *_, last, border = result.stderr.splitlines()
    assert set(border) == {"="} and last.strip().startswith("traceback : headlight: no_such_preset: no such preset")


def test_a_run_stopped_by_a_signal_and_resumed_equals_one_never_stopped(workdir: Path) -> None:
    plain = digests(trained(workdir))
    with processes(workdir, 2, "run.yaml", "--run-dir", "stopped", "--json") as started:
        wait_for_steps(started[0])
        for process in reversed(started):  # to all of them, as Ctrl-C in a terminal
            process.send_signal(signal.SIGINT)
        errors = [process.communicate()[1] for process in started]
    assert [process.returncode for process in started] == [128 + signal.SIGINT, 0], errors
    stopped_at = RunFolder.open(workdir / "stopped").state.last_step
    with processes(workdir, 2, "--resume", "stopped") as started:
        outputs = [process.communicate() for process in started]
    assert [process.returncode for process in started] == [0, 0], outputs
    assert outputs[1] == ("", "")  # only the first process prints
    assert 0 < stopped_at < 60, "stopped too late to be resumed"
    assert RunFolder.open(workdir / "stopped").state.last_step == 60
    assert_same(digests(workdir / "stopped"), plain)


@pytest.mark.parametrize(("rank", "number"), [(0, signal.SIGKILL), (1, signal.SIGSTOP)])
def test_losing_a_process_ends_the_other_with_a_checkpoint_for_any_number(
    workdir: Path, rank: int, number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process is killed, or hangs until the other one times out."""
    monkeypatch.setenv("TORCHELASTIC_ERROR_FILE", str(workdir / f"{number.name}.json"))
    run = f"{number.name}{rank}"
    main = [sys.executable, "-c", MAIN_WITH_SHORT_TIMEOUTS]
    with processes(workdir, 2, "run.yaml", "--run-dir", run, "--json", *ENDLESS_TRAINING, main=main) as started:
        wait_for_steps(started[0])
        started[rank].send_signal(number)
        remaining = started[1 - rank]
        error = remaining.communicate()[1]
        started[rank].kill()
        assert remaining.returncode == 3, (error, started[rank].communicate())
    assert "Another process of this run has ended" in error and str(workdir / run) in error
    assert rank == 1 or "\n\nheadlight: " in f"\n{error}"  # the first process may have left a progress bar on the line
    for_torchrun = json.loads((workdir / f"{number.name}.json").read_text())["message"]["message"]
    assert for_torchrun in error.splitlines()
    last = RunFolder.open(workdir / run).checkpoint_steps()[-1]
    resumed = run_headlight("train", "--resume", run, "--set", f"training.max_steps={last + 3}", cwd=workdir)
    assert resumed.returncode == 0, resumed.stderr
    assert RunFolder.open(workdir / run).state.last_step == last + 3


TRAINING = TrainingConfig(
    label_smoothing=0.3, max_grad_norm=0.5, optimizer=OptimizerConfig(weight_decay=0.2)
)  # settings that may have changed since the run began


def connected_by(sent: SimpleQueue[Tensor], patch: pytest.MonkeyPatch) -> tuple[SeveralProcesses, SeveralProcesses]:
    """Two processes in this one: what the first broadcasts is put into `sent`, for the other."""

    def broadcast(self: SeveralProcesses, tensors: Sequence[Tensor], _: object) -> None:
        for tensor in tensors:
            if self.name == "process 0":
                sent.put(tensor)
            else:
                tensor.copy_(sent.get(timeout=30))

    patch.setattr(SeveralProcesses, "_broadcast", broadcast)
    patch.setattr(SeveralProcesses, "_connect", lambda self: setattr(self, "_steps", object()))
    patch.setattr("torch.distributed.all_reduce", lambda *_, **__: None)
    patch.setattr(distributed, "HEARTBEAT_SECONDS", 0.005)
    first, second = (SeveralProcesses(ProcessRank(rank, 2)) for rank in range(2))
    return first, second


@pytest.mark.parametrize("max_grad_norm", [None, 0.5])
def test_the_others_get_heartbeats_between_steps_and_the_settings_of_each_step(
    max_grad_norm: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = SimpleQueue[Tensor]()
    training = TRAINING.model_copy(update={"max_grad_norm": max_grad_norm})
    first, second = connected_by(sent, monkeypatch)
    first.start(lambda: {"run": "a run"}, [torch.ones(3)])
    first.start(dict, [])  # after a pause, all are ready
    wait_for_more(sent, 4)  # than the description, its length and the weights
    first.announce_step(7, 0.01, training)
    num_sent = sent.qsize()
    time.sleep(0.05)
    assert sent.qsize() == num_sent, "the others wait for a gradient now"
    first.all_reduce(torch.zeros(3), Loss(torch.zeros(()), torch.zeros(())))
    wait_for_more(sent, num_sent)
    first.leave()
    assert second.receive_description() == {"run": "a run"}
    weights = torch.zeros(3)
    second.synchronise([weights])
    (command,) = second.commands()
    assert weights.tolist() == [1.0, 1.0, 1.0]
    assert (command.step, command.learning_rate, command.settings(TrainingConfig())) == (7, 0.01, training)


def wait_for_more(sent: SimpleQueue[Tensor], number: int) -> None:
    """Wait until more than so many tensors were sent."""
    deadline = time.monotonic() + 30
    while sent.qsize() <= number:
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_in_a_step_that_it_gives_up_the_first_process_leaves_without_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = SimpleQueue[Tensor]()
    first, _ = connected_by(sent, monkeypatch)
    first.start(dict, [])
    first.announce_step(1, 0.01, TRAINING)
    num_sent = sent.qsize()
    first.leave()
    assert sent.qsize() == num_sent


def test_a_process_lost_before_the_first_step_leaves_nothing_to_wait_for(monkeypatch: pytest.MonkeyPatch) -> None:
    first, _ = connected_by(SimpleQueue(), monkeypatch)
    monkeypatch.setattr(first, "synchronise", lose_process)
    with pytest.raises(ProcessLost):
        first.start(dict, [])
    first.leave()


def lose_process(*_: object) -> None:
    raise ProcessLost("Another process of this run has ended.", "")


def test_a_process_lost_between_two_steps_is_reported_at_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    first, _ = connected_by(SimpleQueue(), monkeypatch)
    first.start(dict, [])
    monkeypatch.setattr(SeveralProcesses, "_broadcast", lose_process)
    first._heartbeat.join(timeout=60)
    monkeypatch.setattr(SeveralProcesses, "_broadcast", lambda *_: None)  # some seem to arrive
    with pytest.raises(ProcessLost):
        first.announce_step(1, 0.01, TRAINING)
    first.leave()


def test_each_process_draws_other_dropout_masks_in_each_step() -> None:
    others = [SeveralProcesses(ProcessRank(rank, 4)) for rank in (1, 2, 3)]
    seeds = {other.dropout_seed(0, step) for other in others for step in range(1, 101)}
    assert len(seeds) == 300 and all(0 <= seed < 2**63 for seed in seeds)


def test_the_rows_of_a_batch_are_divided_among_processes(data: PreparedData) -> None:
    batch, small_batch = (make_batch(data.split("train"), np.arange(size)) for size in (8, 2))
    parts = [SeveralProcesses(ProcessRank(rank, 3)).local_batches([batch, small_batch]) for rank in range(3)]
    assert [len(part) for part in parts] == [2, 2, 1]  # of two sentences, the last process gets none
    rows = [row for part in parts for row in part[0].tgt_output.tolist()]
    assert sorted(rows) == sorted(batch.tgt_output.tolist())
    assert sum(part[0].num_target_tokens for part in parts) == batch.num_target_tokens
    ones = torch.ones(3, 1, dtype=torch.int64)
    empty_targets = Batch(ones, ones.bool(), ones, ones, ones.bool(), 3)  # each with its <eos>
    assert all(len(SeveralProcesses(ProcessRank(rank, 3)).local_batches([empty_targets])) == 1 for rank in range(3))


class ProcessesThatDiverge(SeveralProcesses):
    """Of the steps that the first process orders, the first one's gradient is not finite."""

    def __init__(self, steps: Sequence[float]) -> None:
        super().__init__(ProcessRank(1, 2))
        self._ordered = steps
        self.weights_after: list[Tensor] = []

    def synchronise(self, tensors: Sequence[Tensor]) -> None:
        self._weights = tensors[0]

    def commands(self) -> Iterator[StepCommand]:
        for step in self._ordered:
            yield StepCommand(step, 1e-3, 0.1, 0.0, math.nan)
            self.weights_after.append(self._weights.clone())

    def all_reduce(self, gradients: Tensor, local_loss: Loss) -> Loss:
        if not self.weights_after:
            gradients.fill_(math.nan)
        return local_loss


@pytest.mark.parametrize("steps", [(1.0, 1.0), (1.0, 2.0, 1.0)])  # it is noticed at once, or late
def test_every_process_updates_again_after_a_divergence(
    steps: Sequence[float], make_trainer: MakeTrainer, host: PluginHost
) -> None:
    """Otherwise the others would go on with the weights of the last good step, and the first with its own."""
    processes = ProcessesThatDiverge(steps)
    _train(make_trainer()._description(), host, processes)
    *refused, updated = processes.weights_after
    assert refused[0].equal(refused[-1]) and not refused[-1].equal(updated)


@pytest.mark.parametrize(
    ("failing", "error"),
    [
        ("Transformer.__init__", RuntimeError("[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: not enough")),
        ("Updater.step", MemoryError()),
    ],
)
def test_a_lack_of_memory_in_another_process_is_reported_in_a_sentence(
    failing: str, error: Exception, make_trainer: MakeTrainer, host: PluginHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    description = make_trainer()._description()
    monkeypatch.setattr(f"core.training.follower.{failing}", Mock(side_effect=error))
    with pytest.raises(UserError, match=r"^The memory of cpu was not enough\."):
        _train(description, host, ProcessesThatDiverge([1.0]))
