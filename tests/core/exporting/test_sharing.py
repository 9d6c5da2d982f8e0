"""Sharing a run as one file: its contents, and that it can be viewed without its plugin but not trained further."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sys
import zipfile
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest
from safetensors.numpy import load_file

from core import cli
from core.engine import Engine
from core.errors import UserError
from core.events import Trouble
from core.exporting.sharing import receive, share
from core.history import History
from core.plugins_host.host import PluginHost
from core.requests import Branch, ChangeSetting, Learn, OpenRun, Translate
from core.run_files import archive as archive_module
from core.run_folder import RunFolder, RunLabel
from core.serving.session import Session
from tests.core.watcher import Watcher, answered, run_of
from tests.reliability.small_runs import SENTENCE, WITH_SUBWORDS, resume, train

pytestmark = pytest.mark.usefixtures("module_shares_a_host")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A finished run of four steps, with subwords and a name."""
    folder = RunFolder.open(train(tmp_path_factory.mktemp("trained") / "run", 4, WITH_SUBWORDS))
    folder.write_label(RunLabel(name="Größer", note="A note."))
    return folder


@pytest.fixture(scope="module")
def shared(run: RunFolder) -> Path:
    path = run.path.with_name("Größe 2.headlight")
    share(run, path)
    return path


def test_the_file_has_no_optimizer_log_or_command_line(run: RunFolder, shared: Path) -> None:
    with zipfile.ZipFile(shared) as archive:
        names = archive.namelist()
        environment = json.loads(archive.read("environment.json"))
    assert not any("optimizer" in name or "checkpoints" in name or name.endswith(".txt") for name in names)
    assert "command_line" not in environment and environment["headlight"] == run.environment()["headlight"]


def test_a_received_run_with_a_damaged_probe_can_be_opened(shared: Path, tmp_path: Path) -> None:
    received = receive(shared, tmp_path / "runs")
    (received / "probes" / "000004.safetensors").write_bytes(b"")
    with Engine() as engine:
        assert answered(engine, OpenRun(run=received)).run == received


def test_a_received_run_shows_the_same(run: RunFolder, shared: Path, tmp_path: Path) -> None:
    received = RunFolder.open(receive(shared, tmp_path / "runs"))
    assert received.path == tmp_path / "runs" / "Größe_2" and received.state.is_shared
    assert (received.label(), received.config(), received.vocabulary()) == (run.label(), run.config(), run.vocabulary())
    history, expected = History.read(received), History.read(run)
    for name in expected.metric_names:
        np.testing.assert_array_equal(history.curve(name), expected.curve(name))
    assert history.probes.steps == expected.probes.steps and received.validation_steps() == run.validation_steps()
    assert received.snapshot_steps() == sorted({*run.snapshot_steps(), *run.checkpoint_steps()})
    assert received.checkpoint_steps() == []
    for name, array in run.weights(4).items():
        np.testing.assert_array_equal(received.read_snapshot(4)[name], array)
    abandoned, unfinished = (tmp_path / "runs" / f".receiving-{name}" for name in ("killed", "other"))
    for folder in (abandoned, unfinished):
        folder.mkdir()
    os.utime(abandoned, (0, 0))
    assert receive(shared, tmp_path / "runs") == received.path  # it was already received
    assert set((tmp_path / "runs").iterdir()) == {received.path, unfinished}


def test_a_run_that_a_power_cut_ended_is_received_up_to_the_damage(run: RunFolder, tmp_path: Path) -> None:
    folder = RunFolder.open(Path(copytree(run.path, tmp_path / "run")))
    folder.update(state="learning", pid=2**22 + 1, host=socket.gethostname())  # no process has this number
    with (folder.path / "metrics.jsonl").open("ab") as file:
        file.write(b"\0" * 100 + b"\n")  # as file systems may leave what was not synced
    share(folder, tmp_path / "run.headlight")
    received = History.read(RunFolder.open(receive(tmp_path / "run.headlight", tmp_path / "runs")))
    assert received.last_step == History.read(run).last_step == 4


