"""The run folder: its layout, atomic writes, checksums and retention."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.config import TrainingConfig
from core.errors import UserError
from core.events import SettingChanged
from core.history import History
from core.resuming import truncate_run
from core.run_folder import VALIDATIONS_KEPT, RunFolder, default_runs_dir, find_run, list_runs
from core.user_dirs import USER_DIRS
from tests.core.examples import assert_same_probe, probe, run_folder, steps, validation, weights


def checkpoint(folder: RunFolder, step: int, best_value: float | None = None) -> None:
    folder.save_checkpoint(
        step, weights(step), {"exp_avg": weights(-step % 97)["embedding"]}, {"step": step}, best_value
    )


def test_the_layout_is_that_of_the_design(tmp_path: Path) -> None:
    folder = run_folder(tmp_path)
    folder.write_environment({"python": "3.11"})
    folder.write_vocabulary({"src": ["<pad>"]})
    folder.append_metrics(1, steps(50))
    folder.write_validation(validation(500))
    folder.write_probe(probe(50))
    folder.write_snapshot(50, weights(1))
    checkpoint(folder, 500)
    folder.log("begun")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_copy_task", folder.path.name)
    files = {str(path.relative_to(folder.path)) for path in folder.path.rglob("*") if path.is_file()}
    assert files == {
        *("config.yaml", "environment.json", "vocabulary.json", "run.json", "metrics.jsonl", "log.txt"),
        *("validations/000500.jsonl", "probes/000050.safetensors", "snapshots/000050.safetensors"),
        *(f"checkpoints/000500/{name}" for name in ("model.safetensors", "optimizer.safetensors", "state.json")),
    }
    line = json.loads((folder.path / "metrics.jsonl").read_text().split("\n")[49])
    assert list(line) == ["step", "time", "train/loss", "checksum"]
    assert line["step"] == 50
    assert set(json.loads((folder.path / "run.json").read_text())["checksums"]) == {
        *("config.yaml", "environment.json", "vocabulary.json")
    }


def test_two_runs_created_in_one_second_have_different_folders(tmp_path: Path) -> None:
    paths = {run_folder(tmp_path).path for _ in range(5)}
    assert len(paths) == 5
    assert sorted(paths) == list_runs(tmp_path)


def test_everything_written_is_read_back(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, "ein Name: mit/allem?".replace("/", " "))
    folder.write_environment({"device": "cpu"})
    folder.write_vocabulary({"tokens": ["ä", "∫"]})
    losses = {"time": np.arange(3.0), "train/loss": np.array([2.0, np.nan, 0.1])}
    folder.append_metrics(1, losses)
    folder.append_setting(SettingChanged(step=2, key="training.label_smoothing", value=0.2))
    folder.write_validation(validation(2))
    folder.write_probe(probe(2))
    folder.write_snapshot(2, weights(2))
    checkpoint(folder, 2, best_value=1.5)

    reopened = RunFolder.open(folder.path)
    assert reopened.config() == folder.config()
    assert reopened.environment() == {"device": "cpu"}
    assert reopened.vocabulary() == {"tokens": ["ä", "∫"]}
    read_steps, arrays = reopened.metrics()
    assert read_steps.tolist() == [1, 2, 3]
    np.testing.assert_array_equal(arrays["train/loss"], losses["train/loss"])
    assert reopened.settings_changed() == [SettingChanged(step=2, key="training.label_smoothing", value=0.2)]
    assert reopened.validated_sentences(2) == validation(2).sentences
    assert [line["is_best"] for line in reopened.metrics_file.read().validations] == [True]
    assert reopened.validation_metrics() == {2: validation(2).metrics}
    assert_same_probe(reopened.probe(2), probe(2))
    np.testing.assert_array_equal(reopened.read_snapshot(2)["embedding"], weights(2)["embedding"])
    read = reopened.checkpoint(2)
    np.testing.assert_array_equal(read.model["embedding"], weights(2)["embedding"])
    assert (read.step, read.state["step"]) == (2, 2)
    assert (reopened.state.last_step, reopened.state.best_step, reopened.state.best_value) == (2, 2, 1.5)


def test_the_config_of_a_step_has_what_was_changed_before_it(tmp_path: Path) -> None:
    folder = run_folder(tmp_path)
    for step, value in ((2, 0.3), (5, 0.4)):
        folder.append_setting(SettingChanged(step=step, key="training.label_smoothing", value=value))
    assert [folder.config_at(step).training.label_smoothing for step in (2, 3, 5, 6)] == [0.1, 0.3, 0.3, 0.4]
    assert folder.config().training.label_smoothing == 0.1
    assert folder.latest_config().training.label_smoothing == 0.4


def test_weights_are_kept_with_what_was_changed_before_them(tmp_path: Path) -> None:
    """A snapshot comes before the changes of its step; a checkpoint knows which it has; a shared run ends with all."""
    folder = run_folder(tmp_path)
    for step in (2, 4):
        folder.write_snapshot(step, weights(step))
        for value in (0.3, 0.2):
            folder.append_setting(SettingChanged(step=step, key="training.label_smoothing", value=value))
    smoothing = {step: [one.value for one in folder.changes_kept_with(step)] for step in (2, 3, 4)}
    assert smoothing == {2: [], 3: [0.3, 0.2], 4: [0.3, 0.2]}
    folder.update(is_shared=True, last_step=4)
    assert [len(folder.changes_kept_with(step)) for step in (2, 4)] == [0, 4]
    folder.save_checkpoint(2, weights(2), {}, {"changes": [[2, "training.label_smoothing", 0.3]]})
    assert [one.value for one in folder.changes_kept_with(2)] == [0.3]


def flip(path: Path, position: int) -> None:
    data = bytearray(path.read_bytes())
    data[position] ^= 1
    path.write_bytes(data)


CHECKED_FILES = (
    *("probes/000002.safetensors", "snapshots/000002.safetensors", "validations/000002.jsonl", "metrics.jsonl"),
    *("checkpoints/000002/model.safetensors", "checkpoints/000002/optimizer.safetensors"),
    *("checkpoints/000002/state.json", "vocabulary.json", "config.yaml"),
)


@pytest.mark.parametrize("name", CHECKED_FILES)
@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.95])
def test_one_flipped_bit_is_detected_and_the_file_named(tmp_path: Path, name: str, share: float) -> None:
    folder = run_folder(tmp_path)
    folder.write_vocabulary({"tokens": ["a", "b"]})
    folder.append_metrics(1, steps(2))
    folder.write_probe(probe(2))
    folder.write_snapshot(2, weights(2))
    folder.write_validation(validation(2))
    checkpoint(folder, 2)
    folder.release("stopped")
    size = (folder.path / name).stat().st_size
    flip(folder.path / name, int(share * size))
    with pytest.raises(UserError, match=re.escape(name)):
        read_everything(folder.path)


def read_everything(path: Path) -> None:
    folder = RunFolder.open(path)
    folder.probe(2), folder.read_snapshot(2), folder.checkpoint(2), folder.vocabulary()
    folder.metrics_file.read(), folder.validated_sentences(2)


@pytest.mark.parametrize("num_cut", [1, 20, 60])
def test_a_run_with_an_incomplete_last_line_can_be_opened(tmp_path: Path, num_cut: int) -> None:
    folder = run_folder(tmp_path)
    folder.append_metrics(1, steps(10))
    path = folder.path / "metrics.jsonl"
    path.write_bytes(path.read_bytes()[:-num_cut])
    assert RunFolder.open(folder.path).metrics()[0].tolist() == list(range(1, 10))
    truncate_run(folder, 9)
    folder.append_metrics(10, steps(1))
    assert folder.metrics()[0].tolist() == list(range(1, 11))


def test_metrics_that_end_before_the_newest_checkpoint_are_reported(tmp_path: Path) -> None:
    folder = run_folder(tmp_path)
    folder.append_metrics(1, steps(10))
    checkpoint(folder, 10)
    path = folder.path / "metrics.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:9]))  # the last line may always be torn
    assert len(folder.metrics()[0]) == 9
    path.write_bytes(b"".join(lines[:8]))
    with pytest.raises(UserError, match=r"metrics\.jsonl: the file is cut off"):
        folder.metrics()


def test_sentences_of_many_validations_are_thinned_and_their_metrics_kept(tmp_path: Path) -> None:
    folder = run_folder(tmp_path)
    validated = range(1, VALIDATIONS_KEPT + 61)
    for step in validated:
        folder.write_validation(validation(step))
        if step == 98:
            checkpoint(folder, step, best_value=1.0)
    kept = folder.validation_steps()
    assert len(kept) in (VALIDATIONS_KEPT, VALIDATIONS_KEPT + 1)
    assert kept[0] == 1 and kept[-1] == validated[-1] and 98 in kept
    assert list(folder.validation_metrics()) == list(validated)


def test_the_best_checkpoint_is_kept_besides_the_newest(tmp_path: Path) -> None:
    folder = run_folder(tmp_path)
    folder.use_settings(TrainingConfig(keep_checkpoints=2))
    for step in range(1, 8):
        checkpoint(folder, step, best_value=1.0 if step == 2 else None)
    assert folder.checkpoint_steps() == [2, 5, 6, 7]
    assert folder.checkpoint_step("best") == 2
    assert folder.checkpoint_step("last") == folder.checkpoint_step("7") == folder.checkpoint_step("000007") == 7
    for which in ("3", "7.0", "first", "9" * 5000):
        with pytest.raises(UserError, match=f"no checkpoint '{which}'"):
            folder.checkpoint_step(which)


def test_before_any_validation_the_last_checkpoint_counts_as_the_best(tmp_path: Path) -> None:
    folder = run_folder(tmp_path)
    for step in (1, 2):
        checkpoint(folder, step)
    assert folder.checkpoint_step("best") == 2


def test_moving_a_run_while_it_saves_a_checkpoint_raises_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, update = run_folder(tmp_path), RunFolder.update

    def update_and_take_away(self: RunFolder, **changes: Any) -> None:
        update(self, **changes)
        folder.path.rename(tmp_path / "elsewhere")

    monkeypatch.setattr(RunFolder, "update", update_and_take_away)
    checkpoint(folder, 5)
    assert RunFolder.open(tmp_path / "elsewhere").checkpoint(5).step == 5
    with pytest.raises(FileNotFoundError):  # the next write fails, and the engine reports it
        folder.save_checkpoint(6, weights(6), {}, {"step": 6})


def test_a_checkpoint_can_be_written_again(tmp_path: Path) -> None:
    folder = run_folder(tmp_path)
    checkpoint(folder, 5)
    folder.save_checkpoint(5, weights(6), {}, {"step": 5, "again": True})
    assert folder.checkpoint(5).state["again"]
    assert [path.name for path in (folder.path / "checkpoints").iterdir()] == ["000005"]


def test_a_checkpoint_is_readable_while_it_is_being_replaced(tmp_path: Path) -> None:
    folder = run_folder(tmp_path)
    checkpoint(folder, 4)
    checkpoint(folder, 5)
    path = folder.path / "checkpoints" / "000005"
    path.rename(path.with_name("000005.old"))  # a process killed here has not renamed the new checkpoint yet
    killed = RunFolder.open(folder.path)
    assert killed.checkpoint_step("last") == 5
    np.testing.assert_array_equal(killed.checkpoint(5).model["embedding"], weights(5)["embedding"])
    np.testing.assert_array_equal(killed.weights(5)["embedding"], weights(5)["embedding"])


def test_snapshots_stay_within_their_budget(tmp_path: Path) -> None:
    folder = run_folder(tmp_path)
    folder.write_snapshot(0, weights(0, 5))
    size = (folder.path / "snapshots" / "000000.safetensors").stat().st_size
    folder.use_settings(TrainingConfig(snapshot_budget_mb=6.5 * size / 1e6))
    for step in (0, 1, 2, 3, 5, 8, 13, 21, 34, 44, 54, 64, 74, 84):
        folder.write_snapshot(step, weights(step, 5))
    kept = folder.snapshot_steps()
    assert len(kept) == 6
    assert (kept[0], kept[-1]) == (0, 84)
    folder.use_settings(TrainingConfig(snapshot_budget_mb=0.0))
    folder.write_snapshot(94, weights(94, 5))
    assert folder.snapshot_steps() == []


def test_opening_what_is_not_a_run_says_why(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    incomplete = run_folder(tmp_path).path
    (incomplete / "run.json").unlink()
    for path, why in (("file", "it is a file"), ("folder", "it has no run.json"), ("none", "no such folder")):
        with pytest.raises(UserError, match=f"{path} is not a run: .*{why}"):
            RunFolder.open(tmp_path / path)
    (tmp_path / "shared.headlight").write_text("x")
    with pytest.raises(UserError, match=r"it is a file\. A run shared as one file is opened by dropping it"):
        find_run("shared.headlight", tmp_path)
    for text in ("nothing", "a name that is too long " * 100, "~nobody of this name/run"):
        with pytest.raises(UserError, match=f"^{text}: there is no such run"):
            find_run(text, tmp_path)
    with pytest.raises(UserError, match=r"has no run.json"):
        find_run(incomplete.name, tmp_path)
    with pytest.raises(UserError, match="cannot be written: it is a file, expected a folder"):
        RunFolder.create(tmp_path / "file", "x")
    with pytest.raises(UserError, match="is not empty"):
        RunFolder.create_at(incomplete)


@pytest.mark.parametrize("text", ["", "[]", "{}[", '{"format": 0}', '{"colour": 1}', '{"state": "x"}', "[" * 20_000])
def test_an_invalid_run_json_is_reported(tmp_path: Path, text: str) -> None:
    folder = run_folder(tmp_path)
    (folder.path / "run.json").write_text(text)
    with pytest.raises(UserError, match=r"run\.json: the file is damaged"):
        RunFolder.open(folder.path)


def test_a_run_is_found_by_path_or_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = run_folder(tmp_path)
    assert find_run(str(folder.path), Path("elsewhere")) == find_run(folder.path.name, tmp_path) == folder.path
    monkeypatch.setenv("HEADLIGHT_RUNS_DIR", str(tmp_path))
    assert default_runs_dir() == tmp_path


def test_runs_are_kept_in_the_users_data_folder_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """In any other place, a later version would not find them."""
    monkeypatch.delenv("HEADLIGHT_RUNS_DIR")
    assert default_runs_dir() == USER_DIRS.user_data_path / "runs"


def test_a_folder_in_the_working_directory_does_not_hide_a_run_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, here = run_folder(tmp_path / "runs").path, tmp_path / "here"
    (here / run.name).mkdir(parents=True)
    monkeypatch.chdir(here)
    assert find_run(run.name, tmp_path / "runs") == find_run(run.name, tmp_path / "runs", or_remains=True) == run
    for path in (f"./{run.name}", f"{run.name}/"):  # a path means the folder here
        with pytest.raises(UserError, match=f"^{run.name} is not a run: it has no run.json"):
            find_run(path, tmp_path / "runs")
    (run / "config.yaml").unlink()
    with pytest.raises(UserError, match=f"^{run.name} is not a run: it has no run.json"):
        find_run(run.name, tmp_path / "runs")


WRITE_UNTIL_KILLED = """
import os, sys
from pathlib import Path
from core.config import TrainingConfig
from tests.core.examples import run_folder, weights, probe, steps
def write():
    folder = run_folder(Path(sys.argv[1]))
    folder.use_settings(TrainingConfig(keep_checkpoints=1))
    folder.save_checkpoint(0, weights(0, 400), {}, {"step": 0})
    print(os.getpid(), folder.path, flush=True)
    for step in range(1, 1_000_000):
        folder.save_checkpoint(step - step % 2, weights(step, 400), {}, {"step": step})
        folder.append_metrics(step, steps(1))
        folder.write_probe(probe(step % 3))

