"""`translate` of files and pipes: line by line and in order; a file's invalid lines are reported before any output."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from array import array
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from select import select
from subprocess import PIPE, CompletedProcess
from threading import Event
from typing import IO, Any

import pytest

from core.cli.engine_client import EngineClient
from core.cli.stdin_lines import MAX_BUFFERED, StdinLines
from core.config import RunConfig
from core.engine import Engine
from core.requests import ChangeSetting, Learn, Prepare, Start
from tests.conftest import ROOT
from tests.core.watcher import SECONDS, answered, begun, tiny_config
from tests.in_process import run_headlight


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that has learnt almost nothing."""
    folder = tmp_path_factory.mktemp("runs")
    with Engine(cache_dir=folder / "cache") as engine:
        run = begun(engine, folder, max_steps=5)
        answered(engine, Learn())
    return run


LINES_PLUGIN = """
from core.plugin import DatasetPlugin, Options, Pair

class Lines(DatasetPlugin[Options]):
    name = "lines"
    title = "Line breaks"
    splits_overlap = True

    def pairs(self, split, rng):
        return [Pair("ab"[number % 2], "\\r\\n") for number in range(32)]

PLUGIN = Lines
"""


def translate(run: Path, cwd: Path, *options: str) -> CompletedProcess[str]:
    return run_headlight("translate", run, "--input", "in.txt", *options, cwd=cwd)


def test_an_empty_line_stays_an_empty_line(run: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("1 2\n\n3\n \n", encoding="utf-8")
    outputs = translate(run, tmp_path).stdout.split("\n")
    assert [bool(output) for output in outputs] == [True, False, True, False, False]
    assert run_headlight("translate", run, "1 2", "3", cwd=tmp_path).stdout.split("\n") == [outputs[0], outputs[2], ""]
    records = [json.loads(line) for line in translate(run, tmp_path, "--json").stdout.splitlines()]
    assert [one["output"] for one in records] == outputs[:4]
    assert set(records[1]) == set(records[0]) and (records[1]["source"], records[1]["tokens"]) == ("", [])
    n_best = translate(run, tmp_path, "--n-best", "1").stdout.splitlines()
    assert [line.split("\t")[0] for line in n_best] == ["1", "3"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals")
def test_a_terminal_is_prompted_for_texts(run: Path, tmp_path: Path) -> None:
    def talk(terminal: IO[str], outputs: IO[str], messages: IO[str]) -> None:
        assert messages.readline() == "Type texts to translate, one a line; Ctrl-D ends them.\n"
        for line in ("1 2\n", "3\n"):  # each line gets its answer at once
            terminal.write(line)
            assert outputs.readline().endswith("\n")
        terminal.write("\x04")
        terminal.flush()
        assert outputs.read() == ""

    assert talk_with_translate(os.openpty(), talk, run, tmp_path) == 0


def talk_with_translate(
    ends: tuple[int, int], talk: Callable[[IO[str], IO[str], IO[str]], None], run: Path, cwd: Path, *options: str
) -> int:
    """The exit code of `translate` while `talk` writes to one of these ends, reads the output and the messages.

    `translate` reads from the other end of this terminal or pipe.
    """
    (write_end, stdin), (outputs, stdout), (messages, stderr) = ends, os.pipe(), os.pipe()

    def open_and_talk() -> None:
        with os.fdopen(write_end, "w", 1) as written, os.fdopen(outputs) as said, os.fdopen(messages) as told:
            talk(written, said, told)

    with ThreadPoolExecutor(1) as thread:
        talking = thread.submit(open_and_talk)
        result = run_headlight("translate", run, *options, cwd=cwd, stdin=stdin, stdout=stdout, stderr=stderr)
        talking.result(SECONDS)
    return result.returncode


@contextmanager
def translating(run: Path, cwd: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], IO[str], IO[str]]]:
    """`translate` in a separate process that reads from a pipe: the process, its standard input and its output."""
    command = [sys.executable, str(ROOT / "main.py"), "translate", str(run), *options]
    with subprocess.Popen(command, cwd=cwd, stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True, bufsize=1) as process:
        assert process.stdin is not None and process.stdout is not None
        yield process, process.stdin, process.stdout