def test_a_run_trained_further_is_received_beside_its_earlier_version(
    run: RunFolder, shared: Path, tmp_path: Path
) -> None:
    first = receive(shared, tmp_path / "runs")
    copytree(run.path, longer_run := tmp_path / "again")
    resume(longer_run, 2)
    file = tmp_path / "later" / shared.name
    file.parent.mkdir()
    share(RunFolder.open(longer_run), file)
    second = receive(file, tmp_path / "runs")
    assert (second.name, RunFolder.open(second).last_trained_step()) == ("Größe_2_2", 6)
    RunFolder.open(second).write_label(RunLabel(name="Mine"))
    assert receive(file, tmp_path / "runs") == second
    assert receive(shared, tmp_path / "runs") == first


def test_steps_after_the_last_checkpoint_are_received(run: RunFolder, shared: Path, tmp_path: Path) -> None:
    first = receive(shared, tmp_path / "runs")
    copytree(run.path, tmp_path / "again")
    longer_run, file = RunFolder.open(tmp_path / "again"), tmp_path / "later" / shared.name
    longer_run.append_metrics(5, {"train/loss": np.array([1.5])})
    file.parent.mkdir()
    share(longer_run, file)
    second = receive(file, tmp_path / "runs")
    assert second != first and RunFolder.open(second).last_trained_step() == 5


def test_an_unwritable_path_does_not_offer_to_move_the_current_run(run: RunFolder, shared: Path) -> None:
    no_folder = shared / "runs"
    for action in (lambda: receive(shared, no_folder), lambda: share(run, no_folder / "run.headlight")):
        with pytest.raises(UserError, match=r"cannot be written: .* is a file, expected a folder\.") as exc_info:
            action()
        assert exc_info.value.offer == "", "the window would offer to move the current run"


@pytest.mark.skipif(sys.platform != "linux", reason="a file of Linux that fails when it is read")
@pytest.mark.parametrize("unreadable", ["/proc/self/mem", f"/{'x' * 300}.headlight"])
def test_an_unreadable_file_is_reported_instead_of_the_runs_folder(tmp_path: Path, unreadable: str) -> None:
    with pytest.raises(UserError, match=f"^{unreadable}(: it cannot be read| is not a file)"):
        receive(Path(unreadable), tmp_path / "runs")
    assert list((tmp_path / "runs").iterdir()) == []


def test_a_full_disk_does_not_offer_to_move_the_current_run(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = shutil.disk_usage(tmp_path)._replace(free=10)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: full)
    with pytest.raises(
        UserError, match=r"There is no room for this run in .*: it takes .* MB, and 0\.0 MB are free\."
    ) as exc_info:
        receive(shared, tmp_path / "runs")
    assert exc_info.value.offer == "" and list((tmp_path / "runs").iterdir()) == []


def test_a_received_run_translates_without_its_plugin(run: RunFolder, shared: Path, tmp_path: Path) -> None:
    watcher = Watcher()
    with PluginHost() as host:
        session = Session(watcher, host, tmp_path / "cache")
        for _ in session.open_run(OpenRun(run=receive(shared, tmp_path / "runs"))):
            pass
        outputs = [session.questions.translate(Translate(texts=(SENTENCE,), step=step))[0] for step in (2, None)]
        assert host._process is None and watcher.all(Trouble) == []
        with pytest.raises(UserError, match="no optimizer"):
            session.learn(None)
        session.close()
    with Engine(cache_dir=tmp_path / "cache") as engine:
        answered(engine, OpenRun(run=run.path))
        for output in outputs:
            assert answered(engine, Translate(texts=(SENTENCE,), step=output.step))[0] == output
    assert [output.step for output in outputs] == [2, 4]


def test_a_setting_changed_after_the_last_step_is_received_and_taken_over_by_branches(
    run: RunFolder, tmp_path: Path
) -> None:
    own = Path(copytree(run.path, tmp_path / "runs" / "own"))
    with Engine(cache_dir=tmp_path / "cache") as engine:
        answered(engine, OpenRun(run=own))
        answered(engine, ChangeSetting(key="training.max_steps", value=9))
        answered(engine, Learn(steps=1))
        answered(engine, ChangeSetting(key="decoding.beam_size", value=3))
    share(RunFolder.open(own), tmp_path / "run.headlight")
    received = receive(tmp_path / "run.headlight", tmp_path / "runs")
    with Engine(cache_dir=tmp_path / "cache") as engine:
        opened = [answered(engine, OpenRun(run=path)).config for path in (own, received)]
        for path in (own, received):
            request = Branch(run=path, step=5, runs_dir=tmp_path / "runs", changes=(("training.batch_size", 2),))
            opened.append(answered(engine, request).config)
    assert [config.decoding.beam_size for config in opened] == [3] * 4


