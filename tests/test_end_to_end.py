"""The whole application from the terminal: main.py trains, is stopped, resumes, evaluates and translates.

Each command runs in a real process at least once (translate in tests/core/cli/test_translate.py); calls that differ
only in their messages run in this process.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import numpy as np
import pytest
from safetensors import safe_open

from core.run_folder import RunFolder, list_runs
from core.training.trainer import Trainer
from tests.full_disk import no_file_beyond
from tests.in_process import run_headlight

ROOT = Path(__file__).parents[1]
MAIN = [sys.executable, str(ROOT / "main.py")]
EVALUATION_KEYS = [
    *("run", "split", "checkpoint", "sentences", "loss", "perplexity", "token_accuracy", "exact_match"),
    *("token_error_rate", "sequence_error_rate", "bleu", "chrf", "bleu_signature", "chrf_signature"),
    *("tokenized_bleu", "tokenized_bleu_signature", "decoding", "metrics", "seconds", "left_out", "plugin_left_out"),
    "is_valid_again",
    "other_pairs",
]
CONFIG = """
name: tiny
dataset:
  plugin: copy_task
  options: {num_symbols: 4, min_length: 2, max_length: 4}
model: {d_model: 16, num_heads: 2, num_encoder_layers: 1, num_decoder_layers: 1, d_ff: 32, dropout: 0.1}
training:
  optimizer: {learning_rate: 1.0e-2}
  schedule: {warmup_steps: 10}
  batch_size: 16
  max_steps: 300
  validate_every: 150
  checkpoint_every: 100
  num_threads: 1
"""
TIMING = {"time", "train/target_tokens_per_second"}

pytestmark = pytest.mark.usefixtures("engines_share_a_host")


def headlight(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the command line once, in a folder outside the project."""
    command = [*MAIN, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, encoding="utf-8", timeout=200)


def refused(result: subprocess.CompletedProcess[str]) -> str:
    """The single error sentence of a call with bad input."""
    assert result.returncode == 2, result.stderr
    assert result.stdout == "" and "Traceback" not in result.stderr
    (sentence,) = result.stderr.splitlines()
    assert sentence.startswith("headlight: ")
    return sentence.removeprefix("headlight: ")


