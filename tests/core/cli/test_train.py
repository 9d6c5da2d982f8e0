"""`train`: its messages about left-out pairs and finished runs, its errors, and the commands it suggests."""

from __future__ import annotations

import errno
import json
import os
import shlex
import shutil
import signal
import socket
import sys
import threading
from itertools import product
from pathlib import Path
from subprocess import CompletedProcess

import pytest
import torch

from core.config import RunConfig, config_to_yaml
from core.errors import RunNotWritable
from core.plugins_host.errors import NOT_FOUND_ADVICE
from core.run_files.runs_dir import require_disk_space
from core.run_folder import RunFolder
from core.serving import new_folder
from core.training.loss import Loss
from core.training.passes.training import TrainingPass
from core.training.trainer import Trainer
from tests.core.watcher import tiny_config
from tests.full_disk import no_file_beyond
from tests.in_process import run_headlight
from tests.reliability.privileges import unprivileged

MINE_PLUGIN = """
from core.plugin import DatasetPlugin, Options, Pair, split_of

class Mine(DatasetPlugin[Options]):
    name = "mine"
    title = "My numbers"

    def pairs(self, split, rng):
        yield from (Pair(text, text) for text in map(str, range(200)) if split_of(text) == split)

PLUGIN = Mine
"""


def train(workspace: Path, runs_dir: Path, *overrides: str, options: tuple[str, ...] = ()) -> CompletedProcess[str]:
    """Train two steps on the workspace's corpus, with the config of its run."""
    settings = [word for override in ("training.max_steps=2", *overrides) for word in ("--set", override)]
    config = RunFolder.open(workspace / "run").path / "config.yaml"
    result = run_headlight("train", config, "--runs-dir", runs_dir, *settings, *options, cwd=runs_dir)
    assert result.returncode == 0, result.stderr
    return result


def test_the_number_of_overlong_pairs_is_printed_for_each_split(workspace: Path, tmp_path: Path) -> None:
    lines = train(workspace, tmp_path).stderr.splitlines()
    assert [line for line in lines if "left out" in line] == [
        "left out, longer than dataset.max_src_length = 4 or dataset.max_tgt_length = 3: "
        "1 of 5 valid pairs, 1 of 5 test pairs"
    ]
    assert (
        "left out"
        not in train(workspace, tmp_path, "dataset.max_src_length=auto", "dataset.max_tgt_length=auto").stderr
    )


def test_json_has_the_number_of_overlong_pairs(workspace: Path, tmp_path: Path) -> None:
    events = map(json.loads, train(workspace, tmp_path, options=("--json",)).stdout.splitlines())
    (prepared,) = (event for event in events if event["event"] == "prepared")
    assert prepared["left_out"] == {"train": 0, "valid": 1, "test": 1}


def test_how_a_run_ended_is_printed_on_standard_output(workspace: Path, tmp_path: Path) -> None:
    run, reason, step, *metrics = train(workspace, tmp_path).stdout.splitlines()
    assert Path(run.removeprefix("run ")).parent == tmp_path and RunFolder.open(Path(run.removeprefix("run ")))
    assert (reason, step) == ("reason max_steps", "step 2")
    assert {"train/loss", "valid/loss"} <= {line.split()[0] for line in metrics}


def test_stopping_early_is_success(workspace: Path, tmp_path: Path) -> None:
    settings = ("training.max_steps=9", "training.validate_every=1", "training.early_stopping.patience=2")
    never_better = ("training.optimizer.learning_rate=1e-30", "training.best_metric=valid/exact_match")
    result = train(workspace, tmp_path, *settings, *never_better)
    assert result.stdout.splitlines()[1:3] == ["reason early_stopping", "step 3"]
    assert "headlight: " not in result.stderr


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="only Linux has /proc")
def test_a_folder_that_cannot_be_made_is_not_reported_as_a_full_disk(workspace: Path) -> None:
    result = run_headlight("train", workspace / "run" / "config.yaml", "--runs-dir", "/proc/none/runs", cwd=workspace)
    assert result.returncode == 2
    (why,) = (line for line in result.stderr.splitlines() if line.startswith("headlight: "))
    assert why.startswith("headlight: /proc/none/runs cannot be written: ") and "Choose another folder" in why


def test_free_space_is_measured_on_the_disk_of_a_folder_not_made_yet(tmp_path: Path) -> None:
    with pytest.raises(RunNotWritable, match=r"There is no room for this run in .*: three checkpoints take 1,000,000,"):
        require_disk_space(tmp_path / "none" / "yet", 10**18)


