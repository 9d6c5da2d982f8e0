"""The parts of the benchmark, each one comparison."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.speed import training
from benchmarks.speed.data import prepare
from benchmarks.speed.rounds import take_turns
from benchmarks.speed.sizes import MEDIUM, SMALL, Precision, Size
from benchmarks.speed.table import Comparison
from benchmarks.speed.training import Setting


@dataclass(frozen=True)
class Conditions:
    """How a part is measured."""

    folder: Path  # new, for data and runs
    rounds: int
    threads: int  # of torch, at most


def train_alike(size: Size, precision: Precision, conditions: Conditions) -> Comparison:
    """Everyone in one precision, with all threads."""
    title = f"Training step, {precision}, {size}"
    return _train(title, size, [Setting(precision, conditions.threads)], conditions, repeats=1)


def train_at_best(size: Size, conditions: Conditions) -> Comparison:
    """Ours as `auto` picks, each other contender under the setting that suits it best."""
    title = f"Training step, auto, {size}"
    return _train(title, size, training.all_settings(conditions.threads), conditions, repeats=5)


def _train(title: str, size: Size, settings: list[Setting], conditions: Conditions, repeats: int) -> Comparison:
    data = prepare(size, conditions.folder)
    contenders = training.contenders(size, data, settings, conditions.folder / "run")
    seconds = take_turns(contenders, rounds=conditions.rounds, repeats=repeats)
    return Comparison(title, training.OURS, seconds, {})


PARTS: dict[str, Callable[[Conditions], Comparison]] = {
    "medium-float32": partial(train_alike, MEDIUM, "float32"),
    "medium-bfloat16": partial(train_alike, MEDIUM, "bfloat16"),
    "small": partial(train_at_best, SMALL),
}
