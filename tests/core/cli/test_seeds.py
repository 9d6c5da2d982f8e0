"""`train --seeds`: its means, and what happens if a seed cannot be trained."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path
from signal import SIGINT
from subprocess import CompletedProcess
from typing import Any

import pytest

from core.cli import train as cli_train
from core.cli.engine_client import EngineClient
from core.cli.seeds import new_group_name
from core.config import config_to_yaml
from core.events import FinishReason, RunFinished
from core.requests import Start
from core.run_folder import RunFolder, list_runs
from tests.core.watcher import tiny_config
from tests.in_process import run_headlight


def train_with_seeds(workspace: Path, *options: str) -> CompletedProcess[str]:
    (workspace / "tiny.yaml").write_text(config_to_yaml(tiny_config(max_steps=2)), encoding="utf-8")
    return run_headlight("train", "tiny.yaml", "--seeds", "0,1", "--runs-dir", "runs", *options, cwd=workspace)


def train_output(workspace: Path, *options: str) -> str:
    """The standard output of a successful `train --seeds`."""
    result = train_with_seeds(workspace, *options)
    assert result.returncode == 0, result.stderr
    return result.stdout


def means_heading(workspace: Path, *options: str) -> list[str]:
    """The lines between those of the last run and the table of means."""
    return [
        line
        for line in train_output(workspace, *options).rpartition("\n\n")[2].splitlines()
        if "±" not in line or "group" in line
    ]


def few_pairs(workspace: Path) -> tuple[str, str]:
    """Write a corpus whose validation decodes every sentence; return the options to train on it."""
    for split, count in (("train", 20), ("valid", 3)):
        (workspace / f"{split}.tsv").write_text("a b\tb a\n" * count, encoding="utf-8")
    options = f"{{folder: {workspace}, train_source: train.tsv, valid_source: valid.tsv}}"
    return "--set", f"dataset={{plugin: parallel_text, options: {options}}}"


def test_means_over_some_sentences_say_so(tmp_path: Path) -> None:
    group, decoded = means_heading(tmp_path)
    assert group.endswith("mean of 2 runs ± standard deviation, at the last step of each")
    assert decoded == (
        "decoded were the first 256 of 1,000 validation sentences (for valid/bleu and the like, not valid/loss); "
        "`evaluate` of these runs gives the mean over all"
    )


def test_means_over_all_sentences_need_no_note(tmp_path: Path) -> None:
    assert len(means_heading(tmp_path, *few_pairs(tmp_path))) == 1


def test_json_always_has_the_number_of_sentences(tmp_path: Path) -> None:
    def last(*options: str) -> dict[str, Any]:
        record: dict[str, Any] = json.loads(train_output(tmp_path, "--json", *options).splitlines()[-1])
        return record

    records = last(), last(*few_pairs(tmp_path))
    counts = [(record["valid_sentences"], record["decoded_sentences"]) for record in records]
    assert counts == [(1000, 256), (3, 3)]


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_the_second_seed_is_not_trained_on_a_changed_corpus(
    tmp_path: Path, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, train = few_pairs(tmp_path), cli_train._train_run

    def trained_and_changed(*arguments: Any) -> Any:
        ended = train(*arguments)
        (tmp_path / "valid.tsv").write_text("a\ta\n" * 3, encoding="utf-8")
        return ended

    monkeypatch.setattr(cli_train, "_train_run", trained_and_changed)
    result = train_with_seeds(tmp_path, *corpus, *options)
    assert result.returncode == 2
    (run,) = list_runs(tmp_path / "runs")
    message = result.stderr.splitlines()[-1]
    assert message.startswith(
        "headlight: The dataset 'parallel_text' gives other pairs now than to seed 0: trained with these, seed 1 would "
        "have no common mean with what was trained before, which is saved. Undo what was changed in its files or code "
        "(still to train: seed 1, each by itself: headlight train tiny.yaml "
    )
    assert RunFolder.open(run).config().seed == 0
    assert "±" not in result.stdout and "seeds_finished" not in result.stdout


def test_all_seeds_have_the_settings_of_the_first_though_their_file_is_edited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = cli_train._train_run

    def trained_and_edited(*arguments: Any) -> Any:
        ended = train(*arguments)
        (tmp_path / "tiny.yaml").write_text(config_to_yaml(tiny_config(max_steps=1)), encoding="utf-8")
        return ended

    monkeypatch.setattr(cli_train, "_train_run", trained_and_edited)
    assert train_with_seeds(tmp_path).returncode == 0
    configs = [RunFolder.open(run).config() for run in list_runs(tmp_path / "runs")]
    assert [(config.seed, config.training.max_steps) for config in configs] == [(0, 2), (1, 2)]


def test_the_remaining_seeds_are_named_if_the_second_cannot_be_prepared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, train = few_pairs(tmp_path), cli_train._train_run

    def trained_and_lost(*arguments: Any) -> Any:
        ended = train(*arguments)
        (tmp_path / "valid.tsv").unlink(missing_ok=True)
        return ended

    monkeypatch.setattr(cli_train, "_train_run", trained_and_lost)
    result = train_with_seeds(tmp_path, *corpus)
    assert result.returncode == 2
    message = result.stderr.splitlines()[-1].partition(" (still to train: seed 1, each by itself: headlight ")[2]
    command, _, rest = message.partition("; ")
    assert rest == "`runs compare` gives the mean of all)."
    few_pairs(tmp_path)
    assert run_headlight(*shlex.split(command), cwd=tmp_path).returncode == 0
    assert {RunFolder.open(run).config().seed for run in list_runs(tmp_path / "runs")} == {0, 1}


def test_a_signal_too_late_for_one_seed_stops_the_remaining_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn = EngineClient.learn

    def learned_and_signalled(self: EngineClient, start: Start | None) -> RunFinished:
        finished = learn(self, start)
        self._on_signal(SIGINT)
        return finished

    monkeypatch.setattr(EngineClient, "learn", learned_and_signalled)
    result = train_with_seeds(tmp_path, *few_pairs(tmp_path))
    assert result.returncode == 128 + SIGINT
    message = (
        "headlight: ended by SIGINT after seed 0 (still to train: seed 1, each by itself: headlight train tiny.yaml "
    )
    assert result.stderr.splitlines()[-1].startswith(message)
    (run,) = list_runs(tmp_path / "runs")
    assert RunFolder.open(run).state.reason == "max_steps"


@pytest.mark.parametrize(
    ("reason", "code", "message"),
    [
        ("max_steps", 128 + SIGINT, "ended by SIGINT after seed 0"),
        ("stopped", 128 + SIGINT, "stopped at step 2 (SIGINT); "),
        ("diverged", 3, "stopped at step 2 (diverged); what was saved cannot be read. "),
    ],
)
def test_a_damaged_run_does_not_hide_how_its_training_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: FinishReason, code: int, message: str
) -> None:
    learn = EngineClient.learn

    def learned_and_damaged(self: EngineClient, start: Start | None) -> RunFinished:
        finished = learn(self, start)
        (finished.run / "config.yaml").write_text("seed: 1", encoding="utf-8")
        if reason != "diverged":
            self._on_signal(SIGINT)
        return replace(finished, reason=reason)

    monkeypatch.setattr(EngineClient, "learn", learned_and_damaged)
    result = train_with_seeds(tmp_path, *few_pairs(tmp_path))
    assert result.returncode == code
    assert any(line.startswith(f"headlight: {message}") for line in result.stderr.splitlines())


def test_two_seeds_have_no_mean_if_the_corpus_changed_between_them(tmp_path: Path) -> None:
    corpus = few_pairs(tmp_path)
    (tmp_path / "tiny.yaml").write_text(config_to_yaml(tiny_config(max_steps=2)), encoding="utf-8")
    for seed in (0, 1):
        trained = run_headlight(
            "train", "tiny.yaml", *corpus, "--set", f"seed={seed}", "--runs-dir", "runs", cwd=tmp_path
        )
        assert trained.returncode == 0, trained.stderr
        (tmp_path / "valid.tsv").write_text("a\ta\n" * 3, encoding="utf-8")
    first, other = list_runs(tmp_path / "runs")
    compared = run_headlight("runs", "compare", first, other, "--csv", cwd=tmp_path)
    assert (compared.returncode, len(compared.stdout.splitlines())) == (0, 3)
    assert compared.stderr == (
        f"warning: {first.name} and {other.name} were trained with the same settings on different data, for the "
        "corpus was changed, and have no common mean\n"
    )


def test_two_commands_in_the_same_second_have_different_groups() -> None:
    assert new_group_name("tiny") != new_group_name("tiny")