for _ in range(int(sys.argv[2])):
    if (child := os.fork()) == 0:  # imports nothing again
        write()
    os.waitpid(child, 0)
    print("gone", flush=True)
"""


def test_a_killed_process_leaves_an_intact_checkpoint_and_an_unclaimed_run(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITE_UNTIL_KILLED, str(tmp_path), "6"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for number in range(6):
            pid, path = process.stdout.readline().rstrip("\n").split(" ", 1)
            with pytest.raises(UserError, match=f"written by process {pid}"):
                RunFolder.open(Path(path)).claim()
            time.sleep(0.1 + 0.037 * number)
            os.kill(int(pid), signal.SIGKILL)
            assert process.stdout.readline() == "gone\n"
            folder = RunFolder.open(Path(path))
            folder.claim()
            last = folder.checkpoint(folder.checkpoint_steps()[-1])
            np.testing.assert_array_equal(last.model["embedding"], weights(last.state["step"], 400)["embedding"])
            truncate_run(folder, last.step)
            assert all(folder.probe(step).step == step for step in folder.probe_steps())
            assert not list(folder.path.rglob("*.tmp")) and not list(folder.path.rglob("*.old"))


WRITE_TO_FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from tests.core.examples import run_folder, weights, steps
folder = run_folder(Path(sys.argv[1]))
folder.save_checkpoint(1, weights(1, 20), {}, {"step": 1})
folder.append_metrics(1, steps(20))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
for write in (lambda: folder.save_checkpoint(2, weights(2, 200), {}, {"step": 2}),
              lambda: folder.append_metrics(21, steps(40))):
    try:
        write()
    except OSError as error:
        print("refused", error.errno)
print(folder.path)
"""