def test_each_line_that_comes_through_a_pipe_is_answered_before_the_next(run: Path, tmp_path: Path) -> None:
    def talk(stdin: IO[str], outputs: IO[str], messages: IO[str]) -> None:
        for number, line in enumerate(("1 2", "3", "vase"), 1):
            stdin.write(f"{line}\n")
            assert outputs.readline().startswith(f"{number}\t")
        stdin.write(f"\n{'1 ' * 99}\n")
        stdin.close()
        assert outputs.read() == ""
        told = messages.read()
        assert "warning: standard input, line 3: not in the vocabulary" in told
        assert told.splitlines()[-1].startswith("headlight: standard input, line 5: The text “1 1 1 ")

    read_end, write_end = os.pipe()
    assert talk_with_translate((write_end, read_end), talk, run, tmp_path, "--n-best", "1") == 2


def test_piped_input_is_translated_like_a_file(run: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("\ufeff1 2\n\n3\n" + "1 2 3\n" * 600 + "2", encoding="utf-8")
    expected = translate(run, tmp_path).stdout
    for content in ((tmp_path / "in.txt").read_bytes(), gzip.compress((tmp_path / "in.txt").read_bytes())):
        read_end, write_end = os.pipe()
        os.write(write_end, content)  # a pipe's buffer is large enough
        os.close(write_end)
        piped = run_headlight("translate", run, cwd=tmp_path, stdin=read_end)
        assert (piped.returncode, piped.stdout) == (0, expected)


@pytest.mark.parametrize(
    ("bad_line", "reason"),
    [
        (b"1 \xff", "headlight: standard input, line 3, byte 3 (0xff) is not UTF-8"),
        (b"1 \0", "headlight: standard input, line 3 holds a NUL byte"),
        (b"1 " * 99, "headlight: standard input, line 3: The text “1 1 1 "),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "compressed"])
def test_lines_before_a_bad_one_of_the_same_batch_are_answered(
    run: Path, tmp_path: Path, bad_line: bytes, reason: str, pack: Callable[[bytes], bytes]
) -> None:
    read_end, write_end = os.pipe()
    os.write(write_end, pack(b"1 2\n3\n" + bad_line + b"\n1\n"))
    os.close(write_end)
    piped = run_headlight("translate", run, cwd=tmp_path, stdin=read_end)
    assert piped.stdout == run_headlight("translate", run, "1 2", "3", cwd=tmp_path).stdout != ""
    assert piped.returncode == 2 and piped.stderr.splitlines()[-1].startswith(reason)


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_a_signal_ends_the_wait_for_a_line(run: Path, tmp_path: Path) -> None:
    with translating(run, tmp_path) as (process, stdin, stdout):
        stdin.write("1\n")
        stdout.readline()
        process.send_signal(signal.SIGINT)
        stderr = process.stderr.read() if process.stderr is not None else ""
        assert process.wait(60) == 130 and stderr.splitlines()[-1] == "headlight: ended by SIGINT."


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_a_signal_that_also_ended_the_writer_is_not_the_end_of_input(run: Path, tmp_path: Path) -> None:
    with translating(run, tmp_path) as (process, stdin, stdout):
        stdin.write("1\n")
        stdout.readline()
        process.send_signal(signal.SIGINT)
        stdin.close()
        assert process.wait(60) == 130


@contextmanager
def feeding(feed: Callable[[int], None]) -> Iterator[int]:
    """The read end of a pipe into which a thread writes with `feed`, then closes it."""
    read_end, write_end = os.pipe()

    def write() -> None:
        with os.fdopen(write_end):
            feed(write_end)

    with ThreadPoolExecutor(1) as thread:
        writing = thread.submit(write)
        yield read_end
        writing.result(SECONDS)


@pytest.mark.skipif(sys.platform == "win32", reason="needs the number of unread bytes in a pipe")
@pytest.mark.parametrize("content", [b"\xef\xbb\xbf1 2\n", gzip.compress(b"1 2\n", mtime=0)])
def test_the_bom_or_gzip_signature_may_arrive_byte_by_byte(run: Path, tmp_path: Path, content: bytes) -> None:
    def feed(pipe: int) -> None:
        for index in range(len(content)):
            os.write(pipe, content[index : index + 1])
            wait_until(lambda: not _num_unread_bytes(pipe))

    with feeding(feed) as pipe:
        piped = run_headlight("translate", run, cwd=tmp_path, stdin=pipe)
    assert piped.stdout == run_headlight("translate", run, "1 2", cwd=tmp_path).stdout


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _num_unread_bytes(pipe: int) -> int:
    """The number of unread bytes in a pipe."""
    import fcntl
    import termios

    count = array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return count[0]


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of Windows always block")
@pytest.mark.parametrize("output", [(), ("--output", "out.txt")])
def test_a_non_blocking_pipe_is_waited_for(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: tuple[str, ...]
) -> None:
    is_waited_for = Event()

    def select_and_note(*streams: Any) -> object:
        is_waited_for.set()
        return select(*streams)

    def feed(pipe: int) -> None:
        for line in (b"1\n", b"2\n"):
            assert is_waited_for.wait(SECONDS)
            is_waited_for.clear()
            os.write(pipe, line)

    monkeypatch.setattr("core.cli.text_files.select", select_and_note)
    with feeding(feed) as pipe:
        os.set_blocking(pipe, False)
        piped = run_headlight("translate", run, *output, cwd=tmp_path, stdin=pipe)
    assert piped.returncode == 0
    outputs = (tmp_path / "out.txt").read_text(encoding="utf-8") if output else piped.stdout
    assert outputs == run_headlight("translate", run, "1", "2", cwd=tmp_path).stdout


@pytest.mark.skipif(sys.platform == "win32", reason="needs select() on a pipe")
def test_a_fast_writer_does_not_fill_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    read_end, write_end = os.pipe()
    with open(read_end) as stdin:  # noqa: PTH123 (a descriptor)
        monkeypatch.setattr(sys, "stdin", stdin)
        taken = StdinLines().batches(EngineClient(lambda event: None, []))
        num_written = 0
        while num_written < 4 * MAX_BUFFERED and select([], [write_end], [], 0.5)[1]:
            num_written += os.write(write_end, b"1 2\n" * 100)
        assert num_written < 2 * MAX_BUFFERED
        lines = next(taken)
        assert select([], [write_end], [], 60)[1]  # the pipe has room again
        os.close(write_end)
        assert 4 * len([*lines, *chain.from_iterable(taken)]) == num_written


@pytest.mark.skipif(sys.platform == "win32", reason="on Windows, arguments are not bytes")
def test_bytes_that_are_not_utf8_are_refused(run: Path, tmp_path: Path) -> None:
    result = run_headlight("translate", run, "1 2", os.fsdecode(b"1 \xff"), cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == (
        "headlight: text 2: The text “1 \\udcff” holds half a character, or bytes that are not UTF-8. "
        "Type it again, or save it as UTF-8.\n"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="on Windows, arguments are not bytes")
def test_a_text_is_read_as_utf8_under_any_locale(run: Path, tmp_path: Path) -> None:
    under_ascii = "1 2 ü".encode().decode("ascii", "surrogateescape")
    for text in ("1 2 ü", under_ascii):
        result = run_headlight("translate", run, text, "--json", cwd=tmp_path)
        assert result.returncode == 0 and json.loads(result.stdout)["source"] == "1 2 ü"


@pytest.mark.parametrize("name", ["in.txt", "link.txt"])
def test_outputs_do_not_overwrite_the_texts(run: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "in.txt").write_text("1 2\n", encoding="utf-8")
    (tmp_path / "link.txt").symlink_to("in.txt")
    result = translate(run, tmp_path, "--output", name)
    assert result.returncode == 2 and "is the file of --input: the texts would be lost" in result.stderr
    assert (tmp_path / "in.txt").read_text(encoding="utf-8") == "1 2\n"


def test_outputs_do_not_overwrite_texts_that_the_shell_has_opened(run: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("1 2\n", encoding="utf-8")
    stdin = os.open(tmp_path / "in.txt", os.O_RDONLY)
    result = run_headlight("translate", run, "--output", "in.txt", cwd=tmp_path, stdin=stdin)
    why = "--output in.txt is the file of standard input: the texts would be lost. Name another file."
    assert (result.returncode, result.stderr) == (2, f"headlight: {why}\n")
    assert (tmp_path / "in.txt").read_text(encoding="utf-8") == "1 2\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has /dev/full")
def test_a_full_disk_is_reported_on_a_separate_line(run: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("1 2\n", encoding="utf-8")
    result = translate(run, tmp_path, "--output", "/dev/full")
    assert result.returncode == 2 and "\r" not in result.stderr
    bar, sentence = (line for line in result.stderr.split("\n")[:-1] if not line.startswith("warning: "))
    assert "0/1" in bar and sentence == (
        "headlight: /dev/full: cannot be written (No space left on device). Name another place."
    )


def test_the_beam_is_that_of_the_checkpoint(tmp_path: Path) -> None:
    with Engine(cache_dir=tmp_path / "cache") as engine:
        run = begun(engine, tmp_path, max_steps=10, validate_every=5, checkpoint_every=5)
        answered(engine, Learn(steps=5))
        answered(engine, ChangeSetting(key="decoding.beam_size", value=3))
        answered(engine, Learn())
    (tmp_path / "in.txt").write_text("1 2\n", encoding="utf-8")
    result = translate(run, tmp_path, "--n-best", "3", "--checkpoint", "5")
    assert result.stderr.startswith("headlight: --n-best 3: expected 1 to 1, the beam's size.")
    assert len(translate(run, tmp_path, "--n-best", "3", "--checkpoint", "10").stdout.splitlines()) == 3


@pytest.mark.parametrize(
    ("options", "warned"),
    [((), False), (("--length-penalty", "1"), True), (("--length-penalty", "1", "--beam-size", "2"), False)],
)
def test_a_length_penalty_without_a_beam_gives_a_warning(run: Path, options: tuple[str, ...], warned: bool) -> None:
    for command in (("translate", run, "1 2"), ("evaluate", run)):
        result = run_headlight(*command, *options, cwd=run)
        sentence = (
            f"warning: --length-penalty changes nothing: {run.name} is decoded greedily. Set a larger --beam-size"
        )
        assert (result.returncode, sentence in result.stderr.splitlines()) == (0, warned)


def test_an_overlong_line_is_named_before_any_line_is_translated(run: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("1 2\n\n" + "3\n" * 300 + "1 " * 99 + "\n", encoding="utf-8")
    result = translate(run, tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith("headlight: in.txt, line 303: The text “1 1 1 ") and "has 100 tokens" in line


def test_a_refusal_is_one_line_without_pending_warnings(run: Path, tmp_path: Path) -> None:
    texts, output = ("1 2", "1 " * 99), tmp_path / "out.txt"
    result = run_headlight("translate", run, *texts, "--length-penalty", "1", "--output", output, cwd=tmp_path)
    (line,) = result.stderr.splitlines()
    assert result.returncode == 2 and not output.exists()
    assert line.startswith("headlight: text 2: The text “1 1 1 ") and "has 100 tokens" in line


def test_a_warning_names_the_text_among_several(run: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("1 2\n\nvase\n", encoding="utf-8")
    several = run_headlight("translate", run, "1 2", "vase", cwd=tmp_path)
    single = run_headlight("translate", run, "vase", cwd=tmp_path)
    for result, prefix in ((translate(run, tmp_path), "in.txt, line 3: "), (several, "text 2: "), (single, "")):
        unknown = [line for line in result.stderr.splitlines() if "vocabulary" in line]
        assert unknown == [f"warning: {prefix}not in the vocabulary: 'vase'"]


def test_compressed_texts_are_read(run: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("1 2\n3\n", encoding="utf-8")
    plain = translate(run, tmp_path).stdout
    (tmp_path / "in.txt").write_bytes(gzip.compress(b"1 2\n3\n"))
    assert translate(run, tmp_path).stdout == plain and len(plain.splitlines()) == 2


SPACED_TEXTS = ("  aba ", "cab  bac", "bca\tabc", "abc\u2028 cba", "ca\u00a0bab \u3000")
FILES = {"train_source": "train.txt", "train_target": "train.out", "valid_source": "spaced.txt", "valid_target": "out"}


@pytest.mark.parametrize(
    "tokenizer", [{"src": "characters", "tgt": "characters"}, {"src": "subword", "tgt": "subword", "size": 12}]
)
def test_a_corpus_file_is_read_as_evaluate_reads_it(tmp_path: Path, tokenizer: dict[str, Any]) -> None:
    lines = ["abc cab", "bca", "cba abc", "bac aba", "cab cab"] * 8
    for name, texts in {"train.txt": lines, "train.out": lines, "spaced.txt": SPACED_TEXTS, "out": ["abc"] * 5}.items():
        (tmp_path / name).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    dataset = {"plugin": "parallel_text", "options": {"folder": str(tmp_path), **FILES}, "tokenizer": tokenizer}
    document = tiny_config(max_steps=60, optimizer={"learning_rate": 0.01}).model_dump() | {"dataset": dataset}
    with Engine(cache_dir=tmp_path / "cache") as engine:
        answered(engine, Prepare(config=RunConfig.model_validate(document)))
        answered(engine, Start(runs_dir=tmp_path, run_dir=tmp_path / "run"))
        answered(engine, Learn())
    run_headlight("evaluate", tmp_path / "run", "--predictions", "predictions.tsv", cwd=tmp_path)
    predictions = (tmp_path / "predictions.tsv").read_text(encoding="utf-8").splitlines()[1:]
    sources, _, hypotheses = zip(*(line.split("\t") for line in predictions), strict=True)
    (tmp_path / "as_evaluated.txt").write_text("".join(f"{source}\n" for source in sources), encoding="utf-8")
    spaced, evaluated = (
        run_headlight("translate", tmp_path / "run", "--input", name, "--json", cwd=tmp_path).stdout.split("\n")[:-1]
        for name in ("spaced.txt", "as_evaluated.txt")
    )
    of_spaced, of_evaluated = ([json.loads(line) | {"source": ""} for line in one] for one in (spaced, evaluated))
    assert of_spaced == of_evaluated, "probabilities and unknown tokens must be equal, too"
    assert [" ".join(one["output"].split()) for one in of_spaced] == list(hypotheses)


def test_an_output_of_line_breaks_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "lines.py").write_text(LINES_PLUGIN, encoding="utf-8")
    config = tiny_config(max_steps=40).model_dump(mode="json") | {"dataset": {"plugin": "lines"}}
    config["training"] |= {"optimizer": {"learning_rate": 0.03}, "schedule": {"name": "constant", "warmup_steps": 0}}
    (tmp_path / "lines.yaml").write_text(json.dumps(config), encoding="utf-8")
    trained = run_headlight("train", "lines.yaml", "--plugins-dir", ".", "--run-dir", "run", cwd=tmp_path)
    assert trained.returncode == 0, trained.stderr
    texts = ("translate", "run", "a", "b")
    records = [json.loads(line) for line in run_headlight(*texts, "--json", cwd=tmp_path).stdout.splitlines()]
    assert [one["output"] for one in records] == ["\r\n", "\r\n"], "the run has not learnt to write line breaks"
    assert run_headlight(*texts, cwd=tmp_path).stdout == "  \n  \n"
    n_best = run_headlight(*texts, "--n-best", "1", cwd=tmp_path).stdout.splitlines()
    assert [line.split("\t")[0::2] for line in n_best] == [["1", "  "], ["2", "  "]]
