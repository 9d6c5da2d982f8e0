"""A few rows times a weight: the step of a few sentences, which waits for the weights to be read from memory.

On a processor of AMD, MKL's product of one row reads 8 GB a second, and the same product asked for as a batch of
products 15 to 21: 20 tokens of one sentence take 23 ms instead of 57, those of four 47 instead of 97 (3 + 3 layers,
d_model 256, vocabulary 8,000, two threads). With the kernels that MKL has for Intel the batch of one row is the slower.
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.machine.processor import reads_slowly_for_few_rows

_FEW = 8  # rows; with more of them the reading is soon shared by enough
_LARGE = 2**16  # numbers in a weight; a smaller one comes from a cache, and the call is what takes the time


def add_product(to: Tensor | None, x: Tensor, weight: Tensor, out: Tensor | None = None) -> Tensor:
    """to + x @ weight, [N, in] @ [in, out], of a weight that lies as [out, in]; `out` may be `to` itself."""
    if x.is_cpu and len(x) <= _FEW and weight.numel() >= _LARGE and reads_slowly_for_few_rows():
        out = x.new_empty(len(x), weight.shape[1]) if out is None else out
        product = _product_in_batch(x, weight)
        return out.copy_(product) if to is None else torch.add(product, to, out=out)
    if to is None:
        return torch.mm(x, weight, out=out)
    return torch.addmm(to, x, weight, out=out)


def _product_in_batch(x: Tensor, weight: Tensor) -> Tensor:
    """x @ weight. A vector alone has the slow product even so: it goes with halves of the weight, or doubled."""
    rows = weight.t()
    if len(x) == 1 and len(rows) % 2 == 0:
        return torch.bmm(rows.view(2, -1, x.shape[1]), x.t().expand(2, -1, 1)).view(1, -1)
    columns = x.repeat(2, 1) if len(x) == 1 else x
    return torch.bmm(rows[None], columns.t()[None])[0].t()[: len(x)]