def test_no_run_begins_on_a_drive_that_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: Path) -> bool:
        raise OSError(errno.EIO, "Input/output error", str(path))

    monkeypatch.setattr("core.run_files.runs_dir.exists", fail)
    with pytest.raises(RunNotWritable, match=r"cannot be written: Input/output error\. Choose another folder"):
        require_disk_space(tmp_path, 1)


def test_a_run_dir_without_room_names_its_own_option(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(new_folder, "NUM_CHECKPOINTS", 10**15)
    result = run_headlight("train", workspace / "run" / "config.yaml", "--run-dir", tmp_path / "run", cwd=tmp_path)
    assert (result.returncode, (tmp_path / "run").exists()) == (2, False)
    assert "There is no room for this run in" in result.stderr
    assert "choose another folder (--run-dir in a terminal)" in result.stderr


TIED = ("model.tie_embeddings=all",)


def test_two_vocabularies_of_one_size_are_not_tied(tmp_path: Path) -> None:
    sources = map(" ".join, product("ab", repeat=6))
    (tmp_path / "pairs.tsv").write_text("".join(f"{text}\t{text.upper()}\n" for text in sources))
    config = tmp_path / "two.yaml"
    config.write_text(f"dataset: {{plugin: parallel_text, options: {{folder: {tmp_path}, train_source: pairs.tsv}}}}\n")
    settings = [word for override in ("training.max_steps=1", *TIED) for word in ("--set", override)]
    result = run_headlight("train", config, "--run-dir", "run", *settings, cwd=tmp_path)
    assert (result.returncode, result.stdout, (tmp_path / "run").exists()) == (2, "", False)
    assert "needs one vocabulary for source and target; here there are two, of 6 and 6 tokens." in result.stderr
    assert "dataset.tokenizer.shared: true, or model.tie_embeddings: decoder" in result.stderr


def test_equal_vocabularies_that_are_not_shared_are_tied(workspace: Path, tmp_path: Path) -> None:
    train(workspace, tmp_path, *TIED)


@pytest.mark.parametrize(
    ("batch", "words"),
    [
        (
            "batch_tokens=3",
            ("The longest sentence is a whole batch: lower dataset.max_src_length", "sentence is too long"),
        ),
        ("batch_tokens=99", ("Lower training.batch_tokens", "smaller batches: ")),
    ],
)
def test_shorter_sentences_are_advised_if_one_is_too_much_for_memory(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch: str, words: tuple[str, str]
) -> None:
    def run_out(*_: object) -> Loss:
        raise torch.OutOfMemoryError

    monkeypatch.setattr(TrainingPass, "write_gradients", run_out)
    config = workspace / "run" / "config.yaml"
    batches = ("--set", "training.batch_size=null", "--set", f"training.{batch}")
    ended = run_headlight("train", config, "--run-dir", tmp_path / "run", *batches, cwd=tmp_path)
    assert ended.returncode == 3
    for part in words:
        assert part in ended.stderr


def test_the_command_for_smaller_batches_keeps_changed_settings_and_the_runs_folder(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_out(*_: object) -> Loss:
        raise torch.OutOfMemoryError

    monkeypatch.setattr(TrainingPass, "write_gradients", run_out)
    run = shutil.copytree(workspace / "run", tmp_path / "run")
    changes = ("--set", "training.optimizer.learning_rate=1e-05", "--set", "training.max_steps=30")
    ended = run_headlight("train", "--resume", run, *changes, "--runs-dir", tmp_path, cwd=workspace)
    _, _, command = ended.stderr.partition("Start a run with smaller batches: ")
    smaller = ("--set", "training.batch_size=4", "--set", "training.accumulate_steps=2")
    assert shlex.split(command) == [
        "headlight", "train", str(run / "config.yaml"), "--runs-dir", str(tmp_path), *changes, *smaller
    ]  # fmt: skip


def test_a_finished_run_is_not_validated_again(workspace: Path, tmp_path: Path) -> None:
    run = shutil.copytree(workspace / "run", tmp_path / "run")
    kept = (run / "metrics.jsonl").read_bytes()
    printed = run_headlight("train", "--resume", run, cwd=workspace).stdout.splitlines()
    assert (run / "metrics.jsonl").read_bytes() == kept
    metrics = RunFolder.open(run).validation_metrics()[20]
    assert [f"{name} {value:.6g}" for name, value in metrics.items()] == [
        line for line in printed if line.startswith("valid/")
    ]


@pytest.mark.parametrize(("change", "max_steps"), [((), 20), (("--set", "training.max_steps=10"), 10)])
def test_a_finished_run_says_so_and_how_to_continue_it(
    workspace: Path, tmp_path: Path, change: tuple[str, ...], max_steps: int
) -> None:
    run = shutil.copytree(workspace / "run", tmp_path / "run")
    ended = run_headlight("train", "--resume", run, *change, "--json", cwd=tmp_path)
    events = [json.loads(line) for line in ended.stdout.splitlines()]
    assert ended.returncode == 0 and events[-1]["reason"] == "max_steps"
    assert (
        f"nothing is left to train: the run is at step 20, and training.max_steps is {max_steps}. To continue, set it "
        "higher: --set training.max_steps=N"
    ) in ended.stderr.splitlines()
    changed = [(event["key"], event["value"]) for event in events if event["event"] == "setting_changed"]
    assert changed == [("training.max_steps", max_steps)] * bool(change)
    result = run_headlight("train", "--resume", run, "--set", "training.max_steps=21", cwd=tmp_path)
    assert "step 21" in result.stdout.splitlines() and "nothing is left" not in result.stderr


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("training.max_step=30", "headlight: training.max_step: unknown key; did you mean max_steps?"),
        ("training.batch_size=4", "headlight: --set training.batch_size: this cannot change within a run."),
    ],
)
def test_a_setting_that_cannot_change_is_distinguished_from_one_that_does_not_exist(
    workspace: Path, tmp_path: Path, change: str, sentence: str
) -> None:
    result = run_headlight("train", "--resume", workspace / "run", "--set", change, cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "") and result.stderr.startswith(sentence)


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX resource limits")
@pytest.mark.parametrize("num_bytes", [0, 410, 1000])  # no room for run.json, for a claimed one, for config.yaml
def test_a_full_run_dir_names_its_own_option(workspace: Path, tmp_path: Path, num_bytes: int) -> None:
    train(workspace, tmp_path)  # prepares the data, which have their own place
    mine = tmp_path / "mine"
    mine.mkdir()
    for run_dir in (tmp_path / "run", mine):
        with no_file_beyond(num_bytes):
            result = run_headlight("train", workspace / "run" / "config.yaml", "--run-dir", run_dir, cwd=tmp_path)
        assert result.returncode == 2
        why = f"headlight: {run_dir} cannot be written: File too large. "
        assert result.stderr.splitlines()[-1] == f"{why}Choose another folder (--run-dir in a terminal)."
    assert not (tmp_path / "run").exists(), "the same command would be refused: the folder is not empty"
    assert list(mine.iterdir()) == [], "one that was there stays"


