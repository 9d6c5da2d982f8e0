"""Subwords: learnt from the texts of a side or of both, reproducible to the byte, with progress and errors reported."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.config import AUTO_SIZE, SubwordName
from core.data import learning_subwords
from core.data.learning_subwords import SizeTooSmall, learn_subwords, require_size
from core.data.pair_texts import pairs_file, write_pairs
from core.data.special_tokens import SPECIAL_TOKENS
from core.data.subword_progress import SubwordProgress, logged_share
from core.data.subwords import MAX_MODEL_BYTES, SubwordTokenizer
from core.errors import UserError
from core.generators import run_to_end
from core.plugin import Pair
from tests.conftest import child_processes
from tests.full_disk import no_file_beyond

TEXTS = ("the cat sat on the mat", "a cat  and a bat\tsat", "dämmerung <pad> <bos>", " that hat ")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A model learnt from both sides of these texts."""
    stem = tmp_path_factory.mktemp("texts") / "train"
    write_pairs(stem, [Pair(text, text[::-1]) for text in TEXTS])
    return run_to_end(learn_subwords("subword", stem, len(TEXTS), "both", 60))


@pytest.fixture(scope="module", params=get_args(SubwordName))
def tokenizer(
    model: bytes, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> SubwordTokenizer:
    """A tokenizer of each kind of subwords."""
    if request.param == "subword":
        return SubwordTokenizer(model)
    return learnt(tmp_path_factory.mktemp("unigram") / "train", TEXTS, request.param)


def learnt(stem: Path, texts: tuple[str, ...], name: SubwordName = "subword", size: int = 60) -> SubwordTokenizer:
    write_pairs(stem, [Pair(text, "x") for text in texts])
    return SubwordTokenizer(run_to_end(learn_subwords(name, stem, len(texts), "src", size)))


def test_frequent_words_become_pieces(tokenizer: SubwordTokenizer, model: bytes) -> None:
    assert SubwordTokenizer(model).tokenize("the cat sat") == ["▁the", "▁cat", "▁", "sat"]
    assert len(tokenizer.pieces) == len(set(tokenizer.pieces)) <= 60 - len(SPECIAL_TOKENS)


@given(text=st.text(st.characters(codec="utf-8", exclude_characters="▁")))
def test_every_text_survives_tokenising_and_joining(tokenizer: SubwordTokenizer, text: str) -> None:
    assert tokenizer.join(tokenizer.tokenize(text)) == text


def test_unseen_characters_are_not_pieces(tokenizer: SubwordTokenizer) -> None:
    assert [token for token in tokenizer.tokenize("a ☃☃ cat") if token not in tokenizer.pieces] == ["☃☃"]


def test_special_tokens_in_a_text_are_ordinary_text(tokenizer: SubwordTokenizer) -> None:
    assert not set(SPECIAL_TOKENS).intersection(tokenizer.tokenize("<pad> <bos>"))
    assert not set(SPECIAL_TOKENS).intersection(tokenizer.pieces)


def test_the_same_texts_give_the_same_model_to_the_byte(model: bytes, tmp_path: Path) -> None:
    write_pairs(tmp_path / "train", [Pair(text, text[::-1]) for text in TEXTS])
    assert run_to_end(learn_subwords("subword", tmp_path / "train", len(TEXTS), "both", 60)) == model


def test_subwords_of_a_side_are_learnt_from_its_texts_only(tmp_path: Path) -> None:
    assert set("".join(learnt(tmp_path / "train", ("ab ab ba",)).pieces)) == set("ab▁")


def test_if_there_are_too_many_pairs_every_nth_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning_subwords, "MAX_PAIRS", 3)
    assert set("".join(learnt(tmp_path / "train", ("ab", "cd") * 3).pieces)) == set("ab▁")


def test_a_size_too_small_for_the_characters_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"size = 16: the source texts have so many .* they need at least 31"):
        learnt(tmp_path / "train", ("abcdefghijklmnopqrstuvwxyz",), size=16)