@pytest.fixture(scope="module")
def workdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tiny config, away from the project."""
    folder = tmp_path_factory.mktemp("place")
    (folder / "tiny.yaml").write_text(CONFIG, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def training(workdir: Path) -> subprocess.CompletedProcess[str]:
    """The finished process of a training from start to end."""
    return headlight("train", "tiny.yaml", "--run-dir", "whole", "--json", cwd=workdir)


@pytest.fixture(scope="module")
def run(training: subprocess.CompletedProcess[str], workdir: Path) -> Path:
    """The run folder of that training."""
    assert training.returncode == 0, training.stderr
    return workdir / "whole"


def test_training_prints_its_events_and_ends_with_its_result(
    training: subprocess.CompletedProcess[str], run: Path
) -> None:
    events = [json.loads(line) for line in training.stdout.splitlines()]
    assert {event["event"] for event in events} == {
        *("state_changed", "progress", "prepared", "run_started", "steps_done", "probe_done", "snapshot_saved"),
        *("validation_done", "checkpoint_saved", "run_finished"),
    }
    kept = [event["step"] for event in events if event["event"] == "snapshot_saved"]
    assert kept[-1] == 300 and set(RunFolder.open(run).snapshot_steps()) <= set(kept)
    last = events[-1]
    assert list(last) == ["event", "run", "step", "reason", "metrics"]
    assert (last["event"], last["run"], last["reason"]) == ("run_finished", str(run), "max_steps")
    assert last["metrics"]["valid/loss"] > 0
    steps = [
        event["first_step"] + at
        for event in events
        if event["event"] == "steps_done"
        for at in range(len(event["arrays"]["train/loss"]))
    ]
    assert steps == list(range(1, 301))
    assert "tok/s" in training.stderr and "Traceback" not in training.stderr


def test_a_run_folder_holds_the_files_of_the_contract(run: Path) -> None:
    names = {path.name for path in run.iterdir()}
    assert {"config.yaml", "environment.json", "vocabulary.json", "run.json", "metrics.jsonl", "log.txt"} <= names
    assert (run / "validations" / "000300.jsonl").is_file() and (run / "probes" / "000000.safetensors").is_file()
    assert {path.name for path in (run / "checkpoints" / "000300").iterdir()} == {
        *("model.safetensors", "optimizer.safetensors", "state.json")
    }
    assert "auto" not in (run / "config.yaml").read_text(encoding="utf-8")
    snapshot, model = run / "snapshots/000300.safetensors", run / "checkpoints/000300/model.safetensors"
    assert tensor_names(snapshot) == tensor_names(model), "a snapshot holds weights only"


def tensor_names(path: Path) -> set[str]:
    """The tensors of a safetensors file."""
    with safe_open(path, framework="np") as file:
        return set(file.keys())


def test_evaluate_prints_one_object_with_the_contracts_keys(run: Path, workdir: Path) -> None:
    result = headlight("evaluate", run, "--split", "test", "--json", "--predictions", "said.tsv", cwd=workdir)
    assert result.returncode == 0, result.stderr
    (line,) = result.stdout.splitlines()
    record = json.loads(line)
    assert list(record) == EVALUATION_KEYS
    assert (record["run"], record["split"]) == (str(run), "test")
    assert "|tok:13a|" in record["bleu_signature"] and "|nc:6|nw:0|" in record["chrf_signature"]
    assert record["seconds"] > 0
    rows = [row.split("\t") for row in (workdir / "said.tsv").read_text(encoding="utf-8").split("\n")[:-1]]
    assert rows[0] == ["source", "reference", "hypothesis"]
    assert len(rows) == record["sentences"] + 1
    exact = sum(reference == hypothesis for _, reference, hypothesis in rows[1:]) / record["sentences"]
    assert record["exact_match"] == pytest.approx(exact)
    assert record["sequence_error_rate"] == pytest.approx(1 - exact)


def test_an_evaluation_equals_the_validation_of_that_step(run: Path, workdir: Path) -> None:
    result = run_headlight("evaluate", run.name, "--runs-dir", workdir, "--checkpoint", 300, "--json", cwd=workdir)
    record = json.loads(result.stdout)
    validated = RunFolder.open(run).validation_metrics()[300]
    for name in ("loss", "perplexity", "token_accuracy"):  # a validation decodes only some sentences
        assert record[name] == pytest.approx(validated[f"valid/{name}"], rel=1e-6), name


STRANGE_TEXTS = ["1 2 3", "1 🙂 2", "שלום עולם", "1\u20282", "<eos> <pad>", "x" * 10_000]


def test_translate_takes_any_text_and_names_unknown_tokens(run: Path, workdir: Path) -> None:
    result = run_headlight("translate", run, "--json", *STRANGE_TEXTS, cwd=workdir)
    assert result.returncode == 0, result.stderr
    records = [json.loads(line) for line in result.stdout.split("\n")[:-1]]
    assert [record["source"] for record in records] == STRANGE_TEXTS
    for record in records:
        assert set(record) == {"source", "output", "unknown", "finished", "n_best", "tokens", "probabilities"}
        assert len(record["tokens"]) == len(record["probabilities"])
        assert all(0 <= probability <= 1 for probability in record["probabilities"])
    assert records[0]["unknown"] == [] and records[1]["unknown"] == ["🙂"]
    assert "not in the vocabulary: '🙂'\n" in result.stderr and "Traceback" not in result.stderr
    assert max(map(len, result.stderr.splitlines())) < 200


def test_translate_searches_with_a_beam_and_prints_all_hypotheses(run: Path, workdir: Path) -> None:
    beam = ("--json", "--beam-size", "3", "--length-penalty", "0.5")
    calls = {
        "whole": ["translate", str(run), "1 2 3", *beam],
        "best": ["translate", str(run), "1 2 3", *beam[1:]],
        "greedy": ["translate", str(run), "1 2 3", "--json"],
        "two": ["translate", str(run), "1 2 3", "2 1", *beam[1:], "--n-best", "2"],
    }
    results = {name: run_headlight(*arguments, cwd=workdir).stdout for name, arguments in calls.items()}
    record = json.loads(results["whole"])
    assert len(record["n_best"]) == 3 and set(record["n_best"][0]) == {"output", "score", "finished"}
    assert results["best"] == f"{record['n_best'][0]['output']}\n" == f"{record['output']}\n"
    assert len(json.loads(results["greedy"])["n_best"]) == 1
    rows = [line.split("\t") for line in results["two"].splitlines()]
    assert [number for number, _, _ in rows] == ["1", "1", "2", "2"]
    assert [output for _, _, output in rows[:2]] == [one["output"] for one in record["n_best"][:2]]
    assert float(rows[0][1]) == pytest.approx(record["n_best"][0]["score"], abs=1e-4)


def test_texts_that_cannot_be_translated_are_refused_in_a_sentence(run: Path, workdir: Path) -> None:
    (workdir / "binary.txt").write_bytes(b"1 2\n\xff\n")
    calls = {
        "text 1 of 1 is empty": ["translate", str(run), ""],
        "binary.txt, line 2, byte 1 (0xff) is not UTF-8": ["translate", str(run), "--input", "binary.txt"],
        "has 5,001 tokens": ["translate", str(run), "1 " * 5_000],
        "expected texts or --input FILE, given both": ["translate", str(run), "1", "--input", "binary.txt"],
        "decoding.beam_size: expected at least 1, given 0": ["translate", str(run), "1", "--beam-size", "0"],
        "--n-best 2: expected 1 to 1, the beam's size.": ["translate", str(run), "1", "--n-best", "2"],
    }
    for expected, arguments in calls.items():
        assert expected in refused(run_headlight(*arguments, cwd=workdir))


def test_translate_reads_and_writes_lines(run: Path, workdir: Path) -> None:
    (workdir / "in.txt").write_text("1 2\n3\n", encoding="utf-8")
    result = run_headlight("translate", run, "--input", "in.txt", "--output", "out.txt", cwd=workdir)
    assert (result.returncode, result.stdout) == (0, ""), result.stderr
    assert "2/2" in result.stderr
    written = (workdir / "out.txt").read_text(encoding="utf-8")
    assert len(written.split("\n")) == 3
    theirs, ours = os.pipe()
    os.write(ours, b"1 2\n3\n")
    os.close(ours)
    assert run_headlight("translate", run, cwd=workdir, stdin=theirs).stdout == written


SHORT = ("--set", "training.max_steps=20", "--set", "training.validate_every=20")


@pytest.fixture(scope="module")
def training_of_seeds(workdir: Path) -> subprocess.CompletedProcess[str]:
    """Short uninterrupted trainings with the seeds 3 and 5."""
    return run_headlight("train", "tiny.yaml", "--seeds", "3,5", "--runs-dir", "seeds", *SHORT, "--json", cwd=workdir)


def finished_runs(training: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    """The `run_finished` events of a training."""
    assert training.returncode == 0, training.stderr
    events = map(json.loads, training.stdout.splitlines())
    return [event for event in events if event["event"] == "run_finished"]


def test_training_several_seeds_reports_runs_mean_and_deviation(
    training_of_seeds: subprocess.CompletedProcess[str],
) -> None:
    finished = finished_runs(training_of_seeds)
    assert [RunFolder.open(Path(one["run"])).config().seed for one in finished] == [3, 5]
    last = json.loads(training_of_seeds.stdout.splitlines()[-1])
    environments = [json.loads((Path(one["run"]) / "environment.json").read_text(encoding="utf-8")) for one in finished]
    assert len({one["data_fingerprint"] for one in environments}) == 1, "dataset.seed alone decides the data"
    losses = [one["metrics"]["valid/loss"] for one in finished]
    assert (last["event"], last["runs"]) == ("seeds_finished", [one["run"] for one in finished])
    assert losses[0] != losses[1]
    assert last["mean"]["valid/loss"] == pytest.approx(sum(losses) / 2)
    assert last["standard_deviation"]["valid/loss"] == pytest.approx(abs(losses[0] - losses[1]) / 2**0.5)
    assert {RunFolder.open(Path(one["run"])).state.group for one in finished} == {last["group"]}


def test_a_diverged_seed_is_left_out_of_the_mean_of_the_others(workdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    has_diverged = vars(Trainer)["has_diverged"].fget
    monkeypatch.setattr(Trainer, "has_diverged", property(lambda run: run.config.seed == 3 or has_diverged(run)))
    short = ("--set", "training.max_steps=5", "--runs-dir", "some", "--json")
    result = run_headlight("train", "tiny.yaml", "--seeds", "3,4,5", *short, cwd=workdir)
    events = [json.loads(line) for line in result.stdout.splitlines()]
    finished = [event for event in events if event["event"] == "run_finished"]
    assert (result.returncode, [one["reason"] for one in finished]) == (3, ["diverged", "max_steps", "max_steps"])
    assert events[-1]["event"] == "seeds_finished" and events[-1]["runs"] == [one["run"] for one in finished[1:]]


def test_an_exported_folder_is_all_that_translate_needs(run: Path, workdir: Path, tmp_path: Path) -> None:
    arguments = ("--format", "safetensors", "--output", str(tmp_path / "tiny"), "--checkpoint", "last")
    result = run_headlight("export", run, *arguments, cwd=workdir)
    assert (result.returncode, result.stdout) == (0, f"{tmp_path / 'tiny'}: the weights of step 300\n"), result.stderr
    moved = (tmp_path / "tiny").rename(tmp_path / "elsewhere")
    kept = RunFolder.open(run).weights(300)
    with safe_open(moved / "snapshots" / "000300.safetensors", "numpy") as file:
        assert set(file.keys()) == set(kept)
        assert all(np.array_equal(file.get_tensor(name), kept[name]) for name in kept)
    assert (moved / "config.yaml").read_bytes() == (run / "config.yaml").read_bytes()
    outputs = [
        run_headlight("translate", folder, "1 2 3", "--checkpoint", "last", cwd=tmp_path).stdout
        for folder in (run, moved)
    ]
    assert outputs[0] == outputs[1] != ""
    assert "already exists" in run_headlight("export", run, *arguments[:2], "--output", moved, cwd=workdir).stderr
    assert run_headlight("export", run, *arguments[:2], "--output", "no/where", cwd=workdir).returncode == 2
    assert not list(tmp_path.glob(".exporting-*"))


SLOW_TRAINING = """
import sys, threading, time
from core.machine.torch_import import stub_out_tracing
stub_out_tracing()
from core.cli import main
from core.engine import Engine
from core.events import StepsDone
from core.requests import Stop
from core.training.trainer import Trainer
take_step, emit, ask = Trainer._take_step, Engine._emit, Engine.ask
has_emitted_steps, is_stop_requested = threading.Event(), threading.Event()

