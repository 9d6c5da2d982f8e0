"""`evaluate` names the sentences and weights of its figures, and warns of anything unexpected."""

from __future__ import annotations

import json
import os
import shutil
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

from core import cli
from core.cli.streams import discard_output
from core.engine import Engine
from core.errors import UserError
from core.exporting.sharing import receive, share
from core.requests import Learn, OpenRun, Stop
from core.run_folder import RunFolder
from tests.core.cli.conftest import FILES
from tests.core.watcher import answered, begun, tiny_config
from tests.in_process import run_headlight


def evaluate(workspace: Path, *options: str, run: str = "run") -> tuple[dict[str, Any], list[str]]:
    """Run `evaluate --json`; return its record and the lines of standard error."""
    result = run_headlight("evaluate", workspace / run, "--json", *options, cwd=workspace)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout), result.stderr.splitlines()


def test_the_reason_for_missing_pairs_is_given(workspace: Path, missing_file: Path) -> None:
    result = run_headlight("evaluate", workspace / "run", cwd=workspace)
    (why,) = result.stderr.splitlines()
    assert (result.returncode, result.stdout) == (2, "")
    assert (
        why.startswith("headlight: ")
        and f"there is no {missing_file}." in why
        and f"If its files are not in {workspace}" in why
    )


@pytest.mark.parametrize(
    ("setting", "is_at_fault"),
    [("test_source=held_out.tsv", False), ("folder=elsewhere", True), ("train_source=moved.source", True)],
)
def test_a_missing_file_is_blamed_on_the_setting_that_names_it_alone(
    workspace: Path, missing_file: Path, setting: str, is_at_fault: bool
) -> None:
    given = f"dataset.options.{setting}"
    result = run_headlight("evaluate", workspace / "run", "--set", given, cwd=workspace)
    prefix = f"--set {given}: " if is_at_fault else ""
    assert result.stderr.startswith(f"headlight: {prefix}dataset.options.train_source: there is no "), result.stderr


def test_no_location_is_asked_for_if_no_file_is_missing(workspace: Path) -> None:
    repeated_source = "dataset.options.test_source=valid.source"
    result = run_headlight("evaluate", workspace / "run", "--split", "test", "--set", repeated_source, cwd=workspace)
    assert result.returncode == 2
    message = f"dataset.options.test_source: {workspace / 'valid.source'} is valid_source already. Name another file."
    assert result.stderr.splitlines() == [f"headlight: --set {repeated_source}: {message}"]


def test_a_moved_corpus_is_found_by_its_new_folder(workspace: Path, moved_corpus: Path) -> None:
    record, errors = evaluate(workspace, "--set", f"dataset.options.folder={moved_corpus}")
    assert (record["sentences"], len(errors)) == (4, 1)


def test_a_different_corpus_in_the_new_folder_is_refused(workspace: Path, moved_corpus: Path) -> None:
    train = moved_corpus / "train.target"
    text = train.read_text(encoding="utf-8")
    train.write_text(text.replace("a b", "b b", 1), encoding="utf-8")
    result = run_headlight(
        "evaluate", workspace / "run", "--set", f"dataset.options.folder={moved_corpus}", cwd=workspace
    )
    train.write_text(text, encoding="utf-8")
    assert result.returncode == 2
    assert result.stderr.startswith(
        "headlight: The dataset 'parallel_text' gives different pairs than when this run was trained: as many in each "
        "split, but not the same. Undo what was changed in its options, files or code. "
    )
    assert f"If its files are not in {moved_corpus}, put them" in result.stderr