def test_a_folder_that_is_not_empty_is_refused_before_data_are_prepared(workspace: Path, missing_file: Path) -> None:
    result = run_headlight("train", "run/config.yaml", "--run-dir", "run", cwd=workspace)
    why = "headlight: run is not empty. Name a new folder, or continue the run in it with --resume.\n"
    assert (result.returncode, result.stderr) == (2, why)


@pytest.mark.parametrize("option", ["--run-dir", "--runs-dir", "--tensorboard"])
@pytest.mark.parametrize(("place", "what"), [("taken", "it is"), ("taken/sub", "{}/taken is")])
def test_a_file_in_place_of_a_folder_is_named_before_data_are_prepared(
    option: str, place: str, what: str, workspace: Path, tmp_path: Path, missing_file: Path
) -> None:
    (tmp_path / "taken").touch()
    result = run_headlight("train", workspace / "run" / "config.yaml", option, tmp_path / place, cwd=tmp_path)
    why = f"{tmp_path / place} cannot be written: {what.format(tmp_path)} a file, expected a folder."
    assert result.stderr == f"headlight: {why} Choose another folder ({option} in a terminal).\n"


@pytest.mark.parametrize("place", [("--run-dir", "run/checkpoints/new"), ("--runs-dir", "run")])
def test_a_run_within_a_run_is_refused(workspace: Path, place: tuple[str, str]) -> None:
    """It would be deleted with the other, which could not be deleted for it in a terminal."""
    result = run_headlight("train", "run/config.yaml", *place, cwd=workspace)
    where = f"lies in the folder of a run, {workspace / 'run'}. Choose a place outside of it.\n"
    assert result.returncode == 2 and result.stderr.endswith(where), result.stderr


