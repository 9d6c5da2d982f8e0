"""The command line as a whole: exit codes, one-line errors, and no heavy import before it is needed."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core import cli

ROOT = Path(__file__).parents[3]
Headlight = Callable[..., subprocess.CompletedProcess[str]]

COMMANDS_WITHOUT_TORCH = """
import sys
from core import cli
codes = [cli.main(argv.split()) for argv in {verbs!r}]
loaded = [name for name in ("torch", "PySide6", "sacrebleu", "pyqtgraph") if name in sys.modules]
assert not loaded, loaded
print(codes)
"""


def python(code: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    # -P keeps the current folder out of sys.path, as for our commands: Python 3.13.0 requires it to exist otherwise.
    command = [sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{code}"]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=200)


def test_help_version_and_lists_load_neither_torch_nor_qt(tmp_path: Path) -> None:
    verbs = [
        "--help",
        "--version",
        "train --help",
        "presets list",
        "presets show copy_task",
        "runs list",
        "plugins list",
    ]
    result = python(COMMANDS_WITHOUT_TORCH.format(verbs=verbs), tmp_path)
    assert result.stderr == ""
    assert result.stdout.splitlines()[-1] == str([0] * len(verbs))


def test_help_and_version_import_little(tmp_path: Path) -> None:
    libraries = ["numpy", "pydantic", "yaml", "tqdm", "torch"]
    code = f"""