def take_step_slowly(trainer):
    time.sleep(0.02)  # otherwise all steps are done before the first are reported
    if has_emitted_steps.is_set():
        is_stop_requested.wait(100)  # otherwise a busy machine may finish before the signal arrives
    take_step(trainer)

def emit_and_record(engine, event):
    emit(engine, event)
    if isinstance(event, StepsDone):
        has_emitted_steps.set()

def ask_and_record(engine, request):
    if isinstance(request, Stop):
        is_stop_requested.set()
    return ask(engine, request)

Trainer._take_step, Engine._emit, Engine.ask = take_step_slowly, emit_and_record, ask_and_record
sys.exit(main(sys.argv[1:]))
"""


def stop_after_first_steps(arguments: list[str], workdir: Path, number: signal.Signals) -> tuple[int, str]:
    """Start a training and send it a signal after its first steps; return its exit code and standard error."""
    command = [sys.executable, "-c", SLOW_TRAINING, *arguments, "--json"]
    with subprocess.Popen(
        command,
        cwd=workdir,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        for line in process.stdout:
            if json.loads(line)["event"] == "steps_done":
                process.send_signal(number)
                break
        rest = process.stdout.read()
        errors = process.stderr.read()
    assert json.loads(rest.splitlines()[-1])["reason"] == "stopped", rest
    return process.returncode, errors


def learnt(run: Path) -> dict[str, Any]:
    """All results of a run at its last step, without wall-clock times."""
    folder = RunFolder.open(run)
    steps, arrays = folder.metrics()
    metrics = {name: values.tolist() for name, values in arrays.items() if name not in TIMING}
    # Compare tensors, not the file's bytes: safetensors does not order its metadata.
    weights = {name: values.tobytes() for name, values in folder.weights(folder.state.last_step).items()}
    return {"steps": steps.tolist(), "valid": folder.validation_metrics(), "weights": weights, **metrics}


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_a_run_stopped_by_a_signal_and_resumed_equals_the_unstopped_run_to_the_bit(run: Path, workdir: Path) -> None:
    """This covers SIGHUP; a test below covers SIGINT, and tests/reliability/test_signals.py SIGTERM."""
    begin = ["train", "tiny.yaml", "--run-dir", "stopped"]
    require_stopped_and_saved(*stop_after_first_steps(begin, workdir, signal.SIGHUP), signal.SIGHUP)
    result = run_headlight("train", "--resume", "stopped", cwd=workdir)
    assert result.returncode == 0, result.stderr
    assert learnt(workdir / "stopped") == learnt(run)


def require_stopped_and_saved(code: int, errors: str, number: signal.Signals) -> None:
    """Check that this signal stopped the training, and that the last line names it and the saved checkpoint."""
    assert code == 128 + number, errors
    last = errors.splitlines()[-1]
    assert "Traceback" not in errors and number.name in last
    assert Path(last.partition("saved: ")[2].partition(". Continue with")[0]).is_dir()


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_a_stopped_training_of_several_seeds_names_those_still_to_train(
    workdir: Path, training_of_seeds: subprocess.CompletedProcess[str]
) -> None:
    """The commands it names train all seeds, and the stopped run ends like an uninterrupted one."""
    begin = ["train", "tiny.yaml", "--seeds", "3,5,7", *SHORT, "--runs-dir", "rest"]
    code, errors = stop_after_first_steps(begin, workdir, signal.SIGINT)
    require_stopped_and_saved(code, errors, signal.SIGINT)
    last = errors.splitlines()[-1]
    (run,) = list_runs(workdir / "rest")
    assert f"{run.name} (still" in last.partition("Continue with: headlight train --resume ")[2], last
    commands = last.partition(" (still to train: seeds 5, 7, each by itself: headlight ")[2]
    command, _, rest = commands.partition("; ")
    assert rest == "`runs compare` gives the mean of all)"
    for one in (["train", "--resume", str(run)], command.split(), command.replace("seed=5", "seed=7").split()):
        result = run_headlight(*one, cwd=workdir)
        assert result.returncode == 0, result.stderr
    assert learnt(run) == learnt(Path(finished_runs(training_of_seeds)[0]["run"]))
    compared = run_headlight("runs", "compare", *list_runs(workdir / "rest"), "--json", cwd=workdir)
    records = [json.loads(line) for line in compared.stdout.splitlines()]
    assert records[3]["run"] == "mean of 3", records


def test_a_finished_run_resumes_with_more_steps(run: Path, workdir: Path) -> None:
    shutil.copytree(run, workdir / "more")
    result = run_headlight("train", "--resume", "more", "--set", "training.max_steps=320", cwd=workdir)
    assert result.returncode == 0, result.stderr
    assert "step 320" in result.stdout.splitlines()
    assert RunFolder.open(workdir / "more").metrics()[0].tolist() == list(range(1, 321))


def test_a_loss_that_is_not_finite_ends_the_run_with_code_3(workdir: Path) -> None:
    args = ["--set", "training.optimizer={name: sgd, learning_rate: 100, momentum: 0.99}"]
    args += ["--set", "training.max_grad_norm=null", "--set", "training.schedule={name: constant, warmup_steps: 0}"]
    result = run_headlight("train", "tiny.yaml", "--run-dir", "wild", *args, "--json", cwd=workdir)
    assert result.returncode == 3, result.stderr
    assert json.loads(result.stdout.splitlines()[-1])["reason"] == "diverged"
    assert "diverged" in result.stderr.splitlines()[-1] and "Traceback" not in result.stderr


PLUGIN = """
from core.plugin import DatasetPlugin, Options, Pair

