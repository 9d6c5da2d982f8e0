"""When Python looks for garbage, and what it looks through."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from core.machine.garbage_collection import gc_frozen_afterwards, gc_suspended


@pytest.fixture(autouse=True)
def collecting() -> Iterator[None]:
    """As in any process but the tests' own."""
    gc.enable()
    yield
    gc.disable()
    gc.unfreeze()  # what a test here has set aside
    gc.freeze()  # and again what the tests have imported


def test_nothing_is_collected_meanwhile() -> None:
    for context in (gc_suspended, gc_frozen_afterwards):
        with context():
            assert not gc.isenabled()
        assert gc.isenabled()


def test_what_is_imported_for_good_is_never_looked_through_again() -> None:
    with gc_frozen_afterwards():
        made = [["as of a module"] for _ in range(1000)]
    later = [["made after it"]]
    looked_through = {id(thing) for thing in gc.get_objects()}
    assert looked_through.isdisjoint(map(id, made)) and id(later[0]) in looked_through


def test_where_collections_are_off_nothing_is_set_aside() -> None:
    """As in the window, which collects in a thread of its own choice and sets aside at a time of its own."""
    gc.disable()
    num_before = gc.get_freeze_count()
    with gc_frozen_afterwards():
        made = [["as of a module"] for _ in range(1000)]
    assert not gc.isenabled() and gc.get_freeze_count() <= num_before  # of those a few may have ended
    assert {id(thing) for thing in gc.get_objects()}.issuperset(map(id, made))
