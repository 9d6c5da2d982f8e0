"""Each planted fault triggers its rule, and a healthy run triggers none."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from core.history import History
from core.model.transformer import Transformer
from core.notices.notice import NoticeKind
from core.notices.rules import RULES
from core.notices.run_at_step import RunAtStep
from core.run_folder import RunFolder
from core.runs.followed_run import read_followed_run
from tests.core.notices.conftest import Recorded
from tests.core.notices.recorded import Fault

EXAMPLE = Path(__file__).parents[3] / "resources" / "finished_run"


@torch.no_grad()
def blind(model: Transformer) -> None:
    """Set the queries and keys of all cross-attention to zero."""
    d_model = model.config.d_model
    for layer in model.decoder:
        for part in (layer.cross_attention.q, layer.cross_attention.kv):
            part.weight[:d_model] = 0.0
            part.bias[:d_model] = 0.0


@torch.no_grad()
def kill_a_head(model: Transformer) -> None:
    """Set the queries and keys of the encoder's second head to zero."""
    attention = next(iter(model.encoder)).self_attention
    d_model, d_head = model.config.d_model, attention.d_head
    for start in (d_head, d_model + d_head):
        attention.qkv.weight[start : start + d_head] = 0.0
        attention.qkv.bias[start : start + d_head] = 0.0


FAULTS: dict[NoticeKind, tuple[Fault, str]] = {
    "same_output": (Fault(rate=1.0), "of 40 validation sentences"),
    "source_ignored": (Fault(plant=blind), "all 2 cross-attention heads read evenly from the whole source"),
    "teacher_forced_only": (Fault(plugin="counting", rate=2e-2), "free-running the token error rate is"),
    "memorising": (Fault(plugin="noisy", rate=1e-2), "under the noise floor 0.555"),
    "diverging": (Fault(rate_later=1.0), "after it had been"),
    "no_rate": (Fault(rate=1e-9), "the learning rate is 1e-09"),
    "dead_heads": (Fault(plant=kill_a_head), "1 of 6 heads reads evenly from every token"),
    "plateau": (Fault(rate=1e-5, max_steps=160), "it has stood still for 80 steps"),
}


def noticed(history: History) -> dict[NoticeKind, str]:
    for _ in history.analyse():
        pass
    return {notice.rule.kind: notice.observation for notice in history.notices.all()}


def test_every_rule_has_a_planted_fault() -> None:
    assert [rule.kind for rule in RULES] == sorted(FAULTS, key=[rule.kind for rule in RULES].index)


@pytest.mark.parametrize("kind", FAULTS)
def test_a_planted_fault_triggers_its_rule(recorded: Recorded, kind: NoticeKind) -> None:
    fault, words = FAULTS[kind]
    history = recorded(fault)
    found = noticed(history)
    assert kind in found, found
    assert words in found[kind]
    assert found[kind].startswith("At step ") and found[kind].endswith(".")


def test_a_learning_rate_near_zero_is_not_called_too_high(recorded: Recorded) -> None:
    found = noticed(recorded(Fault(rate=1e-9)))
    assert "no_rate" in found and "same_output" not in found


def test_a_loss_that_was_never_lower_is_compared_with_guessing(recorded: Recorded) -> None:
    found = noticed(recorded(Fault(rate=1.0)))
    assert "guessing would reach" in found["diverging"] and "had been" not in found["diverging"]


def test_a_run_that_learns_has_no_notices(recorded: Recorded) -> None:
    assert noticed(recorded(Fault())) == {}


def test_the_example_run_has_no_notices() -> None:
    """It is a complete run of a preset; `make check-learning` trains the other presets and checks the same."""
    history = read_followed_run(RunFolder.open(EXAMPLE))
    assert history.prepared is not None
    for steps in (history.validations, history.probes.steps):  # a rule needs two checks
        assert sum(RunAtStep(history, history.prepared, step, "probe").is_past_the_start for step in steps) >= 2
    assert noticed(history) == {}
