"""Training on a real GPU: what it computes, with and without graphs, and that no step waits for it."""

from __future__ import annotations

import socket
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.distributed as dist
from torch import Tensor

from core.config import ModelConfig
from core.data.batch import Batch, BatchShape
from core.data.batching import make_batch
from core.data.prepared_data import PreparedData
from core.data.special_tokens import EOS_ID
from core.data.token_arrays import PairArrays, TokenArrays, source_arrays, target_arrays
from core.model.transformer import Transformer
from core.plugins_host.host import PluginHost
from core.training.cuda_graphs import CudaGraphs
from core.training.distributed import SeveralProcesses
from core.training.flat_parameters import FlatParameters
from core.training.loss import Loss
from core.training.passes import batch_graphs
from core.training.passes.training import TrainingPass
from tests.core.model.builders import VARIANTS, small_model, variant_name
from tests.core.training.on_device import (
    assert_a_run_is_probed_validated_saved_and_resumed,
    assert_it_trains_and_decodes_like_the_cpu,
    small_batch,
    steps_taken,
)

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU that torch can use")
GPU = torch.device("cuda")
VOCAB = 500


@contextmanager
def waiting_is_an_error() -> Iterator[None]:
    with warnings.catch_warnings():  # that this is a prototype
        warnings.simplefilter("ignore")
        torch.cuda.set_sync_debug_mode("error")
    try:
        yield
    finally:
        torch.cuda.set_sync_debug_mode("default")


def gradients(model: Transformer, in_bfloat16: bool, times: int, batch: Batch | None = None) -> list[Tensor]:
    """Losses and gradients of one batch, as often: on a GPU the first time without graphs, then with them."""
    parameters = FlatParameters(model)
    training_pass = TrainingPass(model, parameters, in_bfloat16)
    results = []
    with torch.no_grad():
        for _ in range(times):
            loss = training_pass.write_gradients([batch or small_batch()], 0.1)
            results.append(torch.cat([torch.stack(loss), parameters.gradients]).cpu().double())
    return results


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)
def test_loss_and_gradients_are_those_of_the_cpu_with_and_without_graphs(variant: dict[str, Any]) -> None:
    [expected] = gradients(small_model(**variant), in_bfloat16=False, times=1)
    for result in gradients(small_model(**variant).to(GPU), in_bfloat16=False, times=3):
        torch.testing.assert_close(result, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)
def test_in_bfloat16_they_are_as_near_to_float64_as_those_of_the_cpu(variant: dict[str, Any]) -> None:
    [exact] = gradients(small_model(dtype=torch.float64, **variant), in_bfloat16=False, times=1)
    [cpu] = gradients(small_model(**variant), in_bfloat16=True, times=1)
    for result in gradients(small_model(**variant).to(GPU), in_bfloat16=True, times=3):
        assert (result - exact).norm() < 1.2 * (cpu - exact).norm()


@pytest.mark.parametrize("in_bfloat16", [False, True])
@pytest.mark.parametrize("shape", [BatchShape(13, 17, 23), BatchShape(60, 9, 8), BatchShape(101, 33, 40)], ids=str)
def test_larger_batches_with_empty_sentences_are_trained_on_like_on_the_cpu(
    shape: BatchShape, in_bfloat16: bool
) -> None:
    """Sentences are added for the graphs' shapes, and which kernel computes attention depends on the sizes."""
    [expected] = gradients(larger_model(), in_bfloat16=False, times=1, batch=batch_of_shape(shape))
    loss_within, within = (1e-2, 0.05) if in_bfloat16 else (1e-6, 1e-5)
    for result in gradients(larger_model().to(GPU), in_bfloat16, times=3, batch=batch_of_shape(shape)):
        torch.testing.assert_close(result[:2], expected[:2], rtol=loss_within, atol=0)
        assert (result - expected)[2:].norm() < within * expected[2:].norm()


def larger_model() -> Transformer:
    torch.manual_seed(0)
    config = ModelConfig(d_model=128, num_heads=4, num_encoder_layers=2, num_decoder_layers=2, d_ff=256, dropout=0.0)
    return Transformer(config, VOCAB, VOCAB, 64).eval()


def batch_of_shape(shape: BatchShape) -> Batch:
    """Random sentences of all lengths up to the shape's."""
    random = np.random.default_rng(1)

    def arrays(make: Callable[..., TokenArrays], longest: int) -> TokenArrays:
        lengths = [longest, *random.integers(1, longest + 1, shape.size - 1)]
        return make(random.integers(EOS_ID + 1, VOCAB, sum(lengths)).astype(np.int32), lengths)

    pairs = PairArrays(arrays(source_arrays, shape.src_length - 1), arrays(target_arrays, shape.tgt_length - 1))
    batch = make_batch(pairs, np.arange(shape.size))
    assert batch.shape == shape
    return batch