class Given(DatasetPlugin[Options]):
    name = "{name}"
    title = "Given"
    tokenizer = "whitespace"

    def pairs(self, split, rng):
{body}

PLUGIN = Given
"""
BODIES = {
    "raises": "        raise RuntimeError('no data today')",
    "empty_valid": "        return [] if split == 'valid' else [Pair('a', 'a')] * 10",
    "dies": "        import os; os._exit(7)",
    "one_example": "        return [Pair('ich mag bier', 'i like beer')]",
    "all_too_long": "        return [Pair('a ' * 50, 'a')] * 10",
}


@pytest.fixture
def plugins(tmp_path: Path) -> Path:
    """A folder with one faulty or unusual plugin of each kind."""
    folder = tmp_path / "plugins"
    folder.mkdir()
    for name, body in BODIES.items():
        (folder / f"{name}.py").write_text(PLUGIN.format(name=name, body=body), encoding="utf-8")
    (folder / "no_python.py").write_text("this is no Python\n", encoding="utf-8")
    return folder


def with_plugin(name: str, plugins: Path, *more: str) -> list[str]:
    return ["train", "tiny.yaml", "--set", f"dataset={{plugin: {name}}}", "--plugins-dir", str(plugins), *more]


def test_bad_data_is_refused_in_a_sentence(workdir: Path, plugins: Path) -> None:
    runs = ["--runs-dir", str(plugins / "runs")]
    calls = {
        "nowhere": with_plugin("nowhere", plugins, *runs),
        "no_python": with_plugin("no_python", plugins, *runs),
        "raises": with_plugin("raises", plugins, *runs),
        "dies": with_plugin("dies", plugins, *runs),
        "empty_valid": with_plugin("empty_valid", plugins, *runs),
        "all_too_long": with_plugin("all_too_long", plugins, *runs, "--set", "dataset.max_src_length=20"),
        "option": ["train", "tiny.yaml", "--set", "dataset.options.num_symbol=3", *runs],
    }
    for name, arguments in calls.items():
        sentence = refused(run_headlight(*arguments, cwd=workdir))
        words = {"option": "num_symbol", "raises": "no data today", "all_too_long": "dataset.max_src_length = 20"}
        assert words.get(name, name) in sentence
    assert not (plugins / "runs").exists() or not list((plugins / "runs").iterdir())


MAIN_WITHOUT_TIMEOUT = """
import sys
from core.machine.torch_import import stub_out_tracing
stub_out_tracing()
from core.cli import main
from core.plugins_host.host import PluginHost
PluginHost.__init__.__kwdefaults__["pairs_timeout"] = 1000.0  # without a signal, the test would wait this long
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_a_signal_does_not_wait_for_a_plugin_that_hangs(workdir: Path, plugins: Path) -> None:
    reached = plugins / "reached"
    body = f"        open({str(reached)!r}, 'w').close()\n        import time; time.sleep(1000)"
    (plugins / "hangs.py").write_text(PLUGIN.format(name="hangs", body=body), encoding="utf-8")
    arguments = with_plugin("hangs", plugins, "--run-dir", str(plugins / "never"))
    command, environment = (
        [sys.executable, "-c", MAIN_WITHOUT_TIMEOUT, *arguments],
        os.environ | {"PYTHONPATH": str(ROOT)},
    )
    with subprocess.Popen(command, cwd=workdir, env=environment, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while not reached.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=200)
    assert (process.returncode, errors) == (128 + signal.SIGTERM, "headlight: ended by SIGTERM.\n")
    assert not (plugins / "never").exists()