def test_a_branch_of_a_received_run_can_be_trained(shared: Path, tmp_path: Path) -> None:
    received = receive(shared, tmp_path / "runs")
    watcher = Watcher()
    with Engine([watcher], cache_dir=tmp_path / "cache") as engine:
        prepared = answered(engine, Branch(run=received, step=2, runs_dir=tmp_path / "runs"))
        answered(engine, Learn(steps=1))
    assert watcher.steps() == [3]
    child = RunFolder.open(run_of(prepared))
    assert (child.state.parent, child.state.is_shared) == (received.name, False)


def test_the_command_line_shares_a_run_and_translates_with_a_received_one(
    run: RunFolder, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "from here.headlight"
    assert cli.main(["export", str(run.path), "--format", "headlight", "--output", str(path)]) == 0
    received = receive(path, tmp_path / "runs")
    capfd.readouterr()
    assert cli.main(["translate", str(received), SENTENCE]) == 0
    assert capfd.readouterr().out.count("\n") == 1


@pytest.mark.parametrize("checkpoint", ["best", "last", "2"])
def test_weights_of_a_received_run_can_be_exported(shared: Path, tmp_path: Path, checkpoint: str) -> None:
    received, path = receive(shared, tmp_path / "runs"), tmp_path / "model"
    command = ["export", str(received), "--format", "safetensors", "--checkpoint", checkpoint, "--output", str(path)]
    assert cli.main(command) == 0
    folder = RunFolder.open(received)
    step = folder.checkpoint_step(checkpoint)
    kept, written = folder.read_snapshot(step), load_file(path / "snapshots" / f"{step:06d}.safetensors")
    assert written.keys() == kept.keys()
    for name, array in kept.items():
        np.testing.assert_array_equal(written[name], array)


def test_a_run_too_large_to_be_received_is_not_shared(
    run: RunFolder, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The limits are exactly the size of the run, then one file or byte less."""
    with zipfile.ZipFile(shared) as archive:
        sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
    num_bytes = max(sum(sizes.values()), shared.stat().st_size)
    snapshots = [size for name, size in sizes.items() if name.startswith("snapshots/")]
    monkeypatch.setattr(archive_module, "MAX_FILES", len(sizes))
    monkeypatch.setattr(archive_module, "MAX_BYTES", num_bytes)
    share(run, tmp_path / "whole.headlight")
    assert receive(tmp_path / "whole.headlight", tmp_path / "runs").is_dir()
    for name, most in (("MAX_FILES", len(sizes) - 1), ("MAX_BYTES", num_bytes - 1), ("MAX_BYTES", 1000)):
        path = tmp_path / "refused" / "run.headlight"
        path.parent.mkdir(exist_ok=True)
        with monkeypatch.context() as patch:
            patch.setattr(archive_module, name, most)
            assert cli.main(["export", str(run.path), "--format", "headlight", "--output", str(path)]) == 2
        errors = capfd.readouterr().err
        assert f"would hold {len(sizes)} files and {sum(sizes.values()) / 1e6:,.1f} MB" in errors
        assert f"snapshots: {len(snapshots)}, {sum(snapshots) / 1e6:,.1f} MB" in errors
        assert "training.snapshot_budget_mb" in errors and "training.probe_every" in errors
        assert list(path.parent.iterdir()) == []


def test_a_run_without_weights_cannot_be_shared(run: RunFolder, tmp_path: Path) -> None:
    empty = RunFolder.create_at(tmp_path / "empty")
    with pytest.raises(UserError, match="no weights yet"):
        share(empty, tmp_path / "x.headlight")
    assert not (tmp_path / "x.headlight").exists()