from core import cli
codes = [cli.main([option]) for option in ("--help", "--version")]
print(codes, [name for name in {libraries} if name in sys.modules])
"""
    assert python(code, tmp_path).stdout.splitlines()[-1] == "[0, 0] []"


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        ("dance", "headlight: argument VERB: invalid choice: 'dance'"),
        (
            "trian copy_task",
            "headlight: argument VERB: invalid choice: 'trian'; did you mean train? `headlight --help` shows what",
        ),
        ("runs delte a", "headlight runs: argument VERB: invalid choice: 'delte'; did you mean delete? `head"),
        ("evaluate x --split tset", "headlight evaluate: argument --split: invalid choice: 'tset'; did you mean test?"),
        (
            "train copy_task --faster",
            "headlight train: unknown: --faster. `headlight train --help` shows what there is.",
        ),
        ("train", "headlight: train: expected a preset or a YAML file, or --resume RUN."),
        ("train copy_task --resume x", "headlight: train: copy_task begins a run, and --resume continues one, with"),
        ("train --resume x --run-dir y", "headlight: --run-dir names a new run's folder;"),
        ("train --resume x --seeds 0,1", "headlight: --seeds begins several new runs:"),
        ("train copy_task --seeds 0,1 --run-dir y", "headlight: --seeds begins several new runs:"),
        ("train copy_task --seeds 0,one", "headlight: --seeds 0,one: expected two or more different whole numbers"),
        ("train copy_task --seeds 1,1", "headlight: --seeds 1,1: expected two or more different whole numbers"),
        (
            "train copy_task --seeds 0,4294967296",
            "headlight: --seeds 0,4294967296: expected two or more different whole",
        ),
        (
            "train copy_task --seeds 0,1 --set seed=3",
            "headlight: --seeds gives each run its seed: it cannot be combined with",
        ),
        (f"train copy_task --seeds 1,{'9' * 5000}", f"headlight: --seeds 1,{'9' * 5000}: expected two or more"),
        (
            "train copy_task --seeds 3",
            "headlight: --seeds 3: expected two or more different whole numbers less than 4,294,967,296, such as "
            "0,1,2. One run has no deviation: train it with --set seed=3.\n",
        ),
        ("evaluate", "headlight evaluate: the following arguments are required: RUN."),
        ("evaluate x --split train", "headlight evaluate: argument --split: invalid choice: 'train'"),
        ("evaluate x --checkpoint newest", "headlight evaluate: argument --checkpoint: expected best, last or a step,"),
        ("export x --format safetensors --output y", "headlight: x: there is no such run, neither as a path nor in"),
        ("runs show a --csv", "headlight runs show: unknown: --csv. `headlight runs show --help` shows what there is."),
        ("runs compare a b --csv --json", "headlight runs compare: argument --json: not allowed with argument --csv."),
        ("runs compare a b --split test", "headlight: --split: the figures compared are those of the runs' own valid"),
        ("runs compare a b --length-penalty 0", "headlight: --length-penalty: the figures compared are those of the"),
        ("runs compare a b --minimum-risk", "headlight: --minimum-risk: the figures compared are those of the runs'"),
        ("runs compare a b --plugins-dir x", "headlight: --plugins-dir: the figures compared are those of the runs'"),
        ("runs compare a b", "headlight: a: there is no such run, neither as a path nor in"),
        ("plugins check x", "headlight: There is no dataset plugin 'x'. Known are: addition,"),
        ("plugins check x.py", "headlight: x.py: expected a plugin's .py file, and there is none."),
        ("plugins new My-Words", "headlight: 'My-Words' is not a name for a plugin. Use lower-case letters, digits"),
        ("presets show copy_tsk", "headlight: copy_tsk: no such preset. Did you mean copy_task?"),
        (
            "train copy_task --set dataset.plugin=x",
            "headlight: --set dataset.plugin=x: There is no dataset plugin 'x'.",
        ),
        (
            "train copy_task --set dataset.options.num_symbols=x",
            "headlight: --set dataset.options.num_symbols=x: dataset.options.num_symbols: expected a whole number from",
        ),
        (
            "train copy_task --set dataset.options.min_length=99",
            "headlight: --set dataset.options.min_length=99: dataset.options: min_length 99 is above max_length 10.",
        ),
        (  # the setting that causes the error is named, not the last of its group
            "train copy_task --set dataset.options.min_length=99 --set dataset.options.num_symbols=9",
            "headlight: --set dataset.options.min_length=99: dataset.options: min_length 99 is above max_length 10.",
        ),
        (
            "train copy_task --set training.best_metric=valid/x",
            "headlight: --set training.best_metric=valid/x: training.best_metric: expected one of valid/bleu, ",
        ),
        (
            "train copy_task --set dataset.max_src_length=2",
            "headlight: --set dataset.max_src_length=2: dataset.max_src_length = 2: every pair of the train split is",
        ),
        ("runs show none", "headlight: none: there is no such run, neither as a path nor in"),
        *(
            (command.format("x" * 300), f"headlight: {'x' * 300}: File name too long. Name another place")
            for command in ("train {}", "runs list --runs-dir {}", "plugins check {}")
        ),
    ],
)
def test_a_wrong_call_gives_one_line_and_exit_2(argv: str, sentence: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(argv.split()) == 2
    out, err = capfd.readouterr()
    assert out == "" and err.startswith(sentence) and len(err.splitlines()) == 1


@pytest.mark.parametrize("number", [errno.ENOTCONN, errno.EIO, errno.ESTALE])
def test_a_drive_that_no_longer_answers_is_no_fault_of_ours(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(path: Path) -> bool:
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr("core.cli.runs.is_dir", fail)
    assert cli.main(["runs", "list", "--runs-dir", str(tmp_path)]) == 2
    why = f"{tmp_path}: {os.strerror(number)}. Name another place, or one that you may read and write."
    assert capfd.readouterr() == ("", f"headlight: {why}\n")


def test_several_processes_train_one_seed_at_a_time(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, number in {"RANK": "0", "WORLD_SIZE": "2", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "2"}.items():
        monkeypatch.setenv(name, number)
    assert cli.main(["train", "copy_task", "--seeds", "0,1"]) == 2
    assert capfd.readouterr().err.startswith(
        "headlight: --seeds works with one process only. Start torchrun once for each seed"
    )


@pytest.mark.parametrize("rank", ["0", "1"])
@pytest.mark.parametrize("verb", [["evaluate", "run"], ["translate", "run", "a"], ["presets", "list"]])
def test_several_processes_do_nothing_but_train(
    rank: str, verb: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, number in {"RANK": rank, "WORLD_SIZE": "2", "LOCAL_RANK": rank, "LOCAL_WORLD_SIZE": "2"}.items():
        monkeypatch.setenv(name, number)
    assert cli.main(verb) == 2
    out, err = capfd.readouterr()
    name = " ".join(verb) if verb[0] == "presets" else verb[0]
    assert (out, err) == ("", f"headlight: `{name}` works with one process only. Start it without torchrun.\n")


@pytest.mark.parametrize("options", [(), ("--resume", "x")])
def test_an_empty_preset_name_is_refused(options: tuple[str, ...], capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["train", "", *options]) == 2
    why = "train: expected a preset or a YAML file, given an empty text. `presets list` shows the presets."
    assert capfd.readouterr() == ("", f"headlight: {why}\n")


def test_a_schedulers_variables_are_not_taken_for_torchrun(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, number in {"RANK": "1", "WORLD_SIZE": "2"}.items():
        monkeypatch.setenv(name, number)
    assert cli.main(["train"]) == 2
    assert capfd.readouterr().err.startswith("headlight: train: expected a preset or a YAML file")


def test_an_interpreter_without_permission_is_not_reported_as_the_users_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    python = tmp_path / "python"
    python.touch(mode=0o600)
    monkeypatch.setattr(sys, "executable", str(python))
    assert cli.main(["plugins", "list", "--plugins-dir", str(tmp_path)]) == 1
    message = capfd.readouterr().err
    assert message.startswith("headlight: a fault of ours (PermissionError: ") and str(python) in message


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot remove a process's current folder")
@pytest.mark.parametrize("argv", ["train copy_task --set training.max_steps=1", "evaluate ../run", "runs list"])
def test_a_removed_working_directory_is_reported_only_where_it_is_needed(tmp_path: Path, argv: str) -> None:
    removed_folder = tmp_path / "place"
    removed_folder.mkdir()
    result = python(
        f"import os; os.rmdir({str(removed_folder)!r})\nfrom core import cli; sys.exit(cli.main({argv.split()!r}))",
        removed_folder,
    )
    if argv == "runs list":
        assert (result.returncode, result.stderr) == (0, "")
    else:
        message = "headlight: the current folder was removed. Go to one that exists.\n"
        assert (result.returncode, result.stderr) == (2, message)


def test_a_missing_file_without_a_name_is_not_reported_as_a_removed_folder(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def nothing_there(_: object) -> int:
        raise FileNotFoundError(errno.ENOENT, "No such thing")

    monkeypatch.setattr("core.cli.presets.list_presets", nothing_there)
    assert cli.main(["presets", "list"]) == 1
    assert "No such thing" in capfd.readouterr().err


def test_an_internal_error_is_one_line_and_its_traceback_is_logged(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    # Raises TypeError for a Namespace, as any bug might.
    monkeypatch.setitem(cli.VERBS, "presets list", ("json", "loads"))
    assert cli.main(["presets", "list"]) == 1
    out, err = capfd.readouterr()
    assert out == "" and len(err.splitlines()) == 1 and err.startswith("headlight: a fault of ours (TypeError: ")
    log = Path(err.strip().rpartition("with ")[2])
    assert "Traceback" in log.read_text(encoding="utf-8")


INTERRUPTED_MODULE = """
import os, signal
try:
    os.kill(os.getpid(), signal.SIGINT)
