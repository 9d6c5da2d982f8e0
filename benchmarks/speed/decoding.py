"""How fast everyone decodes: the same sentences with the same weights, each to the same number of tokens."""

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

_LOGIT_FACTOR = 8.0  # times as large


class Task(NamedTuple):
    """What to decode in one batch, and with how many hypotheses for each sentence."""

    size: Size
    data: PreparedData
    num_sentences: int
    beam_size: int

    @property
    def texts(self) -> Sequence[str]:
        """The sources, for implementations that read text."""
        return source_texts(self.data, self.num_sentences)

    @property
    def ids(self) -> tuple[Tensor, Tensor]:
        """The sources and their mask, [B, S], for those that read ids."""
        return pad_ids([self.data.encode_source(text)[0] for text in self.texts], torch.device("cpu"))


def contenders(task: Task, rivals: Rivals, max_threads: int, folder: Path, stack: ExitStack) -> dict[Entry, Contender]:
    """Everyone that can decode this, in float32: ours with all threads, others with all, or with one if that is faster.

    What must be closed afterwards is put on the stack. Raises Disagreement if the same weights do not produce the same
    tokens.
    """
    trainer = ours.make_trainer(task.size, task.data, folder / "run", precision="float32", num_threads=max_threads)
    able = {name: rival.eval() for name, rival in rivals.models.items() if task.beam_size == 1 or rival.has_beam}
    for norm_first in (True, False):
        model = _with_sharp_logits(ours.with_norms(trainer, norm_first))
        _require_agreement(task, trainer, model, same_models(able, model, norm_first=norm_first))
    decode = partial(ours.decode, trainer.model, trainer, task.texts, task.beam_size, OUTPUT_LENGTH)
    everyone = {Entry(ours.OURS, threads_label(max_threads)): Contender(decode, max_threads)}
    for name, rival in able.items():
        everyone |= _with_threads(name, _decoding(task, rival), task, max_threads)
    if rivals.has_ctranslate2:
        server = stack.enter_context(CTranslate2(ours.plain_weights(trainer.model), task.data, task.size, folder))
        require_same_tokens(CTRANSLATE2, server.decode(task.texts, task.beam_size, workers=1, threads=1), decode())
        everyone |= _ctranslate2(task, server, max_threads)
    products = limit.Products(operations_of(task), "float32", weights_stay=True)
    return everyone | _with_threads(limit.NAME, products.run, task, max_threads)


def threads_label(threads: int) -> str:
    """A setting's name."""
    return "1 thread" if threads == 1 else f"{threads} threads"


def _with_threads(name: str, run: Callable[[], object], task: Task, max_threads: int) -> dict[Entry, Contender]:
    """Entries with all threads; for a single sentence, whose products are small, with one thread as well."""
    counts = {1, max_threads} if task.num_sentences == 1 else {max_threads}
    return {Entry(name, threads_label(threads)): Contender(run, threads) for threads in sorted(counts)}


def _require_agreement(task: Task, trainer: Trainer, model: Transformer, same: Mapping[str, Rival]) -> None:
    expected = ours.decode(model, trainer, task.texts, task.beam_size, OUTPUT_LENGTH)
    for name, rival in same.items():
        require_same_tokens(name, _decoding(task, rival)().tolist(), expected)


def _decoding(task: Task, rival: Rival) -> partial[Tensor]:
    return partial(rival.decode, *task.ids, task.beam_size, OUTPUT_LENGTH)


def operations_of(task: Task) -> list[limit.Product]:
    """The products that any way of decoding must compute."""
    return limit.of_decoding(task.size, task.num_sentences * task.beam_size, task.num_sentences, OUTPUT_LENGTH)


def _ctranslate2(task: Task, server: CTranslate2, max_threads: int) -> dict[Entry, Contender]:
    """Entries in a process that has its own threads: one or all, or as many workers that share the batch."""
    decode = partial(server.decode, task.texts, task.beam_size)
    everyone = {
        Entry(CTRANSLATE2, threads_label(threads)): Contender(partial(decode, workers=1, threads=threads))
        for threads in sorted({1, max_threads})
    }
    if max_threads > 1 and task.num_sentences > 1:
        shared = Contender(partial(decode, workers=max_threads, threads=1))
        everyone[Entry(f"{CTRANSLATE2}, the batch cut in parts", f"{max_threads} workers")] = shared
    return everyone


@torch.no_grad()
def _with_sharp_logits(model: Transformer) -> Transformer:
    """Make the model certain that no sentence ends, begins or is padded, so that everyone decodes to full length.

    And make it surer of every token: between two that untrained weights make almost equal, rounding would choose.
    """
    model.output.weight.mul_(_LOGIT_FACTOR)
    model.output.bias[[PAD_ID, BOS_ID, EOS_ID]] = -1e4
    return model
