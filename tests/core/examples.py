"""Handmade records, for tests of the code that stores and shows them."""

from __future__ import annotations

import errno
import time
from pathlib import Path

import numpy as np
import pytest

from core.config import DatasetConfig, RunConfig
from core.events import ValidatedSentence, ValidationDone
from core.probes import Feed, Probe, ProbedSentence
from core.run_folder import RunFolder


def feed(length: int, num_src: int, rng: np.random.Generator) -> Feed:
    return Feed(
        tgt_input=("<bos>", *("ä∫" for _ in range(length - 1))),
        tgt_output=(*("ä∫" for _ in range(length - 1)), "<eos>"),
        output_probability=rng.random(length).astype(np.float32),
        output_rank=np.arange(length, dtype=np.int32),
        top_tokens=tuple(("a", "b") for _ in range(length)),
        top_probability=np.full((length, 2), 0.25, np.float32),
        decoder_self=rng.random((2, 4, length, length)).astype(np.float16),
        cross=rng.random((2, 4, length, num_src)).astype(np.float16),
    )


def probe(step: int) -> Probe:
    """A probe of two sentences: one with reference and alignment, one typed in."""
    rng = np.random.default_rng(step)
    known = ProbedSentence(
        source="ein kaltes Bier",
        src_tokens=("ein", "kaltes", "Bier", "<unk>", "<eos>"),
        reference="a cold beer",
        output="a a a",
        alignment=((0, 0), (1, 1)),
        encoder_self=rng.random((2, 4, 5, 5)).astype(np.float16),
        by_reference=feed(4, 5, rng),
        free_running=feed(7, 5, rng),
    )
    typed = ProbedSentence(
        source="\u2028 ∫",
        src_tokens=("∫",),
        reference=None,
        output="",
        alignment=(),
        encoder_self=rng.random((2, 4, 1, 1)).astype(np.float16),
        by_reference=None,
        free_running=feed(1, 1, rng),
    )
    return Probe(step=step, sentences=(known, typed))


def validation(step: int, *, is_best: bool = True, loss: float = 1.5) -> ValidationDone:
    sentence = ValidatedSentence(
        source="\u0085 ich",
        reference="i",
        hypothesis="you",
        tokens=("i", "<eos>"),
        probability=(0.5, 0.25),
        rank=(1, 0),
    )
    metrics = {"valid/loss": loss, "valid/bleu": 3.0}
    return ValidationDone(step=step, metrics=metrics, sentences=(sentence,), is_best=is_best)


def steps(count: int, loss: float = 2.0) -> dict[str, np.ndarray]:
    return {"time": np.full(count, time.time()), "train/loss": np.linspace(loss, loss / 2, count)}


def run_folder(runs_dir: Path, name: str = "copy_task") -> RunFolder:
    folder = RunFolder.create(runs_dir, name)
    folder.write_config(RunConfig(name=name, dataset=DatasetConfig(plugin="copy_task")))
    return folder


def weights(seed: int, size: int = 10) -> dict[str, np.ndarray]:
    return {"embedding": np.random.default_rng(seed).random((size, size), dtype=np.float32)}


def assert_same_probe(one: Probe | None, other: Probe) -> None:
    assert one is not None and one.step == other.step
    assert len(one.sentences) == len(other.sentences)
    for mine, theirs in zip(one.sentences, other.sentences, strict=True):
        _assert_same_fields(mine, theirs)


def _assert_same_fields(mine: object, theirs: object) -> None:
    assert type(mine) is type(theirs)
    for name, value in vars(mine).items():
        other = getattr(theirs, name)
        if isinstance(value, np.ndarray):
            assert value.dtype == other.dtype
            np.testing.assert_array_equal(value, other)
        elif isinstance(value, Feed):
            _assert_same_fields(value, other)
        else:
            assert value == other


def fail_to_read(unreadable: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make reading this file fail as on a bad disk sector."""
    read_bytes = Path.read_bytes

    def read(path: Path) -> bytes:
        if path == unreadable:
            raise OSError(errno.EIO, "Input/output error")
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", read)
