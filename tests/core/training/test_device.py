"""An accelerator computes what the CPU does, and no training step waits for it: shown on a simulated one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from core.data.prepared_data import PreparedData
from core.plugins_host.host import PluginHost
from tests.accelerator import DEVICE, waits
from tests.core.model.builders import VARIANTS, variant_name
from tests.core.training.on_device import (
    assert_a_run_is_probed_validated_saved_and_resumed,
    assert_it_trains_and_decodes_like_the_cpu,
    steps_taken,
)


@pytest.mark.parametrize("variant", VARIANTS[4:7], ids=variant_name)  # the variants that differ in arithmetic
def test_it_trains_and_decodes_like_the_cpu(variant: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "inference_mode", torch.no_grad)
    assert_it_trains_and_decodes_like_the_cpu(DEVICE, variant)


@pytest.mark.parametrize(("precision", "optimizer"), [("float32", "adam"), ("bfloat16", "adamw"), ("bfloat16", "sgd")])
def test_no_training_step_waits_for_it(precision: str, optimizer: str) -> None:
    take_step = steps_taken(DEVICE, precision, optimizer)
    with waits() as waited:
        take_step()
        measured = take_step()
        assert waited == []
        float(measured.loss)
        assert waited == ["_local_scalar_dense"]


def test_a_run_on_it_is_probed_validated_saved_and_resumed(
    data: PreparedData, host: PluginHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch, "inference_mode", torch.no_grad)
    assert_a_run_is_probed_validated_saved_and_resumed(DEVICE, data, host, tmp_path)
