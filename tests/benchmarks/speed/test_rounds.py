"""The order of turns, and the ratios of known times."""

from __future__ import annotations

from functools import partial

from benchmarks.speed.rounds import Contender, Entry, fastest, ratio, take_turns


def test_each_contender_goes_first_once_and_is_prepared_before_every_run() -> None:
    seen: list[str] = []
    entries = [Entry("a"), Entry("b"), Entry("c")]
    contenders = {entry: Contender(partial(seen.append, entry.name), 1, partial(seen.append, "-")) for entry in entries}
    seconds = take_turns(contenders, rounds=2, warm_up=1)
    assert seen == [*"-a-b-c", *"-b-c-a", *"-c-a-b"]
    assert {entry: len(times) for entry, times in seconds.items()} == dict.fromkeys(entries, 2)


def test_ratios_are_of_the_same_round() -> None:
    slow, fast = Entry("slow"), Entry("fast")
    found = ratio({slow: [2.0, 30.0, 4.0], fast: [1.0, 10.0, 4.0]}, slow, fast)
    assert found.median == 2.0
    assert (found.low, found.high) == (1.5, 2.5)


def test_a_contender_is_compared_under_its_fastest_setting() -> None:
    seconds = {Entry("a", "1 thread"): [3.0, 3.0], Entry("a", "2 threads"): [2.0, 2.0], Entry("b"): [9.0, 9.0]}
    assert fastest(seconds) == {"a": Entry("a", "2 threads"), "b": Entry("b")}
