"""Linear maps by oneDNN, the library that torch has beside MKL, and asks in float32 only for what it compiles.

All ops are torch's own, made for its compiler and named with an underscore; without them, or where torch was built
without oneDNN, `can_multiply` is false and nothing here is called.
"""

from __future__ import annotations

from functools import cache

import torch
from torch import Tensor

from core.machine.processor import multiplies_slowly_by_mkl

# Multiplications of one product from which on it is made sooner here: MKL's call takes 10 microseconds less.
_WORTH_A_CALL = 1 << 22
_WORTH_PACKING = 1 << 20  # with a weight that need not be put in order each time


def can_multiply(weight: Tensor) -> bool:
    """Whether `linear` takes such a weight."""
    if not weight.is_cpu or not _is_there():
        return False
    if weight.dtype == torch.bfloat16:
        return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
    return weight.dtype == torch.float32


def is_faster(num_rows: int, weight: Tensor) -> bool:
    """Whether `linear` is faster than torch's product of so many rows with such a weight.

    MKL has its kernels for AVX-512 run on processors of its maker only. On an AMD EPYC of family 26 a core makes 270
    GFLOP/s by oneDNN and 120 by MKL, 2,048 rows with 256 x 1024; on another EPYC it is 105 and 88.
    """
    return _is_faster(num_rows, weight, _WORTH_A_CALL)


def is_worth_packing(num_rows: int, weight: Tensor) -> bool:
    """Whether it is with what `packed` gives, where the same weight is multiplied with so many rows again and again."""
    return _is_faster(num_rows, weight, _WORTH_PACKING)


def _is_faster(num_rows: int, weight: Tensor, worth: int) -> bool:
    is_large = num_rows * weight.numel() >= worth
    return is_large and weight.is_cpu and weight.dtype == torch.float32 and _outruns_mkl()


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None, activation: str = "none") -> Tensor:
    """activation(x W' + b): [N, in] and [out, in] -> [N, out], new memory; `activation` is none or relu."""
    y: Tensor = torch.ops.mkldnn._linear_pointwise(x, weight, bias, activation, [], "")
    return y


def packed(weight: Tensor, num_rows: int) -> Tensor:
    """A copy of a weight [out, in] in the order in which `linear` reads it, soonest with about so many rows."""
    copy: Tensor = torch.ops.mkldnn._reorder_linear_weight(weight, num_rows)
    return copy


@cache  # asked for every product
def _outruns_mkl() -> bool:
    return multiplies_slowly_by_mkl() and _is_there()


def _is_there() -> bool:
    """Whether torch was built with it."""
    return bool(torch.backends.mkldnn.is_available())  # type: ignore[no-untyped-call]