def test_one_example_is_enough(workdir: Path, plugins: Path) -> None:
    arguments = with_plugin("one_example", plugins, "--run-dir", str(plugins / "one"), "--set", "training.max_steps=40")
    result = run_headlight(*arguments, cwd=workdir)
    assert result.returncode == 0, result.stderr
    answer = run_headlight("translate", plugins / "one", "ich mag bier", cwd=workdir)
    assert answer.stdout == "i like beer\n", answer.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX resource limits")
def test_a_full_disk_ends_a_run_with_code_3_and_refuses_a_new_run(workdir: Path, plugins: Path) -> None:
    def within(kilobytes: int, name: str) -> subprocess.CompletedProcess[str]:
        with no_file_beyond(1024 * kilobytes):
            return run_headlight(*with_plugin("one_example", plugins, "--run-dir", name), cwd=workdir)

    result = within(70, "full")  # enough for a checkpoint, but not for all metrics
    assert result.returncode == 3 and "Traceback" not in result.stderr, result.stderr
    last = result.stderr.splitlines()[-1]
    assert "(disk)" in last and f"train --resume {workdir / 'full'}" in last
    saved = last.partition("saved: ")[2].partition(". Continue with")[0]
    assert Path(saved) == workdir / "full" / "checkpoints" / "000200"
    assert RunFolder.open(workdir / "full").state.reason == "disk"
    result = run_headlight("train", "--resume", "full", "--plugins-dir", plugins, cwd=workdir)
    assert result.returncode == 0, result.stderr
    assert RunFolder.open(workdir / "full").metrics()[0].tolist() == list(range(1, 301))
    assert f"{workdir / 'begun'} cannot be written: File too large." in refused(within(1, "begun"))
    assert not (workdir / "begun").exists()