def test_a_write_to_a_full_disk_changes_nothing(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-c", WRITE_TO_FULL_DISK, tmp_path], capture_output=True, text=True, check=True
    )
    *failures, path = result.stdout.split("\n")[:-1]
    assert len(failures) == 2
    folder = RunFolder.open(Path(path))
    assert folder.checkpoint_steps() == [1]
    assert folder.metrics()[0].tolist() == list(range(1, 21))


def test_a_run_without_its_empty_folders_can_be_resumed(tmp_path: Path) -> None:
    made = run_folder(tmp_path)
    made.release("stopped")
    path = made.path
    for name in ("validations", "probes", "snapshots", "checkpoints"):
        (path / name).rmdir()
    folder = RunFolder.open(path)
    assert History.read(folder).probes.steps == []
    folder.claim()
    folder.write_snapshot(0, {"weight": np.zeros(2, np.float32)})
    assert folder.snapshot_steps() == [0]


def test_nothing_is_written_into_a_run_that_has_taken_the_folders_place(tmp_path: Path) -> None:
    folder, other = run_folder(tmp_path), run_folder(tmp_path, "other")
    folder.path.rename(tmp_path / "aside")
    other.path.rename(folder.path)
    before = {path: path.read_bytes() for path in folder.path.rglob("*") if path.is_file()}
    for write in (
        lambda: folder.append_metrics(1, steps(2)),
        lambda: folder.save_checkpoint(2, weights(0), weights(0), {}),
        lambda: folder.update(state="paused"),
        lambda: folder.write_environment({}),
        lambda: folder.log("a line"),
        lambda: folder.write_probe(probe(2)),
        lambda: folder.write_snapshot(2, weights(0)),
        lambda: folder.write_validation(validation(2)),
    ):
        with pytest.raises(OSError, match="another run has taken its place"):
            write()
    assert {path: path.read_bytes() for path in folder.path.rglob("*") if path.is_file()} == before
