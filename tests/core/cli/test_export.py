"""`export` overwrites nothing, writes all or nothing, and accepts only options that its format uses."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from safetensors.numpy import load_file

from core.config import read_config
from core.machine.signals import STOP_SIGNALS
from core.run_folder import RunFolder
from tests.full_disk import no_file_beyond
from tests.in_process import run_headlight
from tests.reliability.training_process import ROOT, SECONDS

INTERRUPTED_EXPORT = """
import os, sys
from core.cli import main
def send_signals(descriptor):
    try:
        os.kill(os.getpid(), {number})
    finally:
        os.kill(os.getpid(), {number})  # when a terminal is closed, it and its shell may both send one
os.fsync = send_signals  # called on a temporary file before it is renamed
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("kind", ["safetensors", "onnx", "headlight"])
def test_an_existing_output_is_left_unchanged(workspace: Path, tmp_path: Path, kind: str) -> None:
    notes = tmp_path / "notes.yaml"
    notes.write_text("mine", encoding="utf-8")
    result = run_headlight("export", workspace / "run", "--format", kind, "--output", notes, cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == f"headlight: {notes} already exists. Choose another name.\n"
    assert notes.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("kind", ["safetensors", "onnx"])
def test_an_empty_folder_is_filled_and_one_that_holds_something_is_not(
    workspace: Path, tmp_path: Path, kind: str
) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    command = ("export", workspace / "run", "--format", kind, "--output", folder)
    assert run_headlight(*command, cwd=tmp_path).returncode == 0
    written = sorted(folder.rglob("*"))
    assert folder / "config.yaml" in written
    result = run_headlight(*command, cwd=tmp_path)
    assert result.returncode == 2 and result.stderr.endswith("already exists. Choose another name.\n")
    assert sorted(folder.rglob("*")) == written


@pytest.mark.parametrize("output", [".", "../link"])
def test_an_empty_folder_that_is_filled_stays_the_same_folder(workspace: Path, tmp_path: Path, output: str) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (tmp_path / "link").symlink_to("mine", target_is_directory=True)
    before = folder.stat().st_ino
    result = run_headlight("export", workspace / "run", "--format", "safetensors", "--output", output, cwd=folder)
    assert (result.returncode, result.stderr, folder.stat().st_ino) == (0, "", before)
    assert "config.yaml" in {path.name for path in folder.iterdir()}


def test_a_safetensors_file_holds_only_the_weights(workspace: Path, tmp_path: Path) -> None:
    result = run_headlight(
        "export", workspace / "run", "--format", "safetensors", "--output", "m.safetensors", cwd=tmp_path
    )
    assert (result.returncode, result.stdout) == (0, "m.safetensors: the weights of step 20\n")
    read, kept = load_file(tmp_path / "m.safetensors"), RunFolder.open(workspace / "run").weights(20)
    assert read.keys() == kept.keys() and all((read[name] == kept[name]).all() for name in kept)
    assert [path.name for path in tmp_path.iterdir()] == ["m.safetensors"]


def test_a_folder_with_the_name_of_a_safetensors_file_is_refused(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "m.safetensors").mkdir()
    result = run_headlight(
        "export", workspace / "run", "--format", "safetensors", "--output", "m.safetensors", cwd=tmp_path
    )
    assert result.returncode == 2
    assert result.stderr == "headlight: m.safetensors already exists. Choose another name.\n"


@pytest.mark.parametrize(
    ("kind", "path"),
    [("safetensors", "no/where"), ("safetensors", "no/m.safetensors"), ("headlight", "no/where.headlight")],
)
def test_an_unwritable_path_is_reported_with_its_option(workspace: Path, tmp_path: Path, kind: str, path: str) -> None:
    result = run_headlight("export", workspace / "run", "--format", kind, "--output", path, cwd=tmp_path)
    why = f"{path} cannot be written: No such file or directory. Choose another folder (--output in a terminal)."
    assert (result.returncode, result.stdout, result.stderr) == (2, "", f"headlight: {why}\n")


def test_an_unreadable_file_of_the_run_is_reported_instead_of_the_output(workspace: Path, tmp_path: Path) -> None:
    shutil.copytree(workspace / "run", tmp_path / "run")
    path = next((tmp_path / "run" / "probes").iterdir())
    path.unlink()
    path.mkdir()
    result = run_headlight("export", "run", "--format", "headlight", "--output", "out.headlight", cwd=tmp_path)
    assert (result.returncode, result.stderr.split(" Make it")[0]) == (
        2,
        f"headlight: {path}: it cannot be read (Is a directory).",
    )
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX resource limits")
def test_a_full_temporary_folder_is_reported_instead_of_the_output(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with no_file_beyond(1000):
        result = run_headlight("export", workspace / "run", "--format", "onnx", "--output", "out", cwd=tmp_path)
    advice = "Free some space there, or set TMPDIR to another folder; `ulimit -f` may limit a file's size."
    why = f"{tmp_path} cannot be written: File too large. {advice}"
    assert (result.returncode, result.stderr, list(tmp_path.iterdir())) == (2, f"headlight: {why}\n", [])


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX resource limits")
def test_without_a_temporary_folder_it_says_what_to_set(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", None)  # to be looked for again
    with no_file_beyond(0):
        result = run_headlight("export", workspace / "run", "--format", "onnx", "--output", "out", cwd=tmp_path)
    assert (result.returncode, list(tmp_path.iterdir())) == (2, [])
    assert result.stderr.startswith("headlight: There is no folder for temporary files: none of '")
    advice = "Free some space there, or set TMPDIR to a folder that can be written, and start Headlight again."
    assert result.stderr.endswith(f", '{tmp_path}' can be written. {advice}\n")


@pytest.mark.parametrize(("kind", "name"), [("safetensors", "model"), ("headlight", "probes/shared.headlight")])
def test_nothing_is_exported_into_a_run(workspace: Path, kind: str, name: str) -> None:
    path = workspace / "run" / name
    result = run_headlight("export", workspace / "run", "--format", kind, "--output", path, cwd=workspace)
    why = f"{path} lies in the folder of a run, {workspace / 'run'}. Choose a place outside of it."
    assert (result.returncode, result.stdout, result.stderr) == (2, "", f"headlight: {why}\n")
    assert not path.exists()


def test_json_describes_the_written_output(workspace: Path, tmp_path: Path) -> None:
    run = str(workspace / "run")

    def exported_record(kind: str, *options: str) -> dict[str, Any]:
        arguments = ("--format", kind, "--output", f"{options[-1]}.{kind}", "--json")
        result = run_headlight("export", run, *arguments, *options[:-1], cwd=tmp_path)
        assert (result.returncode, result.stderr) == (0, "")
        (line,) = result.stdout.splitlines()
        record: dict[str, Any] = json.loads(line)
        assert (tmp_path / record["output"]).exists()
        return record

    written = {"output": "best.safetensors", "run": run, "format": "safetensors", "checkpoint": 20}
    assert exported_record("safetensors", "best") == written
    averaged = exported_record("safetensors", "--checkpoint", "last", "mean")
    assert averaged == {**written, "output": "mean.safetensors", "averaged_steps": [10, 20]}
    assert exported_record("headlight", "all") == {"output": "all.headlight", "run": run, "format": "headlight"}


def test_a_checkpoint_cannot_be_chosen_for_a_shared_run(workspace: Path, tmp_path: Path) -> None:
    arguments = ("--format", "headlight", "--checkpoint", "best", "--output", "shared.headlight")
    result = run_headlight("export", workspace / "run", *arguments, cwd=tmp_path)
    assert (result.returncode, list(tmp_path.iterdir())) == (2, [])
    assert result.stderr == (
        "headlight: --checkpoint: the format headlight holds the weights of all steps that the run kept. "
        "Leave it out; safetensors and onnx take one.\n"
    )


def test_a_shared_run_must_have_the_suffix_that_the_window_knows(workspace: Path, tmp_path: Path) -> None:
    result = run_headlight("export", workspace / "run", "--format", "headlight", "--output", "my run.zip", cwd=tmp_path)
    assert (result.returncode, result.stdout, list(tmp_path.iterdir())) == (2, "", [])
    assert result.stderr == (
        "headlight: --output: my run.zip does not end in .headlight, by which the window knows a shared run. "
        "Write --output 'my run.zip.headlight'.\n"
    )
    assert run_headlight(
        "export", workspace / "run", "--format", "headlight", "--output", "A.HEADLIGHT", cwd=tmp_path
    ).stdout == ("A.HEADLIGHT: the run to look at: drop it on the window\n")


def test_weights_are_exported_with_the_settings_of_their_checkpoint(workspace: Path, tmp_path: Path) -> None:
    """Also if a setting was changed at the same step, after the checkpoint: the run is opened there without it."""
    shutil.copytree(workspace / "run", tmp_path / "run")
    changes = ("--set", "decoding.beam_size=3", "--set", "training.max_steps=21")
    assert run_headlight("train", "--resume", "run", *changes, cwd=tmp_path).returncode == 0
    for step, beam_size in (("20", 1), ("21", 3)):
        for kind in ("safetensors", "onnx"):
            output = tmp_path / f"{kind} {step}"
            arguments = ("--format", kind, "--checkpoint", step, "--output", output)
            assert run_headlight("export", "run", *arguments, cwd=tmp_path).returncode == 0
            assert read_config(output / "config.yaml").decoding.beam_size == beam_size
        opened = RunFolder.open(tmp_path / f"safetensors {step}")
        assert opened.config().decoding.beam_size == beam_size, "with a valid checksum"


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
@pytest.mark.parametrize("number", STOP_SIGNALS)
@pytest.mark.parametrize(("kind", "name"), [("safetensors", "out"), ("headlight", "out.headlight")])
def test_a_signal_leaves_no_incomplete_files(
    workspace: Path, tmp_path: Path, kind: str, name: str, number: signal.Signals
) -> None:
    command = [sys.executable, "-c", INTERRUPTED_EXPORT.format(number=int(number))]
    command += ["export", str(workspace / "run"), "--format", kind, "--output", str(tmp_path / name)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS)
    assert (result.returncode, result.stdout) == (128 + number, "")
    assert result.stderr == f"headlight: ended by {number.name}.\n" and list(tmp_path.iterdir()) == []