def test_splits_that_have_more_or_fewer_pairs_now_are_named(workspace: Path) -> None:
    kept = {name: (workspace / name).read_text(encoding="utf-8") for name in FILES.values()}
    for name, text in kept.items():
        lines = text.splitlines(keepends=True)
        (workspace / name).write_text("".join(lines[:-3] if name.startswith("train") else lines * 2), encoding="utf-8")
    result = run_headlight("evaluate", workspace / "run", cwd=workspace)
    for name, text in kept.items():
        (workspace / name).write_text(text, encoding="utf-8")
    assert result.returncode == 2
    assert (
        "when this run was trained: its train split has 27, and had 30; its valid split has 10, and had 5; "
        "its test split has 10, and had 5. Undo"
    ) in result.stderr


@pytest.fixture
def other_options(workspace: Path) -> tuple[str, ...]:
    """Options that replace the test split by three other pairs."""
    for name in ("other.source", "other.target"):
        (workspace / name).write_text("c b\nb c\na a\n", encoding="utf-8")
    named = ("dataset.options.test_source=other.source", "dataset.options.test_target=other.target")
    return tuple(word for setting in named for word in ("--set", setting))


def test_other_held_out_pairs_are_scored_and_named(workspace: Path, other_options: tuple[str, ...]) -> None:
    record, errors = evaluate(workspace, "--split", "test", "--predictions", "said.tsv", *other_options)
    named = {"dataset.options.test_source": "other.source", "dataset.options.test_target": "other.target"}
    assert (record["sentences"], record["other_pairs"], record["is_valid_again"]) == (3, named, False)
    assert errors == [
        "warning: these are not the run's own test pairs, but those of "
        "dataset.options.test_source=other.source, dataset.options.test_target=other.target"
    ]
    scored = (workspace / "said.tsv").read_text(encoding="utf-8").splitlines()[1:]
    assert [line.split("\t")[0] for line in scored] == ["c b", "b c", "a a"]
    lines = run_headlight(
        "evaluate", workspace / "run", "--split", "test", *other_options, cwd=workspace
    ).stdout.splitlines()
    assert lines[-2:] == ["dataset.options.test_source other.source", "dataset.options.test_target other.target"]


def test_new_sources_scored_against_the_runs_own_references_are_reported(workspace: Path) -> None:
    (workspace / "new.source").write_text("c b\nb c\na a\nb\na\n", encoding="utf-8")
    _, errors = evaluate(workspace, "--set", "dataset.options.valid_source=new.source")
    assert errors[0] == (
        "warning: these are not the run's own valid pairs, but those of dataset.options.valid_source=new.source "
        "with its own dataset.options.valid_target=valid.target"
    )


def test_a_split_that_is_not_overridden_is_the_runs_own(workspace: Path, other_options: tuple[str, ...]) -> None:
    (own, _), (overridden, errors) = evaluate(workspace), evaluate(workspace, *other_options)
    assert overridden["other_pairs"] == own["other_pairs"] == {}
    assert errors[0] == (
        "warning: these are the run's own valid pairs: --set gives other test pairs, which --split test scores"
    )
    assert len(errors) == 2, "the pairs that are too long are reported too"
    assert overridden | {"seconds": 0} == own | {"seconds": 0}


def test_training_pairs_cannot_be_replaced(workspace: Path, other_options: tuple[str, ...]) -> None:
    for name in ("less.source", "less.target"):
        (workspace / name).write_text("a b\nb c\nc a\n", encoding="utf-8")
    named = ("dataset.options.train_source=less.source", "dataset.options.train_target=less.target")
    set_train = ("--set", named[0], "--set", named[1])
    result = run_headlight("evaluate", workspace / "run", "--split", "test", *other_options, *set_train, cwd=workspace)
    assert (result.returncode, result.stdout) == (2, "")
    assert "its train split has 3, and had 30; its test split has 3, and had 5." in result.stderr


def test_held_out_pairs_cannot_be_replaced_without_the_training_pairs(
    workspace: Path, moved_corpus: Path, other_options: tuple[str, ...]
) -> None:
    options = [word.replace("=other", f"={workspace}/other") for word in other_options]
    folder = ("--set", f"dataset.options.folder={moved_corpus}")
    result = run_headlight("evaluate", workspace / "run", "--split", "test", *options, *folder, cwd=workspace)
    assert result.returncode == 2 and "can be scored only where its own can be read too." in result.stderr


