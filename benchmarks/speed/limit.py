"""A lower bound of everyone's time: only the matrix products of a step or a decoding, timed along with the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import torch
from torch import nn

from benchmarks.speed.sizes import Precision, Size
from core.decoding.linear_maps import prepare_linear
from core.machine import onednn

NAME = "its matrix products alone"


class Product(NamedTuple):
    """[batch, rows, inner] @ [batch, inner, columns], `times` times."""

    times: int
    batch: int
    rows: int
    inner: int
    columns: int

    @property
    def operations(self) -> int:
        """Floating-point operations: a multiplication and an addition each."""
        return 2 * self.times * self.batch * self.rows * self.inner * self.columns


def operations(products: Sequence[Product]) -> int:
    """The floating-point operations of all products together."""
    return sum(product.operations for product in products)


def of_training_step(size: Size) -> list[Product]:
    """The products of the forward pass, and for each the two that give the gradients of its factors."""
    tokens, length, layers = size.batch_size * size.length, size.length, size.num_layers
    forward = [
        *_encoder_products(size, layers, tokens),
        *_decoder_products(size, layers, tokens),
        Product(layers, 1, tokens, size.d_model, 2 * size.d_model),  # the memory's keys and values
        *_attention_products(size, 3 * layers, size.batch_size, length, length),
        Product(1, 1, tokens, size.d_model, size.vocab_size),
    ]
    return [product for one in forward for product in (one, *_gradients(one))]


def of_decoding(size: Size, rows: int, sentences: int, length: int) -> list[Product]:
    """The products of encoding `sentences` and writing `length` tokens for `rows` hypotheses, none computed twice."""
    tokens, layers = sentences * size.length, size.num_layers
    products = [
        *_encoder_products(size, layers, tokens),
        *_attention_products(size, layers, sentences, size.length, size.length),
        Product(layers, 1, tokens, size.d_model, 2 * size.d_model),  # the memory's keys and values
        *_decoder_products(size, length * layers, rows),
        *_attention_products(size, length * layers, rows, 1, size.length),
        Product(length, 1, rows, size.d_model, size.vocab_size),
    ]
    for position in range(1, length + 1):
        products += _attention_products(size, layers, rows, 1, position)
    return products


def _encoder_products(size: Size, count: int, tokens: int) -> list[Product]:
    """The products of `count` layers, without those between queries, keys and values."""
    width = size.d_model
    return [
        Product(count, 1, tokens, width, 3 * width),
        Product(count, 1, tokens, width, width),
        Product(count, 1, tokens, width, size.d_ff),
        Product(count, 1, tokens, size.d_ff, width),
    ]


def _decoder_products(size: Size, count: int, tokens: int) -> list[Product]:
    """The same, and cross-attention's queries and outputs; its keys and values are of the memory."""
    return [*_encoder_products(size, count, tokens), Product(2 * count, 1, tokens, size.d_model, size.d_model)]


def _attention_products(size: Size, count: int, sentences: int, queries: int, keys: int) -> list[Product]:
    """Queries with keys, and weights with values."""
    d_head, heads = size.d_model // size.num_heads, sentences * size.num_heads
    return [Product(count, heads, queries, d_head, keys), Product(count, heads, queries, keys, d_head)]


def _gradients(product: Product) -> list[Product]:
    times, batch, rows, inner, columns = product
    return [Product(times, batch, rows, columns, inner), Product(times, batch, inner, rows, columns)]


class Products:
    """The products, ready to run on preallocated operands.

    They use the library that ours uses: torch's own product is not the fastest everywhere. Weights that stay the same
    from product to product are prepared once, as in decoding.
    """

    def __init__(self, products: Sequence[Product], precision: Precision, *, weights_stay: bool = False) -> None:
        dtype = getattr(torch, precision)
        with torch.inference_mode():
            self._calls = [(product.times, _call_of(product, dtype, weights_stay)) for product in products]

    @torch.inference_mode()
    def run(self) -> None:
        """Run each product as often as it is counted."""
        for times, call in self._calls:
            for _ in range(times):
                call()


def _call_of(product: Product, dtype: torch.dtype, weights_stay: bool) -> Callable[[], object]:
    left = torch.randn(product.batch, product.rows, product.inner).to(dtype)
    right = torch.randn(product.batch, product.inner, product.columns).to(dtype)
    out = torch.empty(product.batch, product.rows, product.columns, dtype=dtype)
    if product.batch > 1:
        return partial(torch.bmm, left, right, out=out)
    if weights_stay:
        linear = nn.Linear(product.inner, product.columns, bias=False, dtype=dtype)
        return partial(prepare_linear(linear, product.rows).apply, left[0], out=out[0])
    if onednn.is_faster(product.rows, right[0]):
        return partial(onednn.linear, left[0], right[0].t())
    return partial(torch.mm, left[0], right[0], out=out[0])
