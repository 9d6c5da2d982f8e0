"""Other implementations of the same model: plain ones that are always there, and libraries if they are installed."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import NamedTuple

from benchmarks.speed.rival import Rival
from benchmarks.speed.sizes import Size
from benchmarks.speed.textbook import Textbook
from benchmarks.speed.torch_transformer import TorchTransformer

TEXTBOOK, LESS_DROPOUT, NN_TRANSFORMER = "textbook", "textbook, dropout only where we have it", "nn.Transformer"
CTRANSLATE2 = "CTranslate2"
_LIBRARIES = {"transformers' Marian": "marian", "x-transformers": "x_transformers", "JoeyNMT": "joeynmt"}


class Rivals(NamedTuple):
    """Models by name, and for missing ones the reason."""

    models: Mapping[str, Rival]
    missing: Mapping[str, str] = {}
    has_ctranslate2: bool = False


RivalsFor = Callable[[Size], Rivals]


def textbook_only(size: Size) -> Rivals:
    """Only the implementation that recorded ratios are relative to."""
    return Rivals({TEXTBOOK: Textbook(size)})


def all_that_train(size: Size) -> Rivals:
    """Everyone that can be trained here."""
    plain = {LESS_DROPOUT: Textbook(size, inner_dropout=0.0)}
    models, missing = _with_libraries(size, plain)
    return Rivals(models, missing)


def all_that_decode(size: Size) -> Rivals:
    """Everyone that can decode here."""
    models, missing = _with_libraries(size, {})
    has_ctranslate2 = find_spec("ctranslate2") is not None  # not imported: it would bring a pool of threads
    if not has_ctranslate2:
        missing[CTRANSLATE2] = "No module named 'ctranslate2'"
    return Rivals(models, missing, has_ctranslate2)


def _with_libraries(size: Size, plain: Mapping[str, Rival]) -> tuple[dict[str, Rival], dict[str, str]]:
    models: dict[str, Rival] = {TEXTBOOK: Textbook(size), **plain, NN_TRANSFORMER: TorchTransformer(size)}
    missing: dict[str, str] = {}
    for name, module in _LIBRARIES.items():
        try:
            models[name] = importlib.import_module(f"benchmarks.speed.peers.{module}").Peer(size)
        except ImportError as error:
            missing[name] = str(error)
    return models, missing