def test_a_run_with_other_held_out_pairs_cannot_be_trained_further(
    workspace: Path, other_options: tuple[str, ...]
) -> None:
    options = dict(word.removeprefix("dataset.options.").split("=") for word in other_options[1::2])
    with Engine(cache_dir=workspace / "cache") as engine:
        answered(engine, OpenRun(run=workspace / "run", dataset_options=tuple(options.items()), purpose="evaluate"))
        with pytest.raises(UserError, match="other held-out pairs cannot continue learning"):
            answered(engine, Learn(steps=1))


def test_an_exported_run_has_no_pairs(workspace: Path, tmp_path: Path) -> None:
    exported = tmp_path / "exported"
    run_headlight("export", workspace / "run", "--format", "safetensors", "--output", exported, cwd=workspace)
    result = run_headlight("evaluate", exported, cwd=workspace)
    assert result.returncode == 2
    assert result.stderr.startswith(
        "headlight: exported is a shared run, as `export` makes them: weights, settings and "
    )


def test_a_shared_run_has_no_dataset_to_set(workspace: Path) -> None:
    file = workspace / "run.headlight"
    share(RunFolder.open(workspace / "run"), file)
    shared = receive(file, workspace)
    result = run_headlight("evaluate", shared, "--set", "dataset.options.folder=elsewhere", cwd=workspace)
    assert result.returncode == 2 and f"{shared.name} is a shared run" in result.stderr


@pytest.mark.parametrize(
    ("setting", "error"),
    [
        (
            "decoding.beam_size=2",
            "decoding.beam_size: expected an option of the dataset, such as dataset.options.folder.",
        ),
        ("corpus", "corpus: expected KEY=VALUE, such as dataset.options.folder=FOLDER."),
    ],
)
def test_only_the_datasets_options_can_be_set(workspace: Path, setting: str, error: str) -> None:
    result = run_headlight("evaluate", workspace / "run", "--set", setting, cwd=workspace)
    assert (result.returncode, result.stderr) == (2, f"headlight: --set {error}\n")


@pytest.fixture
def run_copy(workspace: Path) -> Path:
    """A second run on the same data, for a paired test."""
    return shutil.copytree(workspace / "run", workspace / "copy", dirs_exist_ok=True)


def test_a_paired_test_reports_a_missing_corpus_file(workspace: Path, run_copy: Path, missing_file: Path) -> None:
    result = run_headlight(
        "runs", "compare", "run", run_copy, "--paired-bootstrap", "--runs-dir", workspace, cwd=workspace
    )
    assert result.returncode == 2 and f"there is no {missing_file}." in result.stderr.splitlines()[0]


def test_a_paired_test_accepts_a_moved_corpus(workspace: Path, run_copy: Path, moved_corpus: Path) -> None:
    paired = ("runs", "compare", "run", run_copy, "--paired-bootstrap", "--json", "--runs-dir", workspace)
    result = run_headlight(*paired, "--set", f"dataset.options.folder={moved_corpus}", cwd=workspace)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout.splitlines()[0])["sentences"] == 4
    refused = run_headlight(*paired, "--set", "decoding.beam_size=2", cwd=workspace)
    assert (refused.returncode, refused.stderr.split(":")[1]) == (2, " --set decoding.beam_size")


def test_translating_needs_no_pairs(workspace: Path, missing_file: Path) -> None:
    result = run_headlight("translate", workspace / "run", "a b", cwd=workspace)
    assert (result.returncode, result.stderr) == (0, "warning: the output was cut at the longest length\n")


