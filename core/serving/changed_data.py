"""Compares what a dataset gives today with what it gave when a run was trained."""

from __future__ import annotations

from dataclasses import replace

from core.data.pair_texts import have_same_pairs
from core.data.prepared_data import PreparedData
from core.data.splits import SPLITS


def with_replaced_held_out(own: PreparedData, now: PreparedData) -> PreparedData | None:
    """The data there are now, for scoring a run that has its `own` pairs; None if it was trained on others.

    Held-out pairs may be any, since their tokens have the run's ids: those follow from the train split alone.
    """
    assert own.folder is not None and now.folder is not None  # both were prepared
    changed = tuple(split for split in SPLITS if not have_same_pairs(own.folder / split, now.folder / split))
    return None if "train" in changed else replace(now, replaced_splits=changed)


def describe_difference(known: PreparedData, now: PreparedData) -> str:
    """A sentence that says that the pairs differ, and in which splits there are more or fewer of them."""
    counts = [(split, _num_drawn(known, split), _num_drawn(now, split)) for split in now.num_pairs]
    changed = [f"its {split} split has {here}, and had {then}" for split, then, here in counts if here != then]
    how = "; ".join(changed) or "as many in each split, but not the same"
    return f"The dataset {known.dataset.plugin!r} gives different pairs than when this run was trained: {how}."


def _num_drawn(data: PreparedData, split: str) -> str:
    """How many pairs a split has, in words, those too long for the run included."""
    size = data.num_pairs.get(split)
    return "endless ones" if size is None else f"{size + data.left_out.get(split, 0):,}"
