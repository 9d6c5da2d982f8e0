"""The hand-written training pass, compared with autograd on the plain model: losses, gradients, dropout, rounding."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from core.data.batch import Batch
from core.model.transformer import Transformer
from core.training.cuda_graphs import CudaGraphs
from core.training.flat_parameters import FlatParameters
from core.training.loss import Loss
from core.training.passes import batch_graphs
from core.training.passes.dropout import DropoutMasks
from core.training.passes.training import TrainingPass
from core.training.passes.transformer import TransformerPass
from tests.core.model.builders import SRC_SENTENCES, VARIANTS, inputs_of, small_inputs, small_model, variant_name
from tests.record_calls import record_calls

every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)


def padded_batch() -> Batch:
    """Sentences of different lengths on both sides."""
    return as_batch(small_inputs())


def long_batch() -> Batch:
    """Attention over 17 or more positions, whose softmax is computed by other code than that of few positions."""
    return as_batch(inputs_of([*SRC_SENTENCES, [4] * 18 + [2]], [[1, 5, 6], [1, 9], [1] + [5, 7] * 8, [1, 8]]))


def as_batch(inputs: Any) -> Batch:
    src, tgt_input, src_mask, tgt_mask = inputs
    random = torch.Generator().manual_seed(5)
    tgt_output = torch.randint(2, 13, tgt_input.shape, generator=random).masked_fill(~tgt_mask, 0)
    return Batch(src, src_mask, tgt_input, tgt_output, tgt_mask, int(tgt_mask.sum()))


batches = pytest.mark.parametrize("batch", [padded_batch(), long_batch()], ids=["short", "long"])


def plain(model: Transformer, batch: Batch, eps: float) -> tuple[Tensor, list[Tensor]]:
    """The objective and its gradients by autograd, in the order of the parameters."""
    logits = model(batch.src, batch.tgt_input, batch.src_mask, batch.tgt_mask)[batch.tgt_mask]
    objective = F.cross_entropy(logits, batch.tgt_output[batch.tgt_mask], label_smoothing=eps)
    return objective.detach(), list(torch.autograd.grad(objective, list(model.parameters())))


def by_hand(model: Transformer, batch: Batch, eps: float, in_bfloat16: bool = False) -> tuple[Loss, list[Tensor]]:
    """The loss and the same gradients by the hand-written pass."""
    loss = TrainingPass(model, FlatParameters(model), in_bfloat16).write_gradients([batch], eps)
    return loss, list(gradients_of(model))


def gradients_of(model: Transformer) -> Iterator[Tensor]:
    for parameter in model.parameters():
        assert parameter.grad is not None
        yield parameter.grad.clone()


def assert_equal_to_autograd(model: Transformer, batch: Batch, eps: float, loss_within: float, within: float) -> None:
    """Compare both from the same random state, so that they drop the same elements."""
    state = torch.get_rng_state()
    objective, expected = plain(model, batch, eps)
    torch.set_rng_state(state)
    loss, gradients = by_hand(model, batch, eps)
    torch.testing.assert_close(loss.objective, objective, rtol=loss_within, atol=0)
    for gradient, wanted in zip(gradients, expected, strict=True):
        torch.testing.assert_close(gradient, wanted, rtol=within, atol=within)


@batches
@every_variant
@pytest.mark.parametrize("eps", [0.0, 0.1])
def test_equals_autograd_in_float64(variant: dict[str, Any], batch: Batch, eps: float) -> None:
    model = small_model(dtype=torch.float64, **variant).train()
    assert_equal_to_autograd(model, batch, eps, loss_within=1e-12, within=1e-12)


@batches
@every_variant
def test_equals_autograd_in_float32(variant: dict[str, Any], batch: Batch) -> None:
    assert_equal_to_autograd(small_model(**variant).train(), batch, 0.1, loss_within=1e-6, within=1e-5)


@batches
@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("dropped", ["dropout", "attention_dropout"])
def test_it_drops_the_same_elements_as_the_plain_model(norm_first: bool, dropped: str, batch: Batch) -> None:
    rate: dict[str, Any] = {dropped: 0.3}
    model = small_model(dtype=torch.float64, norm_first=norm_first, **rate).train()
    assert_equal_to_autograd(model, batch, 0.1, loss_within=1e-12, within=1e-12)


@every_variant
@pytest.mark.parametrize("large", [0, 1 << 60])
def test_large_and_small_products_equal_autograd(
    variant: dict[str, Any], large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.training.passes.linear._MIN_FUSED_ELEMENTS", large)
    assert_equal_to_autograd(small_model(**variant).train(), padded_batch(), 0.1, loss_within=1e-6, within=1e-5)


@every_variant
@pytest.mark.parametrize("large_to_copy", [0, 1 << 60])
def test_products_by_onednn_equal_autograd(
    variant: dict[str, Any], large_to_copy: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """oneDNN computes all products but those of few rows on processors where it is faster."""
    monkeypatch.setattr("core.machine.onednn.is_faster", lambda *_: True)
    monkeypatch.setattr("core.training.passes.linear._MIN_WORK_TO_COPY", large_to_copy)
    assert_equal_to_autograd(small_model(**variant).train(), padded_batch(), 0.1, loss_within=1e-6, within=1e-5)


@pytest.mark.parametrize("norm_first", [True, False])
def test_fused_attention_equals_autograd(norm_first: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.training.passes.scaled_dot_product_attention.MIN_FUSED_SCORES", 0)
    model = small_model(dtype=torch.float64, norm_first=norm_first, dropout=0.1).train()
    assert_equal_to_autograd(model, long_batch(), 0.1, loss_within=1e-12, within=1e-12)


def test_both_kinds_of_dropout_have_an_effect() -> None:
    batch = padded_batch()
    losses = [
        by_hand(small_model(dropout=a, attention_dropout=b), batch, 0.1)[0].objective
        for a, b in [(0.0, 0.0), (0.3, 0.0), (0.0, 0.3), (0.3, 0.3)]
    ]
    assert len({float(loss) for loss in losses}) == 4


def test_no_mask_outlives_its_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a GPU, which draws into new memory at each step, it would hold that of all masks."""
    drawn: list[weakref.ref[Tensor]] = []
    next_mask = DropoutMasks.next

    def remembering(masks: DropoutMasks, shape: torch.Size) -> Tensor:
        mask = next_mask(masks, shape)
        drawn.append(weakref.ref(mask))
        return mask

    monkeypatch.setattr(DropoutMasks, "next", remembering)
    model = small_model(dropout=0.3, attention_dropout=0.3)
    hand_written = TrainingPass(model, FlatParameters(model), in_bfloat16=False)
    hand_written.write_gradients([padded_batch()], 0.1)
    assert len(drawn) == 2 + 2 * 3 + 3 * 5 and all(mask() is None for mask in drawn)