class _Terminal(TextIOWrapper):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_the_progress_of_evaluation(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.in_process.TextIOWrapper", _Terminal)
    _, errors = evaluate(workspace)
    output = "\n".join(errors)  # `splitlines` splits at each redrawing of the bar
    assert "scoring valid sentences" in output and "decoding valid sentences" in output


def test_a_damaged_checkpoint_replaced_by_the_previous_one_is_named(workspace: Path) -> None:
    damaged = shutil.copytree(workspace / "run", workspace / "damaged")
    weights = damaged / "checkpoints" / "000020" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1])
    record, errors = evaluate(workspace, "--checkpoint", "last", run="damaged")
    assert record["checkpoint"] == 10
    assert errors[0].startswith(f"{weights}: the file is damaged") and "of step 10;" in errors[0]


def test_pairs_that_are_too_long_are_counted(workspace: Path) -> None:
    record, errors = evaluate(workspace)
    assert (record["sentences"], record["left_out"], record["is_valid_again"]) == (4, 1, False)
    assert errors == [
        "warning: 1 of 5 pairs of valid is longer than dataset.max_src_length or dataset.max_tgt_length, "
        "and is not scored"
    ]


def test_pairs_that_options_of_the_dataset_leave_out_are_counted(workspace: Path) -> None:
    options = {"valid_source": "gaps.source", "valid_target": "gaps.target", "empty_lines": "leave_out"}
    for side in ("source", "target"):
        (workspace / f"gaps.{side}").write_text("a b\nb a\nc\n" + "\n" * 2, encoding="utf-8")
    arguments = [word for key, value in options.items() for word in ("--set", f"dataset.options.{key}={value}")]
    record, errors = evaluate(workspace, *arguments)
    assert (record["sentences"], record["left_out"], record["plugin_left_out"]) == (3, 0, 2)
    assert errors[1:] == [
        "warning: 2 of 5 pairs of valid are left out by the dataset's own options, and are not scored"
    ]


def test_a_test_split_that_is_the_valid_split_again_is_noted(workspace: Path) -> None:
    record, errors = evaluate(workspace, "--split", "test")
    assert (record["split"], record["left_out"], record["is_valid_again"]) == ("test", 1, True)
    assert errors[1:] == [
        "warning: the dataset has no test pairs of its own: these are valid's, which chose the best checkpoint"
    ]


def test_checkpoints_that_were_averaged_are_named(workspace: Path) -> None:
    record, errors = evaluate(workspace, "--checkpoint", "last")
    assert (record["checkpoint"], record["averaged_steps"]) == (20, [10, 20])
    assert "averaged_steps" not in evaluate(workspace, "--checkpoint", "20")[0]
    text = run_headlight("evaluate", workspace / "run", "--checkpoint", "last", cwd=workspace).stdout.splitlines()
    assert text[2:4] == ["checkpoint 20", "averaged_steps 10, 20"]
    assert errors[0] == (
        "The weights of run are the mean of the checkpoints of steps 10, 20: "
        "2 of the 5 that training.average_checkpoints asks for."
    )
    single = shutil.copytree(workspace / "run", workspace / "single")
    shutil.rmtree(single / "checkpoints" / "000010")
    result = run_headlight("evaluate", single, "--checkpoint", "last", cwd=workspace)
    assert result.stderr.startswith(
        "The weights of single are those of the checkpoint of step 20: 1 of the 5 that training.average_checkpoints"
    )


@pytest.mark.parametrize("verb", [("evaluate",), ("translate", "a b"), ("export", "--format", "safetensors")])
def test_a_damaged_checkpoint_of_a_mean_is_named_with_another_way(
    workspace: Path, tmp_path: Path, verb: tuple[str, ...]
) -> None:
    shutil.copytree(workspace / "run", tmp_path / "run")
    damaged = tmp_path / "run" / "checkpoints" / "000010" / "model.safetensors"
    os.truncate(damaged, 1000)
    output = ("--output", "out") if verb[0] == "export" else ()
    command = (verb[0], "run", *verb[1:], *output, "--checkpoint")
    refused = run_headlight(*command, "last", cwd=tmp_path)
    (why,) = refused.stderr.splitlines()
    assert refused.returncode == 2 and why.startswith(f"headlight: {damaged}: the file is damaged ")
    assert why.endswith("Or choose a single checkpoint (--checkpoint best or STEP in a terminal).")
    assert run_headlight(*command, "20", cwd=tmp_path).returncode == 0