def test_a_run_that_is_being_written_is_refused_before_its_data_are_prepared(
    workspace: Path, tmp_path: Path, missing_file: Path
) -> None:
    run = shutil.copytree(workspace / "run", tmp_path / "run")
    RunFolder.open(run).update(pid=os.getppid(), host=socket.gethostname())
    result = run_headlight("train", "--resume", run, cwd=tmp_path)
    assert result.returncode == 2
    assert result.stderr.startswith(f"headlight: {run} is being written by process {os.getppid()}. Follow it in the ")


@pytest.mark.skipif(sys.platform != "linux", reason="there, root's privileges cannot be dropped for a moment")
@pytest.mark.parametrize("name", ["metrics.jsonl", "checkpoints"])
def test_a_run_with_a_write_protected_part_is_refused_and_left_as_it_was(
    name: str, workspace: Path, tmp_path: Path
) -> None:
    run = shutil.copytree(workspace / "run", tmp_path / "run")
    (run / name).chmod(0o555)
    found = RunFolder.open(run).state
    with unprivileged():
        result = run_headlight("train", "--resume", run, "--set", "training.max_steps=22", cwd=tmp_path)
    assert result.returncode == 2
    assert f"headlight: {run / name} cannot be written: Permission denied. Fix that" in result.stderr
    assert RunFolder.open(run).state == found


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="only Linux has /proc")
def test_a_refusal_is_one_line_even_if_prepared_data_cannot_be_kept(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    command = ("train", workspace / "run" / "config.yaml", "--json", "--run-dir")
    result = run_headlight(*command, "/proc/none/run", cwd=tmp_path)
    (line,) = result.stderr.splitlines()
    assert result.returncode == 2 and "/proc/none/run cannot be written: No such file or directory." in line
    message = "Prepared data cannot be kept in "
    assert message in result.stdout, "the event must be printed before the refusal"
    trained = run_headlight(*command, tmp_path / "run", cwd=tmp_path)
    assert trained.returncode == 0 and trained.stderr.startswith(message)


@pytest.fixture
def run_of_mine(tmp_path: Path) -> Path:
    """A run with a plugin in a folder that Headlight does not search by default."""
    (tmp_path / "my plugins").mkdir()
    (tmp_path / "my plugins" / "mine.py").write_text(MINE_PLUGIN, encoding="utf-8")
    config = RunConfig.model_validate(tiny_config(max_steps=2).model_dump() | {"dataset": {"plugin": "mine"}})
    (tmp_path / "mine.yaml").write_text(config_to_yaml(config), encoding="utf-8")
    trained = run_headlight("train", "mine.yaml", "--run-dir", "run", "--plugins-dir", "my plugins", cwd=tmp_path)
    assert trained.returncode == 0, trained.stderr
    return tmp_path / "run"


def test_the_command_to_resume_names_the_folders_of_plugins_and_event_files(
    run_of_mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("--set", "training.max_steps=3", "--plugins-dir", "my plugins", "--tensorboard", "tb")
    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "has_diverged", True)
        stopped = run_headlight("train", "--resume", run_of_mine, *options, cwd=tmp_path)
    assert stopped.returncode == 3
    _, verb, *arguments = shlex.split(stopped.stderr.splitlines()[-1].partition("Continue with: ")[2])
    assert "--tensorboard tb" in " ".join(arguments)
    resumed = run_headlight(verb, *arguments, cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    assert "step 3" in resumed.stdout.splitlines(), "the suggested command must keep max_steps"


def test_a_plugin_that_fails_during_a_run_ends_it_with_code_3_and_its_checkpoint_named(tmp_path: Path) -> None:
    fails = "\n    def metrics(self, pairs, hypotheses):\n        return {'right': 1 / 0}\n\nPLUGIN"
    (tmp_path / "mine.py").write_text(MINE_PLUGIN.replace("\nPLUGIN", fails), encoding="utf-8")
    config = tiny_config(validate_every=4, checkpoint_every=3).model_dump() | {"dataset": {"plugin": "mine"}}
    (tmp_path / "mine.yaml").write_text(config_to_yaml(RunConfig.model_validate(config)), encoding="utf-8")
    command = ("train", "mine.yaml", "--run-dir", "run", "--plugins-dir", ".", "--json")
    stopped = run_headlight(*command, cwd=tmp_path)
    *_, end = map(json.loads, stopped.stdout.splitlines())
    assert (stopped.returncode, end["event"], end["reason"]) == (3, "run_finished", "plugin")
    run = tmp_path / "run"
    (why,) = (line for line in stopped.stderr.splitlines() if line.startswith("headlight: "))
    assert why.startswith(f"headlight: stopped at step 4 (plugin); saved: {run / 'checkpoints' / '000004'}. Continue ")
    assert "ZeroDivisionError" in stopped.stderr and "Traceback" not in stopped.stderr


def test_a_run_that_could_not_be_written_at_its_first_step_can_be_deleted(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(RunFolder, "write_probe", full)
    monkeypatch.setattr(RunFolder, "save_checkpoint", full)
    stopped = run_headlight("train", workspace / "run" / "config.yaml", "--run-dir", "run", cwd=tmp_path)
    assert stopped.returncode == 3
    expected = f"no checkpoint was saved before that in {tmp_path / 'run'}, which can be deleted. Start a new run.\n"
    assert stopped.stderr.endswith(f"stopped at step 0 (disk); {expected}")


def test_a_run_that_diverged_before_any_checkpoint_prints_the_command_for_a_new_one(
    workspace: Path, tmp_path: Path
) -> None:
    diverging = ["training.optimizer={name: sgd, learning_rate: 100}", "training.max_grad_norm=null"]
    diverging += ["training.schedule={name: constant, warmup_steps: 0}"]
    diverging += ["training.checkpoint_every=1", "training.keep_checkpoints=0"]
    settings = [word for setting in diverging for word in ("--set", setting)]
    stopped = run_headlight(
        "train", workspace / "run" / "config.yaml", "--run-dir", tmp_path / "run", *settings, cwd=tmp_path
    )
    assert stopped.returncode == 3
    printed = stopped.stderr.splitlines()[-1].partition(" (diverged); no checkpoint from before it diverged is kept ")[
        2
    ]
    _, verb, *arguments = shlex.split(printed.partition("Start a new run with: ")[2])
    assert arguments == [str(tmp_path / "run" / "config.yaml"), "--set", "training.optimizer.learning_rate=10"]
    lower_rate = ("--set", "training.optimizer.learning_rate=0.001", "--runs-dir", tmp_path)
    restarted = run_headlight(verb, *arguments, *lower_rate, cwd=tmp_path)
    assert restarted.returncode == 0, restarted.stderr


def test_an_error_found_while_preparing_names_the_line_of_the_setting(tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text("dataset:\n  plugin: copy_task\n  options: {}\ntraining:\n  device: cuda:97\n")
    result = run_headlight("train", "run.yaml", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.endswith(
        "headlight: run.yaml, line 5: training.device: cuda:97 does not exist on this machine. Use auto or cpu.\n"
    )
    (tmp_path / "run.yaml").write_text("dataset:\n  plugin: copy_task\n  options:\n    num_symbols: many\n")
    result = run_headlight("train", "run.yaml", cwd=tmp_path)
    assert result.stderr.startswith("headlight: run.yaml, line 4: dataset.options.num_symbols: expected a whole number")


@pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes")
@pytest.mark.parametrize("options", [(), ("--seeds", "0,1")])
def test_settings_from_a_pipe_are_read_once(tmp_path: Path, options: tuple[str, ...]) -> None:
    os.mkfifo(tmp_path / "pipe")
    text = "dataset:\n  plugin: copy_task\n  options: {num_symbols: many}\n"
    writing = threading.Thread(target=(tmp_path / "pipe").write_text, args=(text,))
    writing.start()
    result = run_headlight("train", "pipe", *options, cwd=tmp_path)
    writing.join()
    assert result.stderr.startswith("headlight: pipe, line 3: dataset.options.num_symbols: expected a whole number")


def test_curves_for_tensorboard_do_not_go_into_a_run(run_of_mine: Path, tmp_path: Path) -> None:
    result = run_headlight("train", "--resume", run_of_mine, "--tensorboard", run_of_mine / "tb", cwd=tmp_path)
    assert result.returncode == 2 and "lies in the folder of a run" in result.stderr
    beside = ("--resume", run_of_mine), ("copy_task", "--run-dir", run_of_mine.with_name("new"))
    for arguments in (*beside, ("copy_task", "--runs-dir", run_of_mine.parent)):
        result = run_headlight("train", *arguments, "--tensorboard", run_of_mine.parent, cwd=tmp_path)
        assert result.returncode == 2 and "the run's folder lies there" in result.stderr


@pytest.mark.parametrize("verb", [("evaluate",), ("train", "--resume")])
def test_a_run_whose_plugin_is_not_found_says_how_to_name_its_folder(
    run_of_mine: Path, tmp_path: Path, verb: tuple[str, ...]
) -> None:
    result = run_headlight(*verb, run_of_mine, "--plugins-dir", "nowhere", cwd=tmp_path)
    assert result.returncode == 2
    (why,) = result.stderr.splitlines()
    assert why.startswith("headlight: There is no dataset plugin 'mine'.")
    assert f"{tmp_path / 'nowhere'}: there is no such folder." in why and why.endswith(NOT_FOUND_ADVICE)


def test_an_internal_error_is_recorded_in_events_and_run_json_and_logged(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take_step = Trainer._take_step

    def fails_at_the_sixth(trainer: Trainer) -> None:
        if trainer.step == 5:
            raise ZeroDivisionError("division by zero")
        take_step(trainer)

    monkeypatch.setattr(Trainer, "_take_step", fails_at_the_sixth)
    run = tmp_path / "run"
    result = run_headlight("train", workspace / "run" / "config.yaml", "--run-dir", run, "--json", cwd=tmp_path)
    assert result.returncode == 1
    *_, trouble, _, end = map(json.loads, result.stdout.splitlines())  # the skipped event is the pause
    assert trouble["event"] == "trouble" and "in fails_at_the_sixth" in trouble["details"]
    assert (end["event"], end["reason"], end["run"], end["step"]) == ("run_finished", "fault", str(run), 5)
    last = result.stderr.splitlines()[-1]
    assert last.startswith("headlight: a fault of ours (ZeroDivisionError: division by zero). Please report it with ")
    assert "in fails_at_the_sixth" in Path(last.rpartition("with ")[2]).read_text(encoding="utf-8")
    folder = RunFolder.open(run)
    assert (folder.state.state, folder.state.reason, folder.checkpoint_steps()[-1]) == ("stopped", "fault", 5)
    log = (run / "log.txt").read_text(encoding="utf-8")
    assert log.count("in fails_at_the_sixth") == 1
    monkeypatch.undo()
    assert run_headlight("train", "--resume", run, cwd=tmp_path).returncode == 0
    assert RunFolder.open(run).state.reason == "max_steps"


def test_an_internal_error_while_the_engine_starts_is_reported(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_torch(*_: object) -> None:
        raise ImportError("libtorch_cpu.so: no such file")

    monkeypatch.setattr("core.serving.request_loop.RequestLoop", without_torch)
    for command in (("train", workspace / "run" / "config.yaml", "--run-dir", "new"), ("evaluate", workspace / "run")):
        failed = run_headlight(*command, cwd=tmp_path)
        (line,) = failed.stderr.splitlines()
        assert failed.returncode == 1
        assert line.startswith("headlight: a fault of ours (ImportError: libtorch_cpu.so: no such file). Please report")


def no_room(*_: object) -> None:
    raise RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 8000000000 bytes.")


@pytest.mark.parametrize("validate_every", [20, 30])  # during training, and only at its end
def test_a_validation_that_does_not_fit_in_memory_ends_the_run_for_that_reason(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, validate_every: int
) -> None:
    monkeypatch.setattr("core.training.trainer.score_split", no_room)
    run, settings = tmp_path / "run", ("--set", f"training.validate_every={validate_every}")
    result = run_headlight(
        "train", workspace / "run" / "config.yaml", "--run-dir", run, "--json", *settings, cwd=tmp_path
    )
    assert (
        result.returncode == 3
        and "The memory of cpu was not enough" in result.stderr
        and "step 21" not in result.stderr
    )
    end = json.loads(result.stdout.splitlines()[-1])
    assert (end["event"], end["reason"], end["step"]) == ("run_finished", "memory", 20)
    saved = run / "checkpoints" / f"{RunFolder.open(run).checkpoint_steps()[-1]:06}"
    assert f"headlight: stopped at step 20 (memory); saved: {saved}. " in result.stderr
    assert RunFolder.open(run).state.reason == "memory"


def test_the_first_of_several_processes_says_what_is_saved_though_torchrun_ends_it_meanwhile(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """torchrun does so when another process ends with an error: its connection to the first was closed in a step."""
    monkeypatch.setattr("core.training.trainer.score_split", no_room)
    monkeypatch.setattr("core.torchrun.is_alone", lambda: False)
    meanwhile, before = [], signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr("core.cli.train._print_result", lambda _: meanwhile.append(signal.getsignal(signal.SIGTERM)))
    run_headlight("train", workspace / "run" / "config.yaml", "--run-dir", "run", cwd=tmp_path)
    signal.signal(signal.SIGTERM, before)
    assert meanwhile == [signal.SIG_IGN]
