"""Linear layers by oneDNN, a library that torch has beside MKL, but uses in float32 only for compiled code.

All operations are torch's own, made for its compiler, with names that begin with an underscore. If torch was built
without oneDNN, `can_multiply` is false and nothing here is called.
"""

from __future__ import annotations

from functools import cache

import torch
from torch import Tensor

from core.machine.processor import mkl_skips_avx512, uses_mkl_on_amd

# Multiplications in one product. Fewer are faster by MKL, whose call takes 10 us less: with 256 x 1024, 16 rows take
# 81 us by MKL and 98 here, 64 rows 282 and 221 (two threads).
_MIN_WORK = 1 << 22
# Numbers in a weight that is used again and again. With 256 x 256, packing makes 5 rows take 22 us instead of 18 and 64
# rows as long as before; with 256 x 768 they take 38 instead of 54 and 237 instead of 262, and packing it 160 (one
# thread).
_MIN_PACKED_NUMBERS = 1 << 17
_PACKING_ROWS = 64  # for which a weight is packed: the layout is the same for 8 and for 320


def can_multiply(weight: Tensor) -> bool:
    """Whether `linear` accepts such a weight."""
    if not weight.is_cpu or not _is_available():
        return False
    if weight.dtype == torch.bfloat16:
        return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
    return weight.dtype == torch.float32


def is_faster(num_rows: int, weight: Tensor) -> bool:
    """Whether `linear` is faster than torch's product of so many rows with such a weight.

    MKL uses its AVX-512 kernels on Intel processors only. On an AMD EPYC of family 26 a core reaches 270 GFLOP/s by
    oneDNN and 120 by MKL, for 2,048 rows with 256 x 1024; on another EPYC 105 and 88.
    """
    is_large = num_rows * weight.numel() >= _MIN_WORK
    return is_large and weight.is_cpu and weight.dtype == torch.float32 and _beats_mkl()


def is_worth_packing(weight: Tensor) -> bool:
    """Whether `pack` pays for a weight that more than a few rows are multiplied with again and again.

    On an AMD processor without AVX-512, where MKL multiplies many rows as fast, it pays for a weight with more outputs
    than inputs: 5 rows with 256 x 8,000 take 1.5 ms instead of 2.7 on a Zen 3, 64 rows 5.0 instead of 7.5, and with 256
    x 1,024 0.15 instead of 0.20 and 0.53 instead of 0.61; but with 1,024 x 256 0.60 instead of 0.52 (one thread).
    """
    if weight.numel() < _MIN_PACKED_NUMBERS or weight.dtype != torch.float32 or not can_multiply(weight):
        return False
    num_outputs, num_inputs = weight.shape
    return mkl_skips_avx512() or (num_outputs > num_inputs and uses_mkl_on_amd())


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None, activation: str = "none") -> Tensor:
    """activation(x W' + b): [N, in] and [out, in] -> [N, out], new memory; `activation` is none or relu."""
    y: Tensor = torch.ops.mkldnn._linear_pointwise(x, weight, bias, activation, [], "")
    return y


def pack(weight: Tensor) -> Tensor:
    """A copy of a weight [out, in] in the layout that `linear` reads for two rows and more."""
    copy: Tensor = torch.ops.mkldnn._reorder_linear_weight(weight, _PACKING_ROWS)
    return copy


@cache  # asked for every product
def _beats_mkl() -> bool:
    return mkl_skips_avx512() and _is_available()


def _is_available() -> bool:
    """Whether torch was built with it."""
    return bool(torch.backends.mkldnn.is_available())  # type: ignore[no-untyped-call]