def test_missing_runs_and_unwritable_paths_are_refused_in_a_sentence(run: Path, workdir: Path) -> None:
    (workdir / "file").touch()
    (workdir / "folder").mkdir()
    other_shape = shutil.copytree(run, workdir / "other_shape")
    settings = (run / "config.yaml").read_text(encoding="utf-8").replace("d_ff: 32", "d_ff: 64")
    (other_shape / "config.yaml").write_text(settings, encoding="utf-8")
    state = json.loads((other_shape / "run.json").read_text(encoding="utf-8"))
    state["checksums"].pop("config.yaml")
    state.pop("checksum")
    (other_shape / "run.json").write_text(json.dumps(state), encoding="utf-8")
    calls = {
        "folder is not a run": ["translate", "folder", "1"],
        "nowhere": ["evaluate", "nowhere"],
        "file is not a run": ["train", "--resume", "file"],
        "has no checkpoint '7'": ["translate", str(run), "--checkpoint", "7", "1"],
        "config and vocabulary describe a model of": ["translate", "other_shape", "1"],
        "file/runs": ["train", "tiny.yaml", "--runs-dir", "file/runs"],
        "/proc/nothing": ["train", "tiny.yaml", "--run-dir", "/proc/nothing/here"],
        "whole is not empty": ["train", "tiny.yaml", "--run-dir", "whole"],
        "missing.txt": ["translate", str(run), "--input", "missing.txt"],
        "out/of/reach": ["translate", str(run), "--output", "out/of/reach", "1"],
        "model.d_model": ["train", "--resume", str(run), "--set", "model.d_model=8"],
    }
    for expected, arguments in calls.items():
        assert expected in refused(run_headlight(*arguments, cwd=workdir))


