"""`runs list|show|delete`, run in this process."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core import cli
from core.config import RunConfig
from core.events import SettingChanged, ValidationDone
from core.machine.signals import STOP_SIGNALS
from core.run_files.label import RunLabel
from core.run_folder import RunFolder, is_run
from tests.in_process import run_headlight
from tests.reliability.privileges import unprivileged
from tests.reliability.training_process import ROOT, SECONDS

GOLDEN = ROOT / "tests" / "golden"
DELETE_UNTIL_KILLED = """
import os, sys
from core.cli import main
os.rmdir = lambda *_, **__: os.kill(os.getpid(), 9)  # called on the first emptied folder of the run
main(sys.argv[1:])
"""


@pytest.fixture
def runs_dir(tmp_path: Path) -> Path:
    """A folder with a finished run, and one whose process was killed."""
    for name in ("done", "killed"):
        run = RunFolder.create_at(tmp_path / name)
        run.write_config(RunConfig.model_validate({"dataset": {"plugin": "copy_task"}, "name": name}))
        run.write_validation(ValidationDone(step=20, metrics={"valid/loss": 0.25}, sentences=(), is_best=True))
        run.update(state="learning", last_step=20, best_step=20, best_value=0.25)
    RunFolder.open(tmp_path / "done").release("finished", "max_steps")
    RunFolder.open(tmp_path / "killed").update(pid=2**22 + 1)  # above the largest process ID of Linux
    return tmp_path


def stdout_lines(runs_dir: Path, capfd: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert cli.main(["runs", *arguments, "--runs-dir", str(runs_dir)]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    return str(out).splitlines()


def test_the_error_for_a_missing_run_names_the_command_that_lists_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "my runs"
    folder.mkdir()
    assert cli.main(["runs", "show", "none", "--runs-dir", str(folder)]) == 2
    stderr = capfd.readouterr().err
    assert stderr.endswith(f" nor in {folder}. `runs list --runs-dir '{folder}'` shows what is there.\n")
    monkeypatch.setenv("HEADLIGHT_RUNS_DIR", str(folder))
    assert cli.main(["runs", "show", "none"]) == 2
    assert capfd.readouterr().err.endswith(f" nor in {folder}. `runs list` shows what is there.\n")


def test_every_run_is_listed_on_one_line(runs_dir: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert stdout_lines(runs_dir, capfd, "list") == [
        "done    finished     step 20       best valid/loss 0.25 at step 20",
        "killed  interrupted  step 20       best valid/loss 0.25 at step 20",
    ]
    records = [json.loads(line) for line in stdout_lines(runs_dir, capfd, "list", "--json")]
    assert [(record["name"], record["reason"]) for record in records] == [("done", "max_steps"), ("killed", None)]


def test_the_reason_why_a_run_stopped_is_shown(runs_dir: Path, capfd: pytest.CaptureFixture[str]) -> None:
    RunFolder.open(runs_dir / "done").release("stopped", "plugin")
    assert stdout_lines(runs_dir, capfd, "list")[0] == (
        "done    stopped      step 20       reason plugin  best valid/loss 0.25 at step 20"
    )
    RunFolder.open(runs_dir / "done").release("stopped", "stopped")
    assert "reason" not in stdout_lines(runs_dir, capfd, "list")[0]


def test_the_group_of_seeds_and_the_parent_of_a_run_are_shown(
    runs_dir: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    RunFolder.open(runs_dir / "done").update(group="three_seeds")
    RunFolder.open(runs_dir / "killed").update(parent="done", parent_step=10, pid=2**22 + 1)
    done, killed = stdout_lines(runs_dir, capfd, "list")
    assert done.endswith("at step 20  group three_seeds")
    assert killed.endswith("at step 20  continues done from step 10")
    (record, _) = (json.loads(line) for line in stdout_lines(runs_dir, capfd, "list", "--json"))
    assert record["group"] == "three_seeds" and record["parent"] is None


@pytest.mark.parametrize("verb", ["evaluate", "runs show", "runs compare"])
@pytest.mark.parametrize("is_folder_here", [False, True])
def test_the_error_for_a_group_named_as_a_run_names_its_runs(
    runs_dir: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    verb: str,
    is_folder_here: bool,
) -> None:
    RunFolder.open(runs_dir / "done").update(group="three_seeds")
    (runs_dir / "killed" / "run.json").write_text("{", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    if is_folder_here:
        (tmp_path / "three_seeds").mkdir()
    assert cli.main([*verb.split(), "three_seeds", "--runs-dir", str(runs_dir)]) == 2
    assert capfd.readouterr().err == "headlight: three_seeds is a group of runs. Name its runs: done\n"


def test_a_damaged_run_does_not_hide_the_others(runs_dir: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (runs_dir / "done" / "run.json").write_text("{", encoding="utf-8")
    damaged, other = stdout_lines(runs_dir, capfd, "list")
    assert damaged.startswith("done    damaged: ") and other.startswith("killed  interrupted")


def test_a_run_of_a_newer_version_is_not_called_damaged(runs_dir: Path, capfd: pytest.CaptureFixture[str]) -> None:
    document = runs_dir / "done" / "run.json"
    state = json.loads(document.read_text(encoding="utf-8"))
    del state["checksum"]
    document.write_text(json.dumps(state | {"format": 2}), encoding="utf-8")
    newer, other = stdout_lines(runs_dir, capfd, "list")
    assert newer.startswith(f"done    newer: {document}: a newer version of Headlight made this (format 2;")
    assert other.startswith("killed  interrupted")
    assert json.loads(stdout_lines(runs_dir, capfd, "list", "--json")[0])["state"] == "newer"


@pytest.mark.parametrize("missing", ["run.json", "config.yaml"])
def test_a_run_that_has_lost_a_file_is_listed_and_can_be_deleted(
    runs_dir: Path, capfd: pytest.CaptureFixture[str], missing: str
) -> None:
    (runs_dir / "done" / missing).unlink()
    damaged, _ = stdout_lines(runs_dir, capfd, "list")
    assert damaged == f"done    damaged: {runs_dir / 'done'} is not a run: it has no {missing}."
    assert stdout_lines(runs_dir, capfd, "delete", "done") == [f"deleted {runs_dir / 'done'}"]
    assert [path.name for path in runs_dir.iterdir()] == ["killed"]


@pytest.mark.skipif(sys.platform != "linux", reason="there, root's privileges cannot be dropped for a moment")
def test_a_folder_that_cannot_be_looked_into_is_listed(runs_dir: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (runs_dir / "done").chmod(0)
    (runs_dir / ".deleting-1a2b").mkdir(mode=0)
    with unprivileged():
        closed, killed = stdout_lines(runs_dir, capfd, "list")
    assert closed.startswith(f"done    damaged: {runs_dir / 'done'}: it cannot be read (Permission denied). Make it ")
    assert killed.startswith("killed  interrupted")


@pytest.mark.parametrize("document", ["run.json", "config.yaml"])
def test_a_damaged_run_can_be_deleted(runs_dir: Path, capfd: pytest.CaptureFixture[str], document: str) -> None:
    (runs_dir / "done" / document).write_text("{", encoding="utf-8")
    assert stdout_lines(runs_dir, capfd, "delete", "done") == [f"deleted {runs_dir / 'done'}"]
    assert [path.name for path in runs_dir.iterdir()] == ["killed"]


def test_a_pipe_in_place_of_a_document_does_not_block_deletion(
    runs_dir: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (runs_dir / "done" / "run.json").unlink()
    os.mkfifo(runs_dir / "done" / "run.json")
    assert stdout_lines(runs_dir, capfd, "delete", "done") == [f"deleted {runs_dir / 'done'}"]


def test_a_folder_that_never_was_a_run_is_neither_listed_nor_deleted(
    runs_dir: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    unfinished = RunFolder.create_at(runs_dir / "begun")  # its process was killed before it wrote config.yaml
    unfinished.update(pid=2**22 + 1)
    (runs_dir / "notes").mkdir()
    (runs_dir / "notes" / "config.yaml").touch()
    assert [line.split()[0] for line in stdout_lines(runs_dir, capfd, "list")] == ["done", "killed"]
    assert cli.main(["runs", "delete", "notes", "--runs-dir", str(runs_dir)]) == 2
    assert "notes is not a run: it has no run.json." in capfd.readouterr().err and (runs_dir / "notes").is_dir()


@pytest.mark.parametrize("document", ['{"id": 3}', "{}", ""])
def test_a_foreign_folder_with_the_file_names_of_a_run_is_not_deleted(
    runs_dir: Path, capfd: pytest.CaptureFixture[str], document: str
) -> None:
    (runs_dir / "other").mkdir()
    (runs_dir / "other" / "config.yaml").write_text("model: resnet\n", encoding="utf-8")
    (runs_dir / "other" / "run.json").write_text(document, encoding="utf-8")
    (runs_dir / "other" / "metrics.jsonl").write_text('{"loss": 1}\n', encoding="utf-8")
    assert cli.main(["runs", "delete", "done", "other", "--runs-dir", str(runs_dir)]) == 2
    assert f"{runs_dir / 'other'} is not recognisably a run: " in capfd.readouterr().err
    assert len(list((runs_dir / "other").iterdir())) == 3 and (runs_dir / "done").is_dir()


@pytest.mark.parametrize("kept", ["run.json", "config.yaml", "metrics.jsonl"])
def test_one_readable_file_is_enough_to_delete_a_former_run(
    runs_dir: Path, capfd: pytest.CaptureFixture[str], kept: str
) -> None:
    for name in {"run.json", "config.yaml", "metrics.jsonl"} - {kept}:
        (runs_dir / "done" / name).write_text("", encoding="utf-8")
    (runs_dir / "done" / ".DS_Store").touch()  # made by a desktop, and deleted with the run
    assert stdout_lines(runs_dir, capfd, "delete", "done") == [f"deleted {runs_dir / 'done'}"]


def test_a_run_with_foreign_files_is_not_deleted(runs_dir: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (runs_dir / "done" / "mydata" / "2026").mkdir(parents=True)
    for name in ("mydata/a.tsv", "mydata/2026/b.tsv", "thesis.tex", "checkpoints/best.pt"):
        (runs_dir / "done" / name).touch()
    assert cli.main(["runs", "delete", "killed", "done", "--runs-dir", str(runs_dir)]) == 2
    assert capfd.readouterr() == (
        "",
        f"headlight: {runs_dir / 'done'} contains files that are not the run's: checkpoints/best.pt, mydata, "
        "thesis.tex; "
        "nothing was deleted. Move them elsewhere first: deletion is permanent.\n",
    )
    assert (runs_dir / "done" / "thesis.tex").exists() and (runs_dir / "killed").is_dir()
    (runs_dir / "done" / "notes").touch()
    assert cli.main(["runs", "delete", "done", "--runs-dir", str(runs_dir)]) == 2
    assert ": checkpoints/best.pt, mydata, notes and 1 more; nothing was deleted." in capfd.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="there, root's privileges cannot be dropped for a moment")
def test_a_run_with_a_folder_that_cannot_be_listed_is_not_deleted(
    runs_dir: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    checkpoints = runs_dir / "done" / "checkpoints"
    (checkpoints / "thesis.tex").touch()
    checkpoints.chmod(0o300)
    with unprivileged():
        assert cli.main(["runs", "delete", "done", "--runs-dir", str(runs_dir)]) == 2
    assert f"{checkpoints} cannot be listed (Permission denied)" in capfd.readouterr().err
    assert (checkpoints / "thesis.tex").exists()


@pytest.mark.parametrize("run", sorted(path for path in GOLDEN.iterdir() if path.is_dir()), ids=lambda path: path.name)
def test_every_file_that_a_run_writes_is_recognised_as_its_own(
    runs_dir: Path, capfd: pytest.CaptureFixture[str], run: Path
) -> None:
    shutil.copytree(run, runs_dir / "copy")
    (runs_dir / "copy" / "run.json.tmp").touch()  # left by a crash
    shutil.copytree(
        next((runs_dir / "copy" / "checkpoints").iterdir()), runs_dir / "copy" / "checkpoints" / "000001.old"
    )
    assert stdout_lines(runs_dir, capfd, "delete", "copy") == [f"deleted {runs_dir / 'copy'}"]


@pytest.mark.parametrize("created", [1e300, -1e18])
def test_a_run_with_an_impossible_date_is_damaged_and_hides_no_others(
    runs_dir: Path, capfd: pytest.CaptureFixture[str], created: float
) -> None:
    RunFolder.open(runs_dir / "done").update(created=created)
    damaged, other = stdout_lines(runs_dir, capfd, "list")
    assert f"{runs_dir / 'done' / 'run.json'}: the file is damaged (created: " in damaged
    assert other.startswith("killed  interrupted")


def test_without_runs_nothing_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert stdout_lines(tmp_path, capfd, "list") == []
    (tmp_path / "circle").symlink_to("circle")
    for name in ("none yet", "circle"):
        monkeypatch.setenv("HEADLIGHT_RUNS_DIR", str(tmp_path / name))
        assert cli.main(["runs", "list"]) == 0 and capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("name", "what"), [("none", "there is no such folder"), ("file", "this is a file")])
def test_a_runs_dir_that_is_not_a_folder_is_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str, what: str
) -> None:
    (tmp_path / "file").touch()
    assert cli.main(["runs", "list", "--runs-dir", str(tmp_path / name)]) == 2
    why = f"--runs-dir {tmp_path / name}: {what}. Name the folder that the runs lie in, or leave it out."
    assert capfd.readouterr() == ("", f"headlight: {why}\n")
    assert cli.main(["runs", "show", "a", "--runs-dir", str(tmp_path / name)]) == 2
    why = f"a: there is no such run, and no folder {tmp_path / name} that it could lie in. Check --runs-dir."
    assert capfd.readouterr() == ("", f"headlight: {why}\n")


def test_a_runs_folder_of_the_environment_that_is_a_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("HEADLIGHT_RUNS_DIR", str(tmp_path / "file"))
    assert cli.main(["runs", "list"]) == 2
    advice = "Name the folder that the runs lie in, or leave it out."
    assert capfd.readouterr() == ("", f"headlight: HEADLIGHT_RUNS_DIR {tmp_path / 'file'}: this is a file. {advice}\n")


def test_a_run_is_shown_with_figures_and_settings(runs_dir: Path, capfd: pytest.CaptureFixture[str]) -> None:
    lines = stdout_lines(runs_dir, capfd, "show", "done")
    assert {"state finished", "last_step 20", "valid/loss 0.25", "name: done"} <= set(lines)
    # Lines without a value are omitted.
    assert not any(line.startswith(("group", "note", "parent", "is_shared")) for line in lines)
    (line,) = stdout_lines(runs_dir, capfd, "show", "done", "--json")
    record = json.loads(line)
    assert record["metrics"] == {"valid/loss": 0.25} and record["config"]["dataset"]["plugin"] == "copy_task"


def test_changed_settings_are_shown_below_the_original_ones(runs_dir: Path, capfd: pytest.CaptureFixture[str]) -> None:
    RunFolder.open(runs_dir / "killed").append_setting(SettingChanged(step=1_000, key="decoding.beam_size", value=4))
    lines = stdout_lines(runs_dir, capfd, "show", "killed")
    assert lines[-1] == "# after step 1,000: decoding.beam_size = 4" and "  beam_size: 1" in lines
    (line,) = stdout_lines(runs_dir, capfd, "show", "killed", "--json")
    record = json.loads(line)
    assert record["settings_changed"] == [{"step": 1_000, "key": "decoding.beam_size", "value": 4}]
    changed = SettingChanged(step=2_000, key="training.early_stopping", value=None)
    RunFolder.open(runs_dir / "killed").append_setting(changed)
    lines = stdout_lines(runs_dir, capfd, "show", "killed")
    assert lines[-1] == "# after step 2,000: training.early_stopping = null"
    assert record["config"]["decoding"]["beam_size"] == 1


def test_untrusted_text_cannot_control_the_terminal_or_begin_a_line(
    runs_dir: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    RunFolder.open(runs_dir / "done").write_label(RunLabel(note="two\nlines \x1b[31mred für"))
    RunFolder.open(runs_dir / "done").update(parent="\x9b2Jgone\ndone", parent_step=10)
    line, _ = stdout_lines(runs_dir, capfd, "list")
    assert line.endswith(r"continues \x9b2Jgone\ndone from step 10")
    assert r"note two\nlines \x1b[31mred für" in stdout_lines(runs_dir, capfd, "show", "done")
    (runs_dir / "done" / "config.yaml").write_text('"\x1b[2J\\nname": 1\n', encoding="utf-8")
    damaged, _ = stdout_lines(runs_dir, capfd, "list")
    assert damaged.startswith("done    damaged: ") and "\x1b" not in damaged
    assert cli.main(["runs", "show", "done", "--runs-dir", str(runs_dir)]) == 2
    assert "\x1b" not in capfd.readouterr().err


def test_runs_are_deleted_all_or_none(runs_dir: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (runs_dir / "other").mkdir()
    assert cli.main(["runs", "delete", "done", "other", "--runs-dir", str(runs_dir)]) == 2
    assert "other is not a run" in capfd.readouterr().err and (runs_dir / "done").is_dir()
    assert stdout_lines(runs_dir, capfd, "delete", "done", "killed") == [
        f"deleted {runs_dir / 'done'}",
        f"deleted {runs_dir / 'killed'}",
    ]
    assert (runs_dir / "other").is_dir() and not (runs_dir / "done").exists()


@pytest.fixture
def handlers() -> Iterator[None]:
    """Restore the signal handlers of the test run after a verb that ignored signals at its end."""
    before = {one: signal.getsignal(one) for one in STOP_SIGNALS}
    yield
    for one, handler in before.items():
        signal.signal(one, handler)


@pytest.mark.skipif(sys.platform == "win32", reason="on Windows, os.kill ends the process")
@pytest.mark.parametrize("number", STOP_SIGNALS)
@pytest.mark.usefixtures("handlers")
def test_a_signal_waits_until_the_run_is_deleted_and_leaves_the_others(
    runs_dir: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    rmdir = os.rmdir

    def signalled(*arguments: object, **options: object) -> None:
        os.kill(os.getpid(), number)
        rmdir(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "rmdir", signalled)
    assert cli.main(["runs", "delete", "done", "killed", "--runs-dir", str(runs_dir)]) == 128 + number
    out, err = capfd.readouterr()
    assert out == f"deleted {runs_dir / 'done'}\n"
    assert err == f"headlight: ended by {number.name}; not deleted: {runs_dir / 'killed'}.\n"
    assert [path.name for path in runs_dir.iterdir()] == ["killed"] and RunFolder.open(runs_dir / "killed")


@pytest.mark.skipif(sys.platform == "win32", reason="on Windows, os.kill ends the process")
def test_the_remains_of_a_killed_deletion_are_not_a_run_and_are_removed_a_day_later(
    runs_dir: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    command = [sys.executable, "-c", DELETE_UNTIL_KILLED, "runs", "delete", "done", "--runs-dir", str(runs_dir)]
    assert subprocess.run(command, cwd=ROOT, timeout=SECONDS, check=False).returncode == -signal.SIGKILL
    (line,) = stdout_lines(runs_dir, capfd, "list")
    assert line.startswith("killed")
    (remains,) = (path for path in runs_dir.iterdir() if not is_run(path))
    os.utime(remains, (0, 0))
    stdout_lines(runs_dir, capfd, "delete", "killed")
    assert list(runs_dir.iterdir()) == []


def test_deleting_a_link_keeps_the_run(
    runs_dir: Path, tmp_path_factory: pytest.TempPathFactory, capfd: pytest.CaptureFixture[str]
) -> None:
    larger_disk = tmp_path_factory.mktemp("larger disk")
    (runs_dir / "done").rename(larger_disk / "done")
    (runs_dir / "done").symlink_to(larger_disk / "done")
    assert stdout_lines(runs_dir, capfd, "delete", "done", str(runs_dir / "done")) == [
        f"deleted {runs_dir / 'done'}, a link; the run stays in {larger_disk / 'done'}"
    ]
    assert [path.name for path in runs_dir.iterdir()] == ["killed"]
    assert RunFolder.open(larger_disk / "done").state.state == "finished"


def test_a_run_and_a_link_to_it_are_deleted_if_both_are_named(
    runs_dir: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (runs_dir / "link").symlink_to(runs_dir / "done")
    assert stdout_lines(runs_dir, capfd, "delete", "done", "link") == [
        f"deleted {runs_dir / 'done'}",
        f"deleted {runs_dir / 'link'}",
    ]
    assert [path.name for path in runs_dir.iterdir()] == ["killed"]


def test_json_names_the_deleted_runs(runs_dir: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (runs_dir / "link").symlink_to(runs_dir / "done")
    lines = stdout_lines(runs_dir, capfd, "delete", "link", "killed", "--json")
    assert list(map(json.loads, lines)) == [
        {"deleted": str(runs_dir / "link"), "stays": str(runs_dir / "done")},
        {"deleted": str(runs_dir / "killed"), "stays": None},
    ]
    assert [path.name for path in runs_dir.iterdir()] == ["done"]


def test_a_run_that_is_named_twice_is_deleted_once(runs_dir: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert len(stdout_lines(runs_dir, capfd, "delete", "done", str(runs_dir / "done"))) == 1
    assert not (runs_dir / "done").exists() and (runs_dir / "killed").is_dir()


def test_a_run_that_cannot_be_removed_completely_is_no_longer_listed_and_reported(
    runs_dir: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: str, **_: object) -> None:  # as for another user's file
        raise PermissionError(1, "Operation not permitted", path)

    monkeypatch.setattr(shutil, "rmtree", refused)
    assert cli.main(["runs", "delete", "done", "--runs-dir", str(runs_dir)]) == 2
    (remains,) = runs_dir.glob(".deleting-*/done")
    message = (
        f"done is no longer a run, but could not be deleted completely (Operation not permitted: {remains.parent})."
    )
    assert message in capfd.readouterr().err
    assert not (runs_dir / "done").exists()


def test_a_run_that_is_being_written_is_not_deleted(runs_dir: Path, capfd: pytest.CaptureFixture[str]) -> None:
    RunFolder.open(runs_dir / "killed").update(pid=os.getppid(), pid_started=None)  # a live process that is not ours
    assert cli.main(["runs", "delete", "killed", "--runs-dir", str(runs_dir)]) == 2
    stderr = capfd.readouterr().err
    assert "is being written by process" in stderr and (runs_dir / "killed").is_dir()
    assert stderr.endswith("Where it writes the run that this is a copy of, remove the folder itself.\n")
    (runs_dir / "killed" / "config.yaml").unlink()  # a damaged run may still be written by a process
    assert cli.main(["runs", "delete", "killed", "--runs-dir", str(runs_dir)]) == 2
    assert "is being written by process" in capfd.readouterr().err and (runs_dir / "killed").is_dir()


def test_json_has_the_same_path_of_a_run_however_it_was_typed(workspace: Path) -> None:
    def run_path(*command: str) -> str:
        result = run_headlight(*command, "--json", cwd=workspace)
        assert result.returncode == 0, result.stderr
        return str(json.loads(result.stdout.splitlines()[-1])["run"])

    export = ("export", "run", "--format", "safetensors", "--output", "model")
    verbs = (("evaluate", "run"), export, ("runs", "show", "run"), ("runs", "list", "--runs-dir", "."))
    assert {run_path(*verb) for verb in verbs} == {str((workspace / "run").resolve())}
