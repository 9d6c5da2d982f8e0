"""oneDNN's linear layers: their results, and the weights and processors for which they are used."""

from __future__ import annotations

import pytest
import torch

from core.machine import onednn, processor


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_products_are_right(dtype: torch.dtype) -> None:
    chance = torch.Generator().manual_seed(0)
    x, weight, bias = (torch.randn(shape, generator=chance).to(dtype) for shape in ((5, 40), (30, 40), (30,)))
    if not onednn.can_multiply(weight):
        pytest.skip(f"oneDNN does not multiply {dtype} here")
    exact = x.double() @ weight.double().t()
    atol = 1e-5 if dtype == torch.float32 else 0.1
    for product, expected in (
        (onednn.linear(x, weight), exact),
        (onednn.linear(x, weight, bias), exact + bias.double()),
        (onednn.linear(x, weight, bias, "relu"), (exact + bias.double()).relu()),
        (onednn.linear(x, weight.t().contiguous().t()), exact),
        (onednn.linear(x.t().contiguous().t(), weight), exact),
        (onednn.linear(x, onednn.pack(weight), bias), exact + bias.double()),
        (onednn.linear(x[:2], onednn.pack(weight)), exact[:2]),
    ):
        torch.testing.assert_close(product.double(), expected, rtol=0.0, atol=atol)


def test_other_dtypes_and_devices_are_left_to_torch() -> None:
    assert not onednn.can_multiply(torch.empty(4, 4, dtype=torch.float64))
    assert not onednn.can_multiply(torch.empty(4, 4, device="meta"))


@pytest.mark.parametrize(
    ("name", "capability", "expected", "packs_wide"),
    [
        ("AMD EPYC 9575F 64-Core Processor", "AVX512", True, True),
        ("AMD Ryzen 5 3600", "AVX2", False, True),
        ("Intel(R) Xeon(R) Platinum 8481C", "AVX512", False, False),
    ],
)
def test_it_is_used_where_mkl_leaves_instructions_unused(
    name: str, capability: str, expected: bool, packs_wide: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processor, "_capabilities", lambda: {"cpu_name": name})
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: capability)
    monkeypatch.setattr(torch.backends.mkl, "is_available", lambda: True)
    _forget()
    try:
        assert onednn.is_faster(2_048, torch.empty(1_024, 256)) == expected
        assert not onednn.is_faster(8, torch.empty(1_024, 256))
        assert onednn.is_worth_packing(torch.empty(256, 1_024)) == expected
        assert onednn.is_worth_packing(torch.empty(1_024, 256)) == packs_wide
        assert not onednn.is_worth_packing(torch.empty(256, 256))
        assert not onednn.is_faster(2_048, torch.empty(1_024, 256, dtype=torch.bfloat16))
    finally:
        _forget()


def _forget() -> None:
    for known in (processor.uses_mkl_on_amd, processor.mkl_skips_avx512, onednn._beats_mkl):
        known.cache_clear()
