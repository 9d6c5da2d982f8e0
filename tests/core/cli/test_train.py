"""Calls of `train` that cannot be understood; whole trainings are in tests/test_end_to_end.py."""

from __future__ import annotations

import pytest

from core import cli


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        ("train", "headlight: train: expected a preset or a YAML file, or --resume RUN."),
        ("train copy_task --resume x", "headlight: train: expected a preset or a YAML file, or --resume RUN."),
        ("train --resume x --run-dir y", "headlight: --run-dir names a new run's folder;"),
        ("train --resume x --seeds 0,1", "headlight: --seeds begins several new runs:"),
        ("train copy_task --seeds 0,1 --run-dir y", "headlight: --seeds begins several new runs:"),
        ("train copy_task --seeds 0,one", "headlight: --seeds 0,one: expected two or more different whole numbers"),
        ("train copy_task --seeds 1,1", "headlight: --seeds 1,1: expected two or more different whole numbers"),
        ("train copy_task --seeds 3", "headlight: --seeds 3: expected two or more different whole numbers"),
    ],
)
def test_what_is_wrong_with_a_call_is_one_line_and_exit_2(
    argv: str, sentence: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(argv.split()) == 2
    out, err = capfd.readouterr()
    assert out == "" and err.startswith(sentence) and len(err.splitlines()) == 1


def test_several_processes_train_one_seed_at_a_time(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, number in {"RANK": "0", "WORLD_SIZE": "2", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "2"}.items():
        monkeypatch.setenv(name, number)
    assert cli.main(["train", "copy_task", "--seeds", "0,1"]) == 2
    assert capfd.readouterr().err.startswith("headlight: --seeds goes with one process. Start torchrun once a seed")