@every_variant
def test_gradients_equal_central_differences(variant: dict[str, Any]) -> None:
    """Central differences in float64 check the gradient independently of autograd."""
    model, batch = small_model(dtype=torch.float64, **variant), padded_batch()
    parameters = FlatParameters(model)
    hand_written = TrainingPass(model, parameters, in_bfloat16=False)
    hand_written.write_gradients([batch], 0.1)
    gradients = parameters.gradients.clone()
    for direction in torch.randn(5, len(gradients), dtype=torch.float64):
        step, values = 1e-5 * direction / direction.norm(), parameters.values.clone()
        sides = []
        for side in (values + step, values - step):
            parameters.values.copy_(side)
            sides.append(hand_written.write_gradients([batch], 0.1).objective)
        parameters.values.copy_(values)
        assert float(sides[0] - sides[1]) == pytest.approx(2 * float(gradients @ step), rel=1e-5, abs=1e-12)


@every_variant
@pytest.mark.parametrize("large", [0, 1 << 60])
def test_bfloat16_gradients_stay_within_the_rounding_error(
    variant: dict[str, Any], large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its error against float64 is at most 1.2 times that of autograd in bfloat16; the loss is within 1 %."""
    monkeypatch.setattr("core.training.passes.linear._MIN_FUSED_ELEMENTS", large)
    batch = long_batch()
    objective, exact = plain(small_model(dtype=torch.float64, **variant), batch, 0.1)
    _, coarse = plain(small_model(dtype=torch.float64, **variant).bfloat16(), batch, 0.1)
    loss, gradients = by_hand(small_model(dtype=torch.float64, **variant).float(), batch, 0.1, in_bfloat16=True)
    assert loss.objective.dtype == torch.float32
    torch.testing.assert_close(loss.objective.double(), objective, rtol=1e-2, atol=0)
    assert distance(gradients, exact) < 1.2 * distance(coarse, exact)


def distance(some: list[Tensor], others: list[Tensor]) -> Tensor:
    return torch.stack([(a.double() - b.double()).norm() for a, b in zip(some, others, strict=True)]).norm()


@pytest.mark.parametrize("tied", ["none", "decoder", "all"])
@pytest.mark.parametrize("in_bfloat16", [False, True])
def test_a_step_averages_over_all_tokens_of_its_batches(in_bfloat16: bool, tied: str) -> None:
    """Compare three batches at once with each alone, twice, since a step must not depend on the one before."""
    batches = [padded_batch(), long_batch(), padded_batch()]
    model = small_model(tie_embeddings=tied)
    hand_written = TrainingPass(model, FlatParameters(model), in_bfloat16)
    singles = []
    for batch in batches:
        loss = hand_written.write_gradients([batch], 0.1)
        singles.append((batch.num_target_tokens, loss, list(gradients_of(model))))
    num_tokens = sum(number for number, _, _ in singles)
    for _ in range(2):
        together = hand_written.write_gradients(batches, 0.1)
        expected = sum(number / num_tokens * loss.objective for number, loss, _ in singles)
        torch.testing.assert_close(together.objective, expected, rtol=1e-5, atol=0)
        parts = zip(*([number / num_tokens * part for part in single] for number, _, single in singles), strict=True)
        mean = [torch.stack(part).sum(0) for part in parts]
        size = distance(mean, [torch.zeros(()) for _ in mean])
        assert distance(list(gradients_of(model)), mean) < (0.02 if in_bfloat16 else 1e-6) * size


def test_gradients_of_several_batches_are_summed_in_the_same_memory_at_each_step() -> None:
    model = small_model()
    hand_written = TrainingPass(model, FlatParameters(model), in_bfloat16=False)
    used = []
    for _ in range(2):
        hand_written.write_gradients([padded_batch()] * 3, 0.1)
        used.append(hand_written._weights._earlier_sum)
    assert used[0] is used[1] and len(used[0]) == len(hand_written._parameters.gradients)
    hand_written.write_gradients([padded_batch()], 0.1)
    of_one_batch = list(gradients_of(model))
    _, expected = by_hand(model, padded_batch(), 0.1)
    torch.testing.assert_close(of_one_batch, expected, rtol=0, atol=0)


def test_a_step_uses_the_current_weights() -> None:
    """In bfloat16 the pass uses copies of the weights, which must be updated."""
    model, batch = small_model(), padded_batch()
    hand_written = TrainingPass(model, FlatParameters(model), in_bfloat16=True)
    losses = []
    for change in (0.0, 0.5):
        with torch.no_grad():
            model.output.weight[5].add_(change)
        losses.append(float(hand_written.write_gradients([batch], 0.0).objective))
    assert losses[0] != losses[1]


@batches
@every_variant
def test_the_padding_of_a_batch_changes_nothing(
    variant: dict[str, Any], batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Batches for graphs on a GPU are padded with tokens and sentences, here without a GPU or a graph."""
    monkeypatch.setattr(batch_graphs, "CudaGraphs", PlainGraphs)
    model = small_model(dtype=torch.float64, **variant)
    expected_loss, expected = by_hand(model, batch, 0.1)
    hand_written = TrainingPass(model, FlatParameters(model), in_bfloat16=False)
    hand_written._graphs = batch_graphs.BatchGraphs(model)
    padded = record_calls(monkeypatch, TransformerPass, "forward")
    loss = hand_written.write_gradients([batch], 0.1)
    torch.testing.assert_close(loss, expected_loss, rtol=1e-12, atol=0)
    torch.testing.assert_close(list(gradients_of(model)), expected, rtol=1e-12, atol=1e-12)
    [(_, longer)] = padded
    assert all(more >= number for more, number in zip(longer.shape, batch.shape, strict=True))
    assert longer.shape.size == 8 > batch.shape.size and int(longer.src_mask[-1].sum()) == 1


class PlainGraphs(CudaGraphs):
    """Runs everything as it is."""

    def __init__(self, device: torch.device) -> None:
        pass

    def run(self, key: Any, work: Callable[[], Tensor]) -> Tensor:
        return work()

    def clear(self) -> None:
        pass


def test_the_same_seed_gives_the_same_gradients() -> None:
    def gradients() -> list[Tensor]:
        torch.manual_seed(3)
        return by_hand(small_model(dropout=0.2, attention_dropout=0.2), padded_batch(), 0.1)[1]

    assert all(torch.equal(a, b) for a, b in zip(gradients(), gradients(), strict=True))