@pytest.fixture
def yields_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have learning report its progress before its process can have ended."""
    monkeypatch.setattr(learning_subwords, "_POLL_SECONDS", 0.0)


@pytest.mark.parametrize("name", get_args(SubwordName))
def test_texts_of_which_none_can_be_learnt_from_are_refused(tmp_path: Path, name: SubwordName) -> None:
    with pytest.raises(UserError, match="all source texts of the train split are empty or hold ▅"):
        learnt(tmp_path / "train", ("", "a ▅"), name)


@pytest.mark.usefixtures("yields_at_once")
def test_stopping_while_learning_leaves_no_files(tmp_path: Path) -> None:
    write_pairs(tmp_path / "train", [Pair(text, text) for text in TEXTS])
    work = learn_subwords("subword", tmp_path / "train", len(TEXTS), "src", 60)
    assert next(work).stage == "learning source subwords"
    work.close()
    assert {path.name for path in tmp_path.iterdir()} == {"train.pairs.jsonl", "train.pairs.npy"}


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux lists child processes")
@pytest.mark.usefixtures("yields_at_once")
def test_learning_killed_by_the_system_is_reported(tmp_path: Path) -> None:
    write_pairs(tmp_path / "train", [Pair(text, text) for text in TEXTS])
    before = dict(child_processes())
    work = learn_subwords("subword", tmp_path / "train", len(TEXTS), "src", 60)
    next(work)
    (learning,) = set(dict(child_processes())) - set(before)
    os.kill(learning, signal.SIGKILL)
    with pytest.raises(UserError, match="source texts was ended by the system"):
        list(work)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux lists child processes")
@pytest.mark.parametrize("logged", [b"", b"read 30000"])  # while its process is starting, and while it reads
def test_learning_ends_with_a_killed_application(tmp_path: Path, logged: bytes) -> None:
    draw = Random(0)
    texts = [" ".join("".join(draw.choices("aeinrst", k=7)) for _ in range(12)) for _ in range(40_000)]
    write_pairs(tmp_path / "train", [Pair(text, "x") for text in texts])  # learning takes far longer than the test
    learning = "from pathlib import Path; from core.data.learning_subwords import learn_subwords\n"
    learning += f"list(learn_subwords('subword_unigram', Path({str(tmp_path / 'train')!r}), 40_000, 'src', 4000))"
    with subprocess.Popen([sys.executable, "-c", learning]) as application:
        children = Path(f"/proc/{application.pid}/task/{application.pid}/children")
        wait_until(lambda: children.read_text() and logged in (tmp_path / "train.log").read_bytes())
        (child,) = children.read_text().split()
        application.kill()
    wait_until(lambda: not Path(f"/proc/{child}/exe").exists())  # a zombie has none
    assert not (tmp_path / "train.model").exists()


def wait_until(condition: Callable[[], object]) -> None:
    """Wait for at most a minute."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot run a script as a program")
@pytest.mark.parametrize(
    ("message", "advice"),
    [("RuntimeError: Resource temporarily unavailable", "Is there too little memory?"), ("Odd.", "Choose other")],
)
def test_an_error_of_learning_is_reported_with_advice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, message: str, advice: str
) -> None:
    failing = tmp_path / "failing"
    failing.write_text(f"#!{sys.executable}\nimport sys\nsys.exit({message!r})\n")
    failing.chmod(0o755)
    write_pairs(tmp_path / "train", [Pair(text, text) for text in TEXTS])
    monkeypatch.setattr(sys, "executable", str(failing))
    with pytest.raises(UserError) as exc_info:
        list(learn_subwords("subword", tmp_path / "train", len(TEXTS), "src", 60))
    assert f"source texts failed: {message.rstrip('.')}. {advice}" in str(exc_info.value)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows limits no file's size")
def test_a_full_disk_is_reported_where_learning_cannot_even_log_its_error(tmp_path: Path) -> None:
    write_pairs(tmp_path / "train", [Pair(text, text) for text in TEXTS])
    with no_file_beyond(0), pytest.raises(OSError, match="File too large"):
        list(learn_subwords("subword", tmp_path / "train", len(TEXTS), "src", 60))


@pytest.mark.parametrize(("name", "size"), [("subword", 600), ("subword_unigram", 200)])
def test_progress_rises_to_at_most_all_pairs(tmp_path: Path, name: SubwordName, size: int) -> None:
    draw, num_pairs = Random(0), 30_000
    texts = [" ".join("".join(draw.choices("aeinrst", k=4)) for _ in range(4)) for _ in range(num_pairs)]
    write_pairs(tmp_path / "train", [Pair(text, text) for text in texts])
    progress = list(learn_subwords(name, tmp_path / "train", num_pairs, "src", size))
    assert {one.total for one in progress} == {num_pairs}
    shares = [one.done / num_pairs for one in progress]
    assert shares == sorted(shares) and 0 < shares[-1] <= 1  # how often progress is read depends on the machine