def test_graphs_draw_the_dropout_masks_that_operations_without_them_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn() -> list[Tensor]:
        torch.manual_seed(3)
        return gradients(small_model(dropout=0.3, attention_dropout=0.2).to(GPU), in_bfloat16=False, times=4)

    graphed, again = drawn(), drawn()
    monkeypatch.setattr(CudaGraphs, "run", lambda _, key, work: work())
    for one, other, plain in zip(graphed, again, drawn(), strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0)
        torch.testing.assert_close(one, plain, rtol=1e-6, atol=1e-7)
    assert len({float(one[0]) for one in graphed}) == 4


@pytest.mark.parametrize("max_work", [0, 1e11], ids=["as they are", "in graphs"])
@pytest.mark.parametrize("variant", VARIANTS[4:7], ids=variant_name)  # the variants that differ in arithmetic
def test_it_trains_and_decodes_like_the_cpu(
    variant: dict[str, Any], max_work: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_graphs, "_MAX_WORK", max_work)
    assert_it_trains_and_decodes_like_the_cpu(GPU, variant)


@pytest.mark.parametrize("max_work", [0, 1e11], ids=["as they are", "in graphs"])
@pytest.mark.parametrize(("precision", "optimizer"), [("float32", "adam"), ("bfloat16", "adamw"), ("bfloat16", "sgd")])
def test_no_training_step_waits_for_it(
    precision: str, optimizer: str, max_work: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_graphs, "_MAX_WORK", max_work)
    take_step = steps_taken(GPU, precision, optimizer)
    take_step()  # loads the libraries
    with waiting_is_an_error():
        take_step()  # records the graphs
        measured = take_step()
        with pytest.raises(RuntimeError, match="synchroniz"):
            float(measured.loss)


def test_a_run_on_it_is_probed_validated_saved_and_resumed(
    data: PreparedData, host: PluginHost, tmp_path: Path
) -> None:
    assert_a_run_is_probed_validated_saved_and_resumed(GPU, data, host, tmp_path)


def test_without_memory_for_a_graph_work_is_done_without() -> None:
    graphs, tries, result = CudaGraphs(GPU), 0, torch.zeros((), device=GPU)

    def work() -> Tensor:
        nonlocal tries
        tries += 1
        result.add_(1.0)
        if tries in (2, 4):  # while recording, when nothing is added
            raise torch.OutOfMemoryError
        return result

    assert [float(graphs.run("key", work)) for _ in range(4)] == [1.0, 2.0, 3.0, 4.0]
    assert tries == 6


def test_recording_changes_no_random_number_that_is_yet_to_be_drawn() -> None:
    def drawn(is_recorded_meanwhile: bool) -> Tensor:
        torch.manual_seed(0)
        graphs, numbers, other = CudaGraphs(GPU), torch.empty(1000, device=GPU), torch.zeros((), device=GPU)

        def draw_late() -> Tensor:
            torch.cuda._sleep(100_000_000)  # 50 ms or more
            return numbers.uniform_()

        graphs.run("other", lambda: other + 1.0)
        for _ in range(2):
            graphs.run("late", draw_late)
            torch.cuda.synchronize()
        graphs.run("late", draw_late)  # nothing queued after it writes what it has yet to read
        if not is_recorded_meanwhile:
            torch.cuda.synchronize()
        graphs.run("other", lambda: other + 1.0)
        return numbers.cpu()

    torch.testing.assert_close(drawn(True), drawn(False), rtol=0, atol=0)


def test_graphs_work_on_after_others_are_gone() -> None:
    """cuBLAS works in memory that some versions of torch free with any graph recorded on the same stream."""
    rows = torch.randn(1 << 16, 64, device=GPU, dtype=torch.bfloat16)

    def recorded() -> CudaGraphs:
        graphs = CudaGraphs(GPU)
        for _ in range(2):
            graphs.run("product", lambda: rows.t() @ rows)
        return graphs

    dropped, kept = recorded(), recorded()
    expected = kept.run("product", lambda: rows).clone()
    del dropped
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    torch.testing.assert_close(kept.run("product", lambda: rows), expected, rtol=0, atol=0)


def test_gradients_and_losses_travel_by_nccl(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one process, since NCCL refuses two on one GPU."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for name, value in {"RANK": 0, "WORLD_SIZE": 1, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}.items():
        monkeypatch.setenv(name, str(value))
    gradients, loss = torch.arange(5.0, device=GPU), Loss(torch.tensor(1.5, device=GPU), torch.tensor(2.5, device=GPU))
    processes = SeveralProcesses.from_environment()
    processes.start(dict, [gradients])
    try:
        assert "cuda:nccl" in str(dist.get_backend_config())
        assert [float(one) for one in processes.all_reduce(gradients, loss)] == [1.5, 2.5]
        assert gradients.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    finally:
        processes.leave()


def test_memory_of_graphs_is_free_again_without_a_collection_of_garbage() -> None:
    """The window collects seldom."""

    def memory_afterwards() -> int:
        take_step = steps_taken(GPU, "bfloat16", "adam")
        for _ in range(3):
            take_step()
        del take_step
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        return torch.cuda.memory_reserved()

    _, second, third = (memory_afterwards() for _ in range(3))  # libraries keep some from the first
    assert second == third
