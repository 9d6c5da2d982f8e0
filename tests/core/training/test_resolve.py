"""Every auto setting becomes a value that depends only on config, data and machine."""

from __future__ import annotations

from typing import Any

import pytest

from core.config import RunConfig, config_to_yaml
from core.data.prepared_data import PreparedData
from core.errors import UserError
from core.events import Event, Trouble
from core.machine.cores import usable_cores
from core.model_size import model_sizes
from core.training import resolve as resolve_module
from core.training.resolve import resolve, resolve_on_this_machine
from tests.core.training.small_runs import DATASET, MODEL


def config(**groups: Any) -> RunConfig:
    return RunConfig.model_validate({"dataset": DATASET, "model": MODEL, **groups})


def test_no_auto_is_left_and_resolving_again_changes_nothing(data: PreparedData) -> None:
    resolved = resolve(config(), data)
    assert "auto" not in config_to_yaml(resolved)
    assert resolve(resolved, data) == resolved
    assert RunConfig.model_validate(resolved.model_dump(mode="json")) == resolved


@pytest.mark.parametrize(("max_steps", "expected"), [(1, 1), (99, 1), (1000, 10), (12_345, 123)])
def test_auto_probe_every_is_a_hundredth_of_the_steps(data: PreparedData, max_steps: int, expected: int) -> None:
    assert resolve(config(training={"max_steps": max_steps}), data).training.probe_every == expected


def test_a_small_model_uses_one_thread_and_a_large_one_all_cores(data: PreparedData) -> None:
    assert resolve(config(), data).training.num_threads == 1
    large = {**MODEL, "d_model": 512, "d_ff": 2048, "num_encoder_layers": 6, "num_decoder_layers": 6}
    assert resolve(config(model=large), data).training.num_threads == usable_cores() >= 1
    assert resolve(config(model=large, training={"num_threads": 3}), data).training.num_threads == 3


def test_positions_suffice_for_source_target_and_output(data: PreparedData) -> None:
    longest = max(data.max_src_length, data.max_tgt_length)
    assert model_sizes(config(), data)[-1] == longest >= 7
    assert model_sizes(config(decoding={"max_length": 50}), data)[-1] == 50
    assert resolve(config(), data).decoding.max_length == data.max_tgt_length


def test_a_missing_device_is_refused_with_advice(data: PreparedData) -> None:
    with pytest.raises(UserError, match=r"training\.device: cuda:77 does not exist") as exc_info:
        resolve(config(training={"device": "cuda:77"}), data)
    assert exc_info.value.advice


def test_more_threads_than_can_be_started_are_refused(data: PreparedData) -> None:
    with pytest.raises(UserError, match=r"training\.num_threads: expected auto or at most 1,024, given 20,000\."):
        resolve(config(training={"num_threads": 20_000}), data)


def test_a_run_of_another_machine_moves_to_the_cpu_with_at_most_its_processors(
    data: PreparedData, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resolve_module, "usable_processors", lambda: 3)
    notes = list[Event]()
    theirs = config(training={"device": "cuda:77", "num_threads": 20_000})
    training = resolve_on_this_machine(theirs, data, notes.append).training
    assert (training.device, training.num_threads) == ("cpu", 3)
    assert [isinstance(note, Trouble) and note.is_note and "cuda:77" in note.sentence for note in notes] == [True]


@pytest.mark.parametrize(("multiplies", "expected"), [(True, "bfloat16"), (False, "float32")])
def test_a_run_of_a_gpu_keeps_bfloat16_where_the_processor_multiplies_in_it(
    data: PreparedData, monkeypatch: pytest.MonkeyPatch, multiplies: bool, expected: str
) -> None:
    monkeypatch.setattr(resolve_module, "has_bfloat16_products", lambda: multiplies)
    notes = list[Event]()
    theirs = config(training={"device": "cuda:77", "precision": "bfloat16"})
    assert resolve_on_this_machine(theirs, data, notes.append).training.precision == expected
    assert [isinstance(note, Trouble) and f"in {expected} " in note.advice for note in notes] == [True]


def test_a_run_of_this_machine_keeps_its_device_and_threads(data: PreparedData) -> None:
    """With more threads, its sums would be rounded differently, and it would not resume to the bit."""
    notes = list[Event]()
    ours = resolve(config(training={"device": "cpu", "num_threads": 1}), data)
    assert (resolve_on_this_machine(ours, data, notes.append), notes) == (ours, [])
