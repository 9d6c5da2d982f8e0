"""The parts of the benchmark; each is one comparison."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.speed import decoding, limit, training
from benchmarks.speed.data import prepare
from benchmarks.speed.ours import OURS
from benchmarks.speed.rivals import RivalsFor, all_that_decode, all_that_train
from benchmarks.speed.rounds import take_turns
from benchmarks.speed.sizes import BEAM_SIZE, MEDIUM, OUTPUT_LENGTH, SMALL, Precision, Size
from benchmarks.speed.table import Comparison
from benchmarks.speed.training import Setting
from core.machine.processor import has_bfloat16_products


@dataclass(frozen=True)
class Conditions:
    """The conditions under which a part is measured."""

    folder: Path  # new, for data and runs
    rounds: int
    threads: int  # the most torch threads
    rivals: RivalsFor | None = None  # whom to compare with; None: everyone


def train_alike(size: Size, precision: Precision, conditions: Conditions) -> Comparison:
    """Compare everyone in one precision, with all threads."""
    title = f"Training step, {precision}, {size}"
    return _train(title, size, [Setting(precision, conditions.threads)], conditions, repeats=1)


def train_at_best(size: Size, conditions: Conditions) -> Comparison:
    """Compare ours, as `auto` picks, with everyone else under the setting that suits them best."""
    title = f"Training step, auto, {size}"
    return _train(title, size, training.all_settings(conditions.threads), conditions, repeats=5)


def _train(title: str, size: Size, settings: list[Setting], conditions: Conditions, repeats: int) -> Comparison:
    data = prepare(size, conditions.folder)
    rivals = (conditions.rivals or all_that_train)(size)
    contenders = training.contenders(size, data, settings, rivals, conditions.folder / "run")
    seconds = take_turns(contenders, rounds=conditions.rounds, repeats=repeats)
    return Comparison(title, OURS, seconds, limit.operations(limit.of_training_step(size)), rivals.missing)


def decode(size: Size, num_sentences: int, beam_size: int, conditions: Conditions) -> Comparison:
    """Compare decoding so many sentences at once, greedily or with a beam."""
    how = "greedily" if beam_size == 1 else f"with a beam of {beam_size}"
    title = f"Decoding {num_sentences} x {OUTPUT_LENGTH} tokens {how}, float32, {size}"
    task = decoding.Task(size, prepare(size, conditions.folder), num_sentences, beam_size)
    rivals = (conditions.rivals or all_that_decode)(size)
    with ExitStack() as stack:
        contenders = decoding.contenders(task, rivals, conditions.threads, conditions.folder, stack)
        seconds = take_turns(contenders, rounds=conditions.rounds, repeats=3 if num_sentences == 1 else 1)
    return Comparison(title, OURS, seconds, limit.operations(decoding.operations_of(task)), rivals.missing)


PARTS: dict[str, Callable[[Conditions], Comparison]] = {
    "medium-float32": partial(train_alike, MEDIUM, "float32"),
    "medium-bfloat16": partial(train_alike, MEDIUM, "bfloat16"),
    "small": partial(train_at_best, SMALL),
    "greedy-1": partial(decode, MEDIUM, 1, 1),
    "greedy-64": partial(decode, MEDIUM, 64, 1),
    "beam-64": partial(decode, MEDIUM, 64, BEAM_SIZE),
}


def why_not_here(part: str) -> str | None:
    """Why this part is left out on this machine; None if it is measured."""
    if part == "medium-bfloat16" and not has_bfloat16_products():
        return "not measured: this processor does not multiply in bfloat16, and imitating it takes minutes"
    return None