def test_before_any_validation_the_last_checkpoint_is_evaluated(tmp_path: Path) -> None:
    with Engine() as engine:
        run = begun(engine, tmp_path, checkpoint_every=2)
        answered(engine, Learn(steps=5))
        answered(engine, Stop())
    record, _ = evaluate(tmp_path, run=run.name)
    assert record["checkpoint"] == RunFolder.open(run).checkpoint_steps()[-1] == 5


def test_an_exported_run_does_not_mention_checkpoints_that_it_lacks(workspace: Path, tmp_path: Path) -> None:
    exported = tmp_path / "exported"
    run_headlight(
        "export",
        workspace / "run",
        "--format",
        "safetensors",
        "--checkpoint",
        "last",
        "--output",
        exported,
        cwd=workspace,
    )
    result = run_headlight("translate", exported, "a b", cwd=workspace)
    assert result.returncode == 0 and "mean" not in result.stderr


def test_predictions_that_cannot_be_written_are_refused_before_anything_is_decoded(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.cli.evaluate.evaluate_run", lambda *_: pytest.fail("the run was evaluated"))
    result = run_headlight("evaluate", workspace / "run", "--predictions", "nowhere/said.tsv", cwd=workspace)
    assert result.returncode == 2
    assert (
        result.stderr
        == "headlight: nowhere/said.tsv: cannot be written (No such file or directory). Name another place.\n"
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has /dev/full")
def test_predictions_are_kept_if_standard_output_cannot_be_written(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(workspace)
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr("sys.stdout", full)
        assert cli.main(["evaluate", str(workspace / "run"), "--json", "--predictions", "kept.tsv"]) == 2
        monkeypatch.undo()
        discard_output(full)  # closing it would fail to flush its buffer
    assert capfd.readouterr().err.endswith("headlight: Standard output cannot be written: No space left on device.\n")
    assert len((workspace / "kept.tsv").read_text(encoding="utf-8").splitlines()) == 5


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no /dev/stdout")
def test_predictions_on_standard_output_leave_the_rest_of_its_file(workspace: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("of an earlier command\n", encoding="utf-8")
    stdout = os.open(log, os.O_WRONLY | os.O_APPEND)  # as `>> log` opens it
    result = run_headlight(
        "evaluate", workspace / "run", "--json", "--predictions", "/dev/stdout", cwd=workspace, stdout=stdout
    )
    earlier, header, *predictions, figures = log.read_text(encoding="utf-8").splitlines()
    assert (result.returncode, earlier) == (0, "of an earlier command")
    assert header == "source\treference\thypothesis" and len(predictions) == json.loads(figures)["sentences"]


def test_predictions_have_a_row_for_each_sentence(workspace: Path) -> None:
    _, _ = evaluate(workspace, "--predictions", "said.tsv")
    head, *rows = [line.split("\t") for line in (workspace / "said.tsv").read_text(encoding="utf-8").splitlines()]
    assert head == ["source", "reference", "hypothesis"]
    assert [row[:2] for row in rows] == [["a b"] * 2, ["b a"] * 2, ["c"] * 2, ["a c"] * 2]


def test_a_moving_average_is_named(tmp_path: Path) -> None:
    with Engine(cache_dir=tmp_path / "cache") as engine:
        run = begun(engine, tmp_path, max_steps=2, ema_decay=0.5)
        answered(engine, Learn())
    assert json.loads(run_headlight("evaluate", run, "--json", cwd=tmp_path).stdout)["ema_decay"] == 0.5
    assert "ema_decay 0.5" in run_headlight("evaluate", run, cwd=tmp_path).stdout.splitlines()


ENDLESS_PLUGIN = """
from core.plugin import DatasetPlugin, Options, Pair


class Doubled(DatasetPlugin[Options]):
    \"\"\"Each letter twice.\"\"\"
    name = "doubled"
    title = "Doubled"
    tokenizer = "whitespace"
    endless = True

    def symbols(self):
        return LETTERS, LETTERS

    def pairs(self, split, rng):
        letters = [letter for letter in "abc" if split == "train" or letter != "a"]
        for _ in range(20 if split != "train" else 10**9):
            yield Pair(" ".join(rng.choice(letters) for _ in range(3)), "c c")


PLUGIN = Doubled
"""


def test_a_run_keeps_its_tokens_if_its_plugin_lists_different_ones(tmp_path: Path, home: Path) -> None:
    """The weights were trained with their ids; another order would make every figure wrong."""
    plugin, options = tmp_path / "doubled.py", ("--plugins-dir", tmp_path)
    plugin.write_text(ENDLESS_PLUGIN + 'LETTERS = ["a", "b", "c"]\n', encoding="utf-8")
    config = tiny_config(max_steps=30).model_dump(mode="json") | {"dataset": {"plugin": "doubled"}}
    (tmp_path / "doubled.yaml").write_text(json.dumps(config), encoding="utf-8")
    learnt = run_headlight("train", tmp_path / "doubled.yaml", "--run-dir", tmp_path / "run", *options, cwd=tmp_path)
    assert learnt.returncode == 0, learnt.stderr
    before, _ = evaluate(tmp_path, *map(str, options))
    for letters in (["c", "a", "b"], ["c", "d", "a", "b"]):
        plugin.write_text(ENDLESS_PLUGIN + f"LETTERS = {letters}\n", encoding="utf-8")
        shutil.rmtree(home / "cache")  # otherwise the data prepared with the old tokens are found
        assert evaluate(tmp_path, *map(str, options))[0]["metrics"] == before["metrics"]


def test_a_metric_of_a_plugin_takes_the_place_of_no_other_figure(tmp_path: Path) -> None:
    plugin, options = tmp_path / "doubled.py", ("--plugins-dir", tmp_path)
    values = '{"sentences": 0.5, "sequence_error_rate": 7.0}'
    metrics = f"\n    def metrics(self, pairs, hypotheses):\n        return {values}\n\n\nPLUGIN"
    text = ENDLESS_PLUGIN.replace("\n\nPLUGIN", metrics) + 'LETTERS = ["a", "b", "c"]\n'
    plugin.write_text(text, encoding="utf-8")
    config = tiny_config(max_steps=2).model_dump(mode="json") | {"dataset": {"plugin": "doubled"}}
    (tmp_path / "doubled.yaml").write_text(json.dumps(config), encoding="utf-8")
    for seed in (0, 1):
        arguments = ("doubled.yaml", "--set", f"seed={seed}", "--run-dir", f"run {seed}")
        learnt = run_headlight("train", *arguments, *options, cwd=tmp_path)
        assert learnt.returncode == 0, learnt.stderr
    evaluating = ("evaluate", "run 0", "run 1", *options)
    lines = run_headlight(*evaluating, cwd=tmp_path).stdout.splitlines()
    assert [line for line in lines if line.startswith("sentences ")][:2] == ["sentences 20", "sentences 0.5"]
    rates = [line.split()[1] for line in lines if line.startswith("sequence_error_rate ")]
    assert rates == ["1", "7"] * 3  # of each run, and in the mean
    last = json.loads(run_headlight(*evaluating, "--json", cwd=tmp_path).stdout.splitlines()[-1])
    assert (last["mean"]["sequence_error_rate"], last["mean"]["sentences"]) == (1.0, 0.5)
