"""The progress that training shows on the terminal."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tqdm import tqdm

from core.cli.terminal_progress import TerminalProgress, texts_bar
from core.config import RunConfig
from core.errors import UserError
from core.events import Prepared, Progress, RunStarted, SettingChanged, StepsDone, Trouble, ValidationDone

PREPARED = Prepared(
    config=RunConfig.model_validate({"dataset": {"plugin": "x"}, "name": "tiny"}),
    num_parameters=1234,
    src_tokens=tuple("abcde"),
    tgt_tokens=tuple("abcdef"),
    num_pairs={"train": None, "valid": 10, "test": 10},
    left_out={"train": 0, "valid": 0, "test": 0},
    limits={},
    examples=(),
    run=None,
    picked="precision: float32 (why)",
)


def test_the_name_of_a_strangers_run_cannot_control_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    show = TerminalProgress()
    show(replace(PREPARED, config=PREPARED.config.model_copy(update={"name": "a\x9b31m"})))
    show(RunStarted(run=Path("some-run"), step=0))
    show.close()
    assert "\na\\x9b31m: 1,234 parameters" in f"\n{capsys.readouterr().err}"


def test_run_steps_and_validations_are_shown_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    show = TerminalProgress()
    arrays = {"train/loss": np.array([2.0, 1.25]), "train/target_tokens_per_second": np.array([900.0, 12_345.0])}
    for event in (
        Progress(stage="drawing pairs", done=1, total=None),
        Progress(stage="drawing pairs", done=2, total=None),
        PREPARED,
        RunStarted(run=Path("some-run"), step=0),
        StepsDone(first_step=1, arrays=arrays),
        ValidationDone(
            step=2,
            metrics={"valid/loss": 0.123456, "valid/perplexity": 1.1, "valid/bleu": 40.0, "valid/letters_heard": 0.5},
            sentences=(),
            is_best=True,
        ),
        Trouble(sentence="The disk is full.", advice="Make room."),
    ):
        show(event)
    show.close()
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(
        "tiny: 1,234 parameters, 5 source and 6 target tokens, endless pairs to train on\n"
        "precision: float32 (why)\nrun some-run\n"
    )
    for part in (
        "run some-run",
        "step 2: loss 0.1235, bleu 40, letters_heard 0.5  * best",
        "The disk is full. Make room.",
    ):
        assert part in err
    assert "loss 1.250, 12,345 tok/s" in err


def test_a_changed_setting_is_shown_as_yaml_writes_it(capsys: pytest.CaptureFixture[str]) -> None:
    show = TerminalProgress()
    show(SettingChanged(step=7, key="training.early_stopping", value=None))
    show(SettingChanged(step=7, key="training.label_smoothing", value=0.2))
    assert capsys.readouterr().err.splitlines() == [
        "step 7: training.early_stopping = null from here on",
        "step 7: training.label_smoothing = 0.2 from here on",
    ]


def test_one_pair_is_written_in_the_singular(capsys: pytest.CaptureFixture[str]) -> None:
    show = TerminalProgress()
    show(replace(PREPARED, num_pairs=PREPARED.num_pairs | {"train": 1}))
    show(RunStarted(run=Path("some-run"), step=0))
    show.close()
    assert capsys.readouterr().err.splitlines()[0].endswith("6 target tokens, 1 pair to train on")


def test_pairs_that_are_too_long_are_counted_before_the_run_begins(capsys: pytest.CaptureFixture[str]) -> None:
    show = TerminalProgress()
    lengths = {"max_src_length": 40, "max_tgt_length": 50}
    config = RunConfig.model_validate({"dataset": {"plugin": "x", **lengths}, "name": "tiny"})
    for event in (
        replace(PREPARED, config=config, left_out={"train": 1200, "valid": 3, "test": 0}),
        RunStarted(run=Path("some-run"), step=0),
    ):
        show(event)
    show.close()
    assert capsys.readouterr().err.splitlines()[1] == (
        "left out, longer than dataset.max_src_length = 40 or dataset.max_tgt_length = 50: "
        "1,200 of the first shard of train pairs, 3 of 13 valid pairs"
    )


def test_a_stage_shows_the_time_left(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1e9
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("tqdm.std.time", lambda: now)
    show = TerminalProgress()
    for done, total in ((1000, 4900), (2_500_000, 5_000_000)):
        now += 1.0
        show(Progress(stage="drawing train pairs", done=done, total=total))
    show.close()
    assert re.search(r"drawing train pairs:  50%.* 2\.50M/5\.00M \[00:01<00:01, .*/s", capsys.readouterr().err)


def test_a_finished_stage_leaves_its_line_to_the_next_output(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    show = TerminalProgress()
    show(Progress(stage="decoding valid sentences", done=4, total=4))
    bar, blanks = capsys.readouterr().err.rstrip("\r").rsplit("\r", 1)
    assert "decoding valid sentences" in bar and blanks.isspace()
    show.close()


def test_a_stage_without_a_count_shows_the_elapsed_time(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1e9
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("tqdm.std.time", lambda: now)
    show, shown = TerminalProgress(), []
    for _ in range(4):
        show(Progress(stage="learning source subwords", done=29_000, total=None))
        shown.append(capsys.readouterr().err.rpartition("\r")[2].strip())
        now += 0.05 if now == 1e9 else 7.0
    show.close()
    assert shown[1:] == [f"learning source subwords: 29.0k [00:{seconds}]" for seconds in ("00", "07", "14")]


def test_an_interrupted_bar_leaves_its_line_to_the_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with pytest.raises(UserError), texts_bar(3, shown=True):
        raise UserError("The disk is full.")
    bar, blanks = capsys.readouterr().err.rstrip("\r").rsplit("\r", 1)
    assert "0/3" in bar and "\n" not in bar and blanks.isspace()


def test_a_log_file_gets_a_line_for_each_state_of_a_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with texts_bar(3, shown=True) as bar:
        tqdm.write("warning", file=sys.stderr)
        bar.update(3)
    first, warning, last = capsys.readouterr().err.splitlines()
    assert first.startswith("0%|") and warning == "warning" and last.startswith("100%|") and "3/3" in last


def test_a_slow_bar_shows_its_speed_in_the_unit_of_a_fast_one(capsys: pytest.CaptureFixture[str]) -> None:
    with texts_bar(8, shown=True) as bar:
        bar.start_t -= 10.0  # as if it had begun ten seconds ago
        bar.update(5)
        bar.refresh()
    assert "0.50 texts/s" in capsys.readouterr().err


def test_a_stage_ends_when_the_run_is_ready(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    show = TerminalProgress()
    for event in (Progress(stage="drawing train pairs", done=1, total=None), PREPARED):
        show(event)
    print("next", file=sys.stderr)
    assert capsys.readouterr().err.rpartition("\r")[2] == "next\n"
