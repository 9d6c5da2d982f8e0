"""When garbage collection runs, and which objects it skips."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from core.machine.garbage_collection import gc_frozen_afterwards, gc_suspended


@pytest.fixture(autouse=True)
def collecting() -> Iterator[None]:
    """Enable collections, as in any process but that of the tests."""
    gc.enable()
    yield
    gc.disable()
    gc.unfreeze()  # the objects frozen by the test
    gc.freeze()  # as conftest.py does


def test_collection_is_disabled_within_the_block() -> None:
    for context in (gc_suspended, gc_frozen_afterwards):
        with context():
            assert not gc.isenabled()
        assert gc.isenabled()


def test_objects_made_in_the_block_are_frozen_afterwards() -> None:
    with gc_frozen_afterwards():
        created = [["as of a module"] for _ in range(1000)]
    unfrozen = [["made after it"]]
    collected_ids = {id(value) for value in gc.get_objects()}
    assert collected_ids.isdisjoint(map(id, created)) and id(unfrozen[0]) in collected_ids


def test_nothing_is_frozen_if_collection_was_disabled() -> None:
    """As in the window, which decides itself in which thread it collects and when it freezes."""
    gc.disable()
    num_before = gc.get_freeze_count()
    with gc_frozen_afterwards():
        created = [["as of a module"] for _ in range(1000)]
    assert not gc.isenabled() and gc.get_freeze_count() <= num_before  # some frozen objects may have ended
    assert {id(value) for value in gc.get_objects()}.issuperset(map(id, created))
