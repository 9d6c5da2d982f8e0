"""Each optimizer with clipping, compared with torch's; gradients that are not finite change nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from core.config import OptimizerConfig
from core.errors import UserError
from core.training.cuda_graphs import CudaGraphs
from core.training.flat_parameters import FlatParameters
from core.training.optimization import Optimizer
from tests.core.training.graphs_without_gpu import let_graphs_repeat

CONFIGS: list[dict[str, Any]] = [
    {"name": "adam", "weight_decay": 0.01},
    {"name": "adamw", "weight_decay": 0.1},
    {"name": "sgd"},
    {"name": "sgd", "momentum": 0.9, "weight_decay": 0.01},
]


def models() -> tuple[nn.Module, nn.Module]:
    torch.manual_seed(0)
    ours, theirs = (nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)) for _ in range(2))
    theirs.load_state_dict(ours.state_dict())
    return ours, theirs


def torchs_own(config: OptimizerConfig, model: nn.Module) -> torch.optim.Optimizer:
    if config.name == "sgd":
        return torch.optim.SGD(model.parameters(), lr=0.1, momentum=config.momentum, weight_decay=config.weight_decay)
    kind = torch.optim.Adam if config.name == "adam" else torch.optim.AdamW
    return kind(
        model.parameters(), lr=0.1, betas=config.betas, eps=config.eps, weight_decay=config.weight_decay, foreach=False
    )


def backward(model: nn.Module, seed: int, size: float = 1.0) -> None:
    """Replace the gradients by new ones."""
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad.zero_()
    generator = torch.Generator().manual_seed(seed)
    (size * model(torch.randn(5, 3, generator=generator)) ** 2).sum().backward()


@pytest.mark.parametrize("settings", CONFIGS, ids=lambda settings: "-".join(map(str, settings.values())))
@pytest.mark.parametrize("max_grad_norm", [None, 0.5])
def test_updates_equal_torchs_optimizer(settings: dict[str, Any], max_grad_norm: float | None) -> None:
    config = OptimizerConfig(learning_rate=0.1, **settings)
    ours, theirs = models()
    optimizer, reference = Optimizer(config, FlatParameters(ours)), torchs_own(config, theirs)
    for step in range(10):
        backward(ours, step)
        reference.zero_grad()
        backward(theirs, step)
        norm = torch.nn.utils.clip_grad_norm_(theirs.parameters(), max_grad_norm or torch.inf)
        reference.step()
        measured = optimizer.update(0.1, config.weight_decay, max_grad_norm)
        torch.testing.assert_close(measured, norm)
    for own, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(own, other, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("settings", CONFIGS, ids=lambda settings: "-".join(map(str, settings.values())))
@pytest.mark.parametrize("value", [torch.inf, torch.nan])
def test_a_gradient_that_is_not_finite_stops_all_updates_until_reset(settings: dict[str, Any], value: float) -> None:
    config = OptimizerConfig(**settings)
    model, _ = models()
    optimizer = Optimizer(config, FlatParameters(model))
    backward(model, 0)
    optimizer.update(0.1, config.weight_decay, 1.0)
    before = {name: tensor.clone() for name, tensor in {**optimizer.state(), **dict(model.named_parameters())}.items()}
    for size in (value, 1.0):
        backward(model, 1, size)
        optimizer.update(0.1, config.weight_decay, 1.0)
    after = {**optimizer.state(), **dict(model.named_parameters())}
    assert all(torch.equal(before[name], after[name]) for name in before)
    optimizer.reset_found_inf()
    backward(model, 1)
    optimizer.update(0.1, config.weight_decay, 1.0)
    assert not torch.equal(before["0.weight"], model.get_parameter("0.weight"))


@pytest.mark.parametrize("settings", CONFIGS, ids=lambda settings: "-".join(map(str, settings.values())))
def test_graphs_update_with_the_settings_and_state_of_each_step(
    settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However a run changes and restores them; here without a GPU."""
    let_graphs_repeat(monkeypatch)
    ours, theirs = models()
    by_graphs, plain = (Optimizer(OptimizerConfig(**settings), FlatParameters(model)) for model in (ours, theirs))
    by_graphs._graphs = CudaGraphs(torch.device("cpu"))

    def states(optimizer: Optimizer, model: nn.Module) -> Iterator[Tensor]:
        """The weights and the norm after each step."""
        values, saved = optimizer.parameters.values, dict[str, Tensor]()
        addresses = [tensor.data_ptr() for tensor in (values, optimizer.found_inf, *optimizer.tensors)]
        for step in range(20):
            if step == 15:
                values.copy_(saved["weights"])
                optimizer.load_state(saved)
            backward(model, step, torch.inf if step in (6, 7) else 1.0)
            norm = optimizer.update(0.1 / (1 + step), 0.01 * (step // 5), 0.5 if step % 9 < 4 else None)
            if step == 3:
                saved = {name: tensor.clone() for name, tensor in {"weights": values, **optimizer.state()}.items()}
            if step == 7:
                optimizer.reset_found_inf()
            yield torch.cat([values, norm.view(1)])
        tensors = optimizer.parameters.values, optimizer.found_inf, *optimizer.tensors
        assert [tensor.data_ptr() for tensor in tensors] == addresses  # which graphs go on reading

    for state_by_graphs, expected in zip(states(by_graphs, ours), states(plain, theirs), strict=True):
        torch.testing.assert_close(state_by_graphs, expected, equal_nan=True)
    assert len(by_graphs._graphs._graphs) > 4


def test_a_restored_optimizer_gives_the_same_updates_to_the_bit() -> None:
    config = OptimizerConfig()
    first, second = models()
    one, other = Optimizer(config, FlatParameters(first)), Optimizer(config, FlatParameters(second))
    for step in range(3):
        backward(first, step)
        one.update(0.1, 0.0, 1.0)
    other.parameters.values.copy_(one.parameters.values)
    other.load_state({name: tensor.clone() for name, tensor in one.state().items()})
    for model, optimizer in ((first, one), (second, other)):
        backward(model, 9)
        optimizer.update(0.1, 0.0, 1.0)
    assert torch.equal(one.parameters.values, other.parameters.values)


def test_the_state_of_another_optimizer_is_refused_with_a_sentence() -> None:
    model, _ = models()
    optimizer = Optimizer(OptimizerConfig(name="sgd"), FlatParameters(model))
    with pytest.raises(UserError, match=r"does not fit sgd: momentum_buffer\.0\.weight is missing"):
        optimizer.load_state({"step": torch.zeros(1)})


def test_tied_weights_are_in_the_flat_tensor_once() -> None:
    first, second = nn.Linear(3, 3, bias=False), nn.Linear(3, 3, bias=False)
    second.weight = first.weight
    model = nn.Sequential(first, second)
    flat = FlatParameters(model)
    assert flat.values.numel() == 9
    model(torch.ones(1, 3)).sum().backward()
    assert second.weight.grad is not None
    assert torch.equal(flat.named_views(flat.gradients)["0.weight"], second.weight.grad)
