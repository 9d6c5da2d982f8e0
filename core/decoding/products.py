"""The products of decoding: rows, one a hypothesis, times a weight, in whichever way is the fastest.

A few rows wait for the weights to be read from memory. On a processor of AMD, MKL's product of one row reads 8 GB a
second, and the same product asked for as a batch of products 15 to 21: 20 tokens of one sentence take 23 ms instead of
57 (3 + 3 layers, d_model 256, vocabulary 8,000, two threads). With the kernels that MKL has for Intel the batch of one
row is the slower.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from core.machine import onednn
from core.machine.processor import reads_slowly_for_few_rows

_FEW = 4  # rows; with more of them the reading is soon shared by enough
_LARGE = 2**16  # numbers in a weight; a smaller one comes from a cache, and the call is what takes the time


class Affine(NamedTuple):
    """A linear map, x @ weight + bias, its weight [in, out] and in memory [out, in]; or a LayerNorm's two."""

    weight: Tensor
    bias: Tensor | None


def mapped(x: Tensor, linear: Affine, out: Tensor | None = None) -> Tensor:
    """x @ weight + bias, [N, in] -> [N, out]: in `out`, or where a library that takes no such place has made it."""
    weight, bias = linear
    if _waits_for_memory(x, weight):
        product = _product_in_batch(x, weight)
        out = x.new_empty(product.shape) if out is None else out
        return out.copy_(product) if bias is None else torch.add(product, bias, out=out)
    if onednn.is_faster(len(x), weight):
        return onednn.linear(x, weight.t(), bias)
    return torch.mm(x, weight, out=out) if bias is None else torch.addmm(bias, x, weight, out=out)


def add_mapped(x: Tensor, read: Tensor, linear: Affine) -> None:
    """Add to x [N, out] in place what the map makes of `read` [N, in]."""
    weight, bias = linear
    is_few = _waits_for_memory(read, weight)
    if not is_few and onednn.is_faster(len(read), weight):
        x += onednn.linear(read, weight.t(), bias)
        return
    if bias is not None:
        x += bias  # elsewhere the product begins with a copy of the bias for every row
    if is_few:
        x += _product_in_batch(read, weight)
    else:
        torch.addmm(x, read, weight, out=x)


def _waits_for_memory(x: Tensor, weight: Tensor) -> bool:
    return x.is_cpu and len(x) <= _FEW and weight.numel() >= _LARGE and reads_slowly_for_few_rows()


def _product_in_batch(x: Tensor, weight: Tensor) -> Tensor:
    """x @ weight. A vector alone has the slow product even so: it goes with halves of the weight, or doubled."""
    rows = weight.t()
    if len(x) == 1 and len(rows) % 2 == 0:
        return torch.bmm(rows.view(2, -1, x.shape[1]), x.t().expand(2, -1, 1)).view(1, -1)
    columns = x.repeat(2, 1) if len(x) == 1 else x
    return torch.bmm(rows[None], columns.t()[None])[0].t()[: len(x)]