def test_runs_are_listed_shown_and_deleted(run: Path, workdir: Path) -> None:
    copy = shutil.copytree(run, workdir / "shelf" / "doomed")
    runs_dir = ["--runs-dir", workdir / "shelf"]
    result = run_headlight("runs", "list", *runs_dir, "--json", cwd=workdir)
    (record,) = [json.loads(line) for line in result.stdout.splitlines()]
    assert (record["run"], record["state"], record["last_step"]) == (str(copy), "finished", 300)
    shown = run_headlight("runs", "show", "doomed", *runs_dir, cwd=workdir)
    assert "valid/loss" in shown.stdout and "d_model: 16" in shown.stdout
    assert run_headlight("runs", "delete", "doomed", *runs_dir, cwd=workdir).returncode == 0
    assert not copy.exists()


def test_invalid_settings_files_are_refused_before_anything_is_created(workdir: Path) -> None:
    (workdir / "binary.yaml").write_bytes(os.urandom(100) + b"\xff")
    (workdir / "empty.yaml").touch()
    (workdir / "brackets.yaml").write_text("[" * 20_000, encoding="utf-8")
    (workdir / "twice.yaml").write_text("seed: 1\nseed: 2\n", encoding="utf-8")
    (workdir / "alias.yaml").write_text("a: &a [1]\nb: *a\n", encoding="utf-8")
    calls = {
        "is not UTF-8": ["train", "binary.yaml"],
        "is empty": ["train", "empty.yaml"],
        "brackets.yaml, line 1: nested deeper than 20 levels.": ["train", "brackets.yaml"],
        "twice.yaml, line 2: seed is given twice (first on line 1).": ["train", "twice.yaml"],
        "alias.yaml, line 1: aliases": ["train", "alias.yaml"],
        "none.yaml: no such file.": ["train", "none.yaml"],
        "given a folder": ["train", "."],
        "model.num_heads: must divide d_model = 16, given 3.": ["train", "tiny.yaml", "--set", "model.num_heads=3"],
    }
    for expected, arguments in calls.items():
        assert expected in refused(run_headlight(*arguments, cwd=workdir))


