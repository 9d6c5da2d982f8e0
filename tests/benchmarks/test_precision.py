"""The presets that are compared in two number formats, and a row of the table."""

from __future__ import annotations

from contextlib import nullcontext
from io import StringIO
from pathlib import Path
from subprocess import PIPE
from types import SimpleNamespace

import pytest

from benchmarks import check_quality, command_line
from benchmarks.precision import FORMATS, TASKS_BY_PRESET, TEACHING, comparisons
from core.run_folder import RunFolder
from tests.in_process import run_headlight


def test_a_missing_corpus_is_skipped_with_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cmudict").mkdir()
    found = list(comparisons([*TEACHING, *TASKS_BY_PRESET], tmp_path))
    assert [one.preset for one in found] == [*TEACHING, "joeynmt_reverse", "cmudict_letters"]
    assert found[-1].command == ["train", "cmudict_letters", "--set", f"dataset.options.folder={tmp_path}/cmudict"]
    assert capsys.readouterr().err == (
        f"multi30k: skipped, since there is no folder multi30k/lc.norm.tok in DATA ({tmp_path}).\n"
    )


def test_a_row_has_both_formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engines_share_a_host: None) -> None:
    """The benchmark's commands run in this process here, and have ended when it reads what they print."""

    def start(command: list[str], **_: object) -> nullcontext[SimpleNamespace]:
        done = run_headlight(*command[2:], cwd=tmp_path)
        return nullcontext(SimpleNamespace(stdout=StringIO(done.stdout), returncode=done.returncode))

    in_process = SimpleNamespace(
        run=lambda command, **_: run_headlight(*command[2:], cwd=tmp_path), Popen=start, PIPE=PIPE
    )
    for module in (check_quality, command_line):
        monkeypatch.setattr(module, "subprocess", in_process)
    (one,) = comparisons(["copy_task"], None)
    preset, seed, metric, *figures = one.row(1, 2, tmp_path).strip("| ").split(" | ")
    assert (preset, seed, metric) == ("copy_task", "1", "exact_match")
    assert len(figures) == 4 and all(float(figure) >= 0 for figure in figures)
    for precision in FORMATS:
        config = RunFolder.open(tmp_path / f"copy_task 1 {precision}").config()
        assert (config.seed, config.training.max_steps, config.training.precision) == (1, 2, precision)