def test_the_learning_process_logs_how_many_pairs_it_has_read(tmp_path: Path) -> None:
    """It counts the pairs that it reads, here every second one."""
    write_pairs(tmp_path / "train", [Pair(text, "x") for text in TEXTS] * 12_500)
    arguments = ["bpe", pairs_file(tmp_path / "train"), "2", "src", "60", tmp_path / "model"]
    command = [sys.executable, "-m", "core.data.subword_process", *map(str, arguments)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as learning:
        assert learning.stderr is not None
        log = learning.stderr.read()
    assert learning.returncode == 0
    assert re.findall(r"^read (\d+)$", log, re.MULTILINE) == ["0", "10000", "20000"]
    shares = [logged_share("subword", log[: log.index(f"read {num}") + 11], 25_000, 60) for num in (10_000, 20_000)]
    assert 0.0 < 2 * shares[0] == pytest.approx(shares[1])


def test_the_share_is_parsed_from_pairs_read_merges_and_prunings() -> None:
    assert logged_share("subword", "read 0\nread 500000\n", 1_000_000, 200) == pytest.approx(0.145)
    merging = "read 990000\nLoaded all\nDone! preprocessed\nMerged: freq=9 merges=100 piece=Loaded\n"
    assert logged_share("subword", merging, 1_000_000, 200) == pytest.approx(0.97)
    pruning = "EM training\nEM sub_iter=0 size=3200 obj=8\nEM sub_iter=1 size=3200 obj=8\n"
    share = logged_share("subword_unigram", pruning, 9, 800)
    assert share == pytest.approx(0.53 + 0.47 / 5), "the first of five prunings down to 880 pieces is done"


def test_while_the_log_is_silent_the_share_rises_up_to_that_of_the_next_message() -> None:
    learned = SubwordProgress("subword_unigram", 9, 800)
    assert learned.share(7.0, "Extracting seed\n") == pytest.approx(0.14)
    assert learned.share(10.0, "Extracting seed\n") == pytest.approx(0.20)
    assert learned.share(100.0, "Extracting seed\n") == pytest.approx(0.50)
    assert learned.share(101.0, "Extracting seed\nInitialized\n") == pytest.approx(0.50), "the share must not fall"
    assert learned.share(200.0, "Extracting seed\nInitialized\nEM training\n") == pytest.approx(0.53)


@pytest.mark.parametrize("damage", [b"", b"no model", b"\x00" * 100, b"x" * (MAX_MODEL_BYTES + 1)])
def test_a_file_that_is_not_a_model_is_refused(damage: bytes) -> None:
    with pytest.raises(UserError, match="subwords of this run cannot be read"):
        SubwordTokenizer(damage)


def test_a_model_with_other_special_tokens_is_refused(model: bytes) -> None:
    with pytest.raises(UserError, match="does not begin with <pad>"):
        SubwordTokenizer(model.replace(b"<pad>", b"<bad>"))


@pytest.mark.parametrize("name", get_args(SubwordName))
def test_the_least_size_is_the_same_if_too_many_or_too_few_are_requested(name: SubwordName, tmp_path: Path) -> None:
    write_pairs(stem := tmp_path / "train", [Pair(text, text) for text in TEXTS])
    with pytest.raises(SizeTooSmall) as too_few:
        run_to_end(learn_subwords(name, stem, len(TEXTS), "src", 6))
    assert too_few.value.needed == 21
    with pytest.raises(UserError, match="Set it to auto, or to a number from 21 to"):
        require_size({"src": run_to_end(learn_subwords(name, stem, len(TEXTS), "src", 900))}, 900)
    assert run_to_end(learn_subwords(name, stem, len(TEXTS), "src", 21))


def test_texts_with_more_characters_than_the_auto_size_are_refused(tmp_path: Path) -> None:
    texts = ["".join(map(chr, range(start, start + 100))) for start in range(0x4E00, 0x4E00 + AUTO_SIZE, 100)]
    write_pairs(stem := tmp_path / "train", [Pair(text, text) for text in texts])
    with pytest.raises(SizeTooSmall) as exc_info:
        run_to_end(learn_subwords("subword", stem, len(texts), "tgt", "auto"))
    assert str(exc_info.value) == (
        "dataset.tokenizer.size = auto is at most 8,000: the target texts have so many different characters that they "
        "need at least 8,005. Set it to 8,005 or more; some thousands are usual."
    )
