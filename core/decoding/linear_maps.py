"""The matrix products of decoding: rows, one per hypothesis, times weights that stay the same from step to step.

So a weight is prepared once, when the decoder is built, for whichever product is fastest. Times are for 20 tokens, 3 +
3 layers, d_model 256, vocabulary 8,000, two threads.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from core.machine import onednn
from core.machine.processor import uses_mkl_on_amd

_MAX_FEW_ROWS = 4  # rows; more of them share the reading of the weight
_MIN_LARGE_WEIGHT = 2**16  # numbers in a weight; a smaller one is read from a cache, and the call takes the time


class LinearMap:
    """x W' + b by torch's ordinary product."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        """`weight` is [out, in], `bias` [out]."""
        self._bias = bias
        self._transposed = weight.t()

    def apply(self, x: Tensor, out: Tensor | None = None) -> Tensor:
        """[N, in] -> [N, out]: in `out`, or in new memory where the library takes no `out`."""
        if self._bias is None:
            return torch.mm(x, self._transposed, out=out)
        return torch.addmm(self._bias, x, self._transposed, out=out)

    def add_to(self, x: Tensor, inputs: Tensor) -> None:
        """Add the map of `inputs` [N, in] to x [N, out], in place."""
        if self._bias is not None:
            x += self._bias  # `apply` would first copy the bias to every row
        torch.addmm(x, inputs, self._transposed, out=x)


class BatchedLinearMap(LinearMap):
    """For four rows or fewer, by a product that reads the weight faster: MKL's batched one, on an AMD processor.

    There the ordinary product of one row reads 8 GB a second, and the batched one 15 to 21: one sentence takes 23 ms
    instead of 57. With MKL's kernels for Intel the batched product of one row is the slower.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__(weight, bias)
        self._batched = weight[None]
        # Even as a batch, a single row gets the slow product: so it is multiplied with both halves of the weight, or,
        # if those would not be equal, repeated.
        self._halves = weight.view(2, -1, weight.shape[1]) if len(weight) % 2 == 0 else None
        self._bias_halves = bias.view(2, -1, 1) if self._halves is not None and bias is not None else None

    def apply(self, x: Tensor, out: Tensor | None = None) -> Tensor:
        if x.shape[0] > _MAX_FEW_ROWS:
            return super().apply(x, out)
        out = x.new_empty(x.shape[0], self._transposed.shape[1]) if out is None else out
        if x.shape[0] > 1 or self._halves is None:
            product = self._product(x)
            return out.copy_(product) if self._bias is None else torch.add(product, self._bias, out=out)
        if self._bias_halves is None:
            torch.bmm(self._halves, _repeat_twice(x), out=out.view(2, -1, 1))
        else:
            torch.baddbmm(self._bias_halves, self._halves, _repeat_twice(x), out=out.view(2, -1, 1))
        return out

    def add_to(self, x: Tensor, inputs: Tensor) -> None:
        if x.shape[0] > _MAX_FEW_ROWS:
            super().add_to(x, inputs)
            return
        if self._bias is not None:
            x += self._bias
        if x.shape[0] > 1 or self._halves is None:
            x += self._product(inputs)
        else:
            x.view(2, -1, 1).baddbmm_(self._halves, _repeat_twice(inputs))

    def _product(self, x: Tensor) -> Tensor:
        columns = x.repeat(2, 1) if x.shape[0] == 1 else x
        return torch.bmm(self._batched, columns.t()[None])[0].t()[: x.shape[0]]


class PackedLinearMap(LinearMap):
    """By oneDNN, from a copy of the weight in the order in which it reads.

    Without the copy, each product begins by reordering the weight. 64 sentences take 173 ms instead of 201, with a beam
    of five 582 instead of 624, the copying included.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__(weight, bias)
        self._packed = onednn.pack(weight)

    def apply(self, x: Tensor, out: Tensor | None = None) -> Tensor:
        return onednn.linear(x, self._packed, self._bias)

    def add_to(self, x: Tensor, inputs: Tensor) -> None:
        x += onednn.linear(inputs, self._packed, self._bias)


def _repeat_twice(row: Tensor) -> Tensor:
    """[1, in] -> [2, in, 1]."""
    return row.t().expand(2, -1, 1)


def prepare_linear(linear: nn.Linear, num_rows: int, first: int = 0) -> LinearMap:
    """The fastest LinearMap of a module's outputs from `first` on, for products of `num_rows` rows or fewer."""
    weight, bias = linear.weight[first:], None if linear.bias is None else linear.bias[first:]
    if num_rows > _MAX_FEW_ROWS and onednn.is_worth_packing(weight):
        return PackedLinearMap(weight, bias)
    if weight.is_cpu and weight.numel() >= _MIN_LARGE_WEIGHT and uses_mkl_on_amd():
        return BatchedLinearMap(weight, bias)
    return LinearMap(weight, bias)