SPELLING_PLUGIN = """
from core.plugin import DatasetPlugin, Options, Pair, draw_for, option

class SpellingOptions(Options):
    length: int = option(2, ge=1, le=9)
    count: int = option(20, ge=1, le=999)

class Spelling(DatasetPlugin[SpellingOptions]):
    name = "spelling"
    title = "Spell a word"
    tokenizer = ("characters", "whitespace")

    def pairs(self, split, rng):
        def draw():
            word = "".join(rng.choices("abcd", k=self.options.length))
            return Pair(word, " ".join(word), alignment=[(at, at) for at in range(len(word))])
        for _ in range(self.options.count if split == "train" else 10):
            yield draw_for(split, draw)

    def metrics(self, pairs, hypotheses):
        return {"right_length": sum(len(h.split()) == self.options.length for h in hypotheses) / len(pairs)}

    def limits(self):
        return {"valid/right_length": 1.0}

    def examples(self):
        return ["abcd"[: self.options.length]]

PLUGIN = Spelling
"""
SPELLING = """
dataset: {plugin: spelling, options: {length: 4, count: 60}}
model: {d_model: 16, num_heads: 2, num_encoder_layers: 1, num_decoder_layers: 1, d_ff: 32}
training:
  {batch_size: 8, accumulate_steps: 2, ema_decay: 0.9, average_checkpoints: 2, best_metric: valid/right_length,
   max_steps: 10, validate_every: 5, checkpoint_every: 5, keep_checkpoints: 0, probe_every: 4, num_threads: 1}
"""


def test_settings_seeds_a_plugin_accumulation_averages_and_a_resume_go_together(tmp_path: Path) -> None:
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "spelling.py").write_text(SPELLING_PLUGIN, encoding="utf-8")
    (tmp_path / "spelling.yaml").write_text(SPELLING, encoding="utf-8")
    plugins, train = ("--plugins-dir", "plugins"), ("train", "spelling.yaml", "--set", "dataset.options.length=3")
    trained = run_headlight(*train, "--seeds", "3,5", "--runs-dir", "runs", "--json", *plugins, cwd=tmp_path)
    runs = [Path(one["run"]) for one in finished_runs(trained)]
    prepared, _ = (event for event in map(json.loads, trained.stdout.splitlines()) if event["event"] == "prepared")
    assert (prepared["limits"], prepared["examples"]) == ({"valid/right_length": 1.0}, ["abc"])
    assert "valid/right_length" in json.loads(trained.stdout.splitlines()[-1])["mean"]
    configs = [RunFolder.open(run).config() for run in runs]
    assert [(one.seed, one.dataset.options) for one in configs] == [(3, {"length": 3, "count": 60}), (5, ANY)]

    last = ("--checkpoint", "last", "--split", "test", "--json")
    evaluated = run_headlight("evaluate", *runs, *last, *plugins, cwd=tmp_path)
    first, _, mean = map(json.loads, evaluated.stdout.splitlines())
    assert (first["averaged_steps"], first["ema_decay"], first["sentences"]) == ([5, 10], 0.9, 10)
    assert first["metrics"].keys() == {"right_length"} <= mean["mean"].keys()

    more = ("--set", "training.max_steps=14", *plugins)
    resumed = run_headlight("train", "--resume", runs[0], *more, cwd=tmp_path)
    whole = run_headlight(*train, "--set", "seed=3", "--run-dir", "whole", *more, cwd=tmp_path)
    assert (resumed.returncode, whole.returncode) == (0, 0), resumed.stderr + whole.stderr
    assert learnt(runs[0]) == learnt(tmp_path / "whole")
    probed, expected = (RunFolder.open(run).probe_steps() for run in (runs[0], tmp_path / "whole"))
    assert sorted({*expected, 10}) == probed  # and at step 10, where it first ended
