"""Who decodes how fast: the same sentences with the same weights, each with so many tokens written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor

from benchmarks.speed import limit, ours
from benchmarks.speed.agreement import require_same_tokens, same_models
from benchmarks.speed.data import source_texts
from benchmarks.speed.peers.ctranslate2_client import CTranslate2
from benchmarks.speed.rival import Rival
from benchmarks.speed.rivals import CTRANSLATE2, Rivals
from benchmarks.speed.rounds import Contender, Entry
from benchmarks.speed.sizes import OUTPUT_LENGTH, Size
from core.data.prepared_data import PreparedData
from core.data.special_tokens import BOS_ID, EOS_ID, PAD_ID
from core.decoding.probed_sentences import pad_ids
from core.model.transformer import Transformer
from core.training.trainer import Trainer

_SURER = 8.0  # times


class Task(NamedTuple):
    """What is to be decoded in one batch, and with how many hypotheses of each sentence."""

    size: Size
    data: PreparedData
    num_sentences: int
    beam_size: int

    @property
    def texts(self) -> Sequence[str]:
        """The sources, for those who read text."""
        return source_texts(self.data, self.num_sentences)

    @property
    def ids(self) -> tuple[Tensor, Tensor]:
        """The sources and their mask, [B, S], for those who do not."""
        return pad_ids([self.data.encode_source(text)[0] for text in self.texts], torch.device("cpu"))


def contenders(task: Task, rivals: Rivals, most_threads: int, folder: Path, stack: ExitStack) -> dict[Entry, Contender]:
    """Everyone that can decode so, in float32: ours with all threads, others with all, or one where that is faster.

    What must be closed afterwards is put on the stack. Raises Disagreement where the same weights do not write the
    same tokens.
    """
    trainer = ours.make_trainer(task.size, task.data, folder / "run", precision="float32", num_threads=most_threads)
    able = {name: rival.eval() for name, rival in rivals.models.items() if task.beam_size == 1 or rival.has_beam}
    for norm_first in (True, False):
        model = _decided(ours.with_norms(trainer, norm_first))
        _require_agreement(task, trainer, model, same_models(able, model, norm_first=norm_first))
    decode = partial(ours.decode, trainer.model, trainer, task.texts, task.beam_size, OUTPUT_LENGTH)
    everyone = {Entry(ours.OURS, named(most_threads)): Contender(decode, most_threads)}
    for name, rival in able.items():
        everyone |= _with_threads(name, _decoding(task, rival), task, most_threads)
    if rivals.has_ctranslate2:
        server = stack.enter_context(CTranslate2(ours.plain_weights(trainer.model), task.data, task.size, folder))
        require_same_tokens(CTRANSLATE2, server.decode(task.texts, task.beam_size, workers=1, threads=1), decode())
        everyone |= _ctranslate2(task, server, most_threads)
    products = limit.Products(operations_of(task), "float32", weights_stay=True)
    return everyone | _with_threads(limit.NAME, products.run, task, most_threads)


def named(threads: int) -> str:
    """A setting's name."""
    return "1 thread" if threads == 1 else f"{threads} threads"


def _with_threads(name: str, run: Callable[[], object], task: Task, most_threads: int) -> dict[Entry, Contender]:
    """With all threads; a single sentence, whose products are small, with one as well."""
    counts = {1, most_threads} if task.num_sentences == 1 else {most_threads}
    return {Entry(name, named(threads)): Contender(run, threads) for threads in sorted(counts)}


def _require_agreement(task: Task, trainer: Trainer, model: Transformer, same: Mapping[str, Rival]) -> None:
    expected = ours.decode(model, trainer, task.texts, task.beam_size, OUTPUT_LENGTH)
    for name, rival in same.items():
        require_same_tokens(name, _decoding(task, rival)().tolist(), expected)


def _decoding(task: Task, rival: Rival) -> partial[Tensor]:
    return partial(rival.decode, *task.ids, task.beam_size, OUTPUT_LENGTH)


def operations_of(task: Task) -> list[limit.Product]:
    """What must be multiplied, however it is decoded."""
    return limit.of_decoding(task.size, task.num_sentences * task.beam_size, task.num_sentences, OUTPUT_LENGTH)


def _ctranslate2(task: Task, server: CTranslate2, most_threads: int) -> dict[Entry, Contender]:
    """In a process of its own, which has threads of its own: one or all, and as many workers that share the batch."""
    decode = partial(server.decode, task.texts, task.beam_size)
    everyone = {
        Entry(CTRANSLATE2, named(threads)): Contender(partial(decode, workers=1, threads=threads))
        for threads in sorted({1, most_threads})
    }
    if most_threads > 1 and task.num_sentences > 1:
        shared = Contender(partial(decode, workers=most_threads, threads=1))
        everyone[Entry(f"{CTRANSLATE2}, the batch cut in parts", f"{most_threads} workers")] = shared
    return everyone


@torch.no_grad()
def _decided(model: Transformer) -> Transformer:
    """The model, from now on certain that no sentence ends, begins or is padded: everyone writes to full length.

    And surer of every token: of two that untrained weights make alike, a rounding would choose.
    """
    model.output.weight.mul_(_SURER)
    model.output.bias[[PAD_ID, BOS_ID, EOS_ID]] = -1e4
    return model
