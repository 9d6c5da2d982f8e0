"""The memory check of a long run reports counts that keep growing, but not those that fluctuate."""

from __future__ import annotations

from benchmarks.memory import EVERY, STEPS, Counts, missed_bounds

FLAT = [Counts(step, 500.0, 39, 7, 3000, 160) for step in range(EVERY, STEPS + 1, EVERY)]
BOUNDS = {
    "metrics.jsonl": (1, 6.1),
    "validations": (101, 7.0),
    "probes": (113, 1.0),
    "snapshots": (80, 1.9),
    "checkpoints": (15, 0.4),
}


def test_constant_and_fluctuating_counts_pass() -> None:
    flickering = [one._replace(objects=one.objects + number % 2) for number, one in enumerate(FLAT)]
    warming_up = [one._replace(handles=20) if one.step < 5000 else one for one in flickering]
    assert missed_bounds(warming_up, BOUNDS) == []


def test_every_growing_count_is_reported() -> None:
    for field, name in {"handles": "file handles", "threads": "threads", "objects": "Qt's", "items": "items"}.items():
        growing = [one._replace(**{field: getattr(one, field) + one.step // 5000}) for one in FLAT]
        assert [sentence.startswith(name) for sentence in missed_bounds(growing, BOUNDS)] == [True], field
    growing_memory = [one._replace(megabytes=500 + one.step / 900) for one in FLAT]
    assert missed_bounds(growing_memory, BOUNDS) == ["1.11 MB in a thousand steps"]


def test_a_folder_larger_than_documented_is_reported() -> None:
    parts = {"metrics.jsonl": (1, 9.0), "probes": (500, 4.0), "snapshots": (90, 2.1), "validations": (134, 9.0)}
    named = sorted(sentence.partition(":")[0] for sentence in missed_bounds(FLAT, BOUNDS | parts))
    assert named == ["metrics.jsonl", "probes", "snapshots", "validations", "validations"]