except KeyboardInterrupt:
    raise ValueError("KeyboardInterrupt") from None
"""


@pytest.mark.skipif(sys.platform == "win32", reason="on Windows, os.kill ends a process at once")
def test_ctrl_c_is_no_internal_error_though_a_library_makes_one_of_it(tmp_path: Path) -> None:
    """As pydantic does while it is imported."""
    (tmp_path / "interrupted.py").write_text(INTERRUPTED_MODULE, encoding="utf-8")
    code = f"sys.path.append({str(tmp_path)!r})\nfrom core import cli\n"
    code += "cli.VERBS['presets list'] = ('interrupted', 'main')\nsys.exit(cli.main(['presets', 'list']))"
    result = python(code, tmp_path)
    assert (result.returncode, result.stderr) == (128 + signal.SIGINT, "headlight: ended by SIGINT.\n")


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    command = f"'{sys.executable}' '{ROOT / 'main.py'}' presets list; echo $? >&2"
    result = subprocess.run(
        ["bash", "-c", f"({command}) | true"], cwd=tmp_path, capture_output=True, text=True, timeout=200
    )
    assert result.stderr == "0\n"


def test_a_preset_is_printed_verbatim(headlight: Headlight) -> None:
    result = headlight("presets", "show", "copy_task")
    assert result.returncode == 0 and result.stderr == ""
    assert result.stdout == (ROOT / "resources" / "presets" / "copy_task.yaml").read_text(encoding="utf-8")
