"""Draws a plugin's pairs and tokenises them once, into a folder of the cache that is found again by its content."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.config import DatasetConfig, TokenizerConfig
from core.data.prepared_data import DOCUMENT, PreparedData, pair_line, read_pairs
from core.data.token_arrays import PairArrays, concatenated, flat_ids, source_arrays, target_arrays
from core.data.tokenizers import Tokenizer, make_tokenizer
from core.data.vocabulary import Vocabulary, most_frequent_first
from core.errors import UserError
from core.events import Progress
from core.plugin import Pair
from core.plugins_host.host import PluginHost, PluginInfo

SPLITS = ("train", "valid", "test")
_LAYOUT = 1  # of the cache's folders; grows when an older one would be misread
_CHUNK = 2_000
_ROOM_FOR_TYPED = 2  # times the longest source: a person may type a longer sentence than the data has

Working = Generator[Progress, None, None]


def prepare_data(dataset: DatasetConfig, host: PluginHost, cache_dir: Path) -> Generator[Progress, None, PreparedData]:
    """Draw, tokenise and keep a dataset; found again where the same pairs were prepared the same way before.

    Yields often, so that whoever drives it can stop between two chunks; closed half-way, it leaves nothing behind.
    Raises UserError for options, plugins or pairs that will not do.
    """
    cache_dir.mkdir(parents=True, exist_ok=True)
    building = Path(tempfile.mkdtemp(prefix=".building-", dir=cache_dir))
    try:
        preparation = _Preparation(dataset, host, building)
        yield from preparation.draw()
        folder = cache_dir / preparation.fingerprint
        if not folder.exists():
            yield from preparation.tokenise()
            _publish(building, folder)
        return PreparedData.open(folder)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _publish(building: Path, folder: Path) -> None:
    try:
        building.rename(folder)
    except OSError:
        if not folder.exists():  # else another process was faster with the same content
            raise


class _Preparation:
    """One dataset on its way into `building`."""

    def __init__(self, dataset: DatasetConfig, host: PluginHost, building: Path) -> None:
        self._host, self._building = host, building
        self._info = _find(host, dataset.plugin)
        options = host.options(dataset.plugin, dataset.options)
        self._dataset = dataset.model_copy(update={"options": options, "tokenizer": _tokenizer(dataset, self._info)})
        assert self._dataset.tokenizer != "auto"
        self._config: TokenizerConfig = self._dataset.tokenizer
        self._src_tokenizer = make_tokenizer(self._config.src)
        self._tgt_tokenizer = make_tokenizer(self._config.tgt)
        self._limits = host.limits(dataset.plugin, options)
        self._examples = host.examples(dataset.plugin, options)
        self._drawn: dict[str, int] = {}
        recipe = [_LAYOUT, self._dataset.model_dump(mode="json"), self._limits, self._examples]
        self._content = hashlib.sha256(json.dumps(recipe, sort_keys=True).encode())

    @property
    def fingerprint(self) -> str:
        """Of everything that decides the result, the texts included."""
        return self._content.hexdigest()[:32]

    def draw(self) -> Working:
        """Write every split's pairs as they come; of endless training data, the first shard."""
        for split in SPLITS:
            self._drawn[split] = 0
            starts = [0]
            with self._lines(split).open("wb") as file:
                for chunk in self._host.pairs(self._dataset.plugin, self._dataset.options, self._dataset.seed, split):
                    lines = [pair_line(pair) for pair in chunk]
                    file.writelines(lines)
                    self._content.update(b"".join(lines))
                    starts.extend(map(len, lines))
                    self._drawn[split] += len(chunk)
                    yield Progress(stage=f"drawing {split} pairs", done=self._drawn[split], total=None)
            self._content.update(split.encode())
            np.save(self._starts(split), np.cumsum(starts)[:-1])

    def tokenise(self) -> Working:
        """Build the vocabularies from the train split, then write every split's ids and the document."""
        src, tgt = yield from self._vocabularies()
        longest, left_out = (0, 0), {}
        for split in SPLITS:
            pairs = yield from self._arrays(split, src, tgt)
            before = len(pairs)
            pairs = self._leave_out_longer(split, pairs)
            left_out[split] = before - len(pairs)
            longest = max(longest[0], int(pairs.src.lengths.max())), max(longest[1], int(pairs.tgt.lengths.max()) - 1)
            pairs.src.save(self._building / f"{split}.src")
            pairs.tgt.save(self._building / f"{split}.tgt")
            self._drawn[split] = len(pairs)
        self._write_document(src, tgt, longest, left_out)

    def _vocabularies(self) -> Generator[Progress, None, tuple[Vocabulary, Vocabulary]]:
        symbols = self._host.symbols(self._dataset.plugin, self._dataset.options) if self._info.endless else None
        if symbols is not None:
            counts = Counter(dict.fromkeys(symbols[0], 1)), Counter(dict.fromkeys(symbols[1], 1))
            return self._made(counts, [list(dict.fromkeys(one)) for one in symbols])
        counts = Counter(), Counter()
        for chunk, progress in self._chunks("train", "counting tokens"):
            counts[0].update(chain.from_iterable(map(self._src_tokenizer.tokenize, _sources(chunk))))
            counts[1].update(chain.from_iterable(map(self._tgt_tokenizer.tokenize, _targets(chunk))))
            yield progress
        return self._made(counts, [most_frequent_first(one, self._config.min_frequency) for one in counts])

    def _made(
        self, counts: tuple[Counter[str], Counter[str]], tokens: list[list[str]]
    ) -> tuple[Vocabulary, Vocabulary]:
        if self._config.shared:
            both = Vocabulary(most_frequent_first(counts[0] + counts[1], self._config.min_frequency))
            return both, both
        return Vocabulary(tokens[0]), Vocabulary(tokens[1])

    def _arrays(self, split: str, src: Vocabulary, tgt: Vocabulary) -> Generator[Progress, None, PairArrays]:
        parts = []
        for chunk, progress in self._chunks(split, f"tokenising {split} pairs"):
            parts.append(tokenised(chunk, self._src_tokenizer, self._tgt_tokenizer, src, tgt))
            yield progress
        return PairArrays(concatenated([part.src for part in parts]), concatenated([part.tgt for part in parts]))

    def _leave_out_longer(self, split: str, pairs: PairArrays) -> PairArrays:
        fits = fitting(pairs, self._dataset)
        if fits.all():
            return pairs
        if not fits.any():
            raise UserError(
                f"Every pair of the {split} split is longer than dataset.max_src_length = "
                f"{self._dataset.max_src_length} or dataset.max_tgt_length = {self._dataset.max_tgt_length}.",
                "Raise them, or set them to auto.",
            )
        starts = np.load(self._starts(split))
        np.save(self._starts(split), starts[fits])
        return selected(pairs, fits)

    def _chunks(self, split: str, stage: str) -> Iterator[tuple[list[Pair], Progress]]:
        pairs, done = read_pairs(self._lines(split)), 0
        while chunk := list(islice(pairs, _CHUNK)):
            done += len(chunk)
            yield chunk, Progress(stage=stage, done=done, total=self._drawn[split])

    def _write_document(
        self, src: Vocabulary, tgt: Vocabulary, longest: tuple[int, int], left_out: dict[str, int]
    ) -> None:
        num_pairs: dict[str, int | None] = dict(self._drawn)
        if self._info.endless:
            num_pairs["train"] = None
        lengths = {
            "max_src_length": _resolved(self._dataset.max_src_length, _ROOM_FOR_TYPED * longest[0]),
            "max_tgt_length": _resolved(self._dataset.max_tgt_length, longest[1]),
        }
        data = PreparedData(
            dataset=self._dataset.model_copy(update=lengths),
            src_vocabulary=src,
            tgt_vocabulary=tgt,
            num_pairs=num_pairs,
            left_out=left_out,
            limits=self._limits,
            examples=tuple(self._examples),
            fingerprint=self.fingerprint,
        )
        text = json.dumps(data.vocabulary_document(), ensure_ascii=False)
        (self._building / DOCUMENT).write_text(text, encoding="utf-8")

    def _lines(self, split: str) -> Path:
        return self._building / f"{split}.pairs.jsonl"

    def _starts(self, split: str) -> Path:
        return self._building / f"{split}.starts.npy"


def tokenised(
    pairs: list[Pair], src_tokenizer: Tokenizer, tgt_tokenizer: Tokenizer, src: Vocabulary, tgt: Vocabulary
) -> PairArrays:
    """Pairs as ids. No Python code runs for a token, and little for a pair."""
    sources = list(map(src_tokenizer.tokenize, _sources(pairs)))
    targets = list(map(tgt_tokenizer.tokenize, _targets(pairs)))
    return PairArrays(
        source_arrays(flat_ids(map(src.ids, sources)), list(map(len, sources))),
        target_arrays(flat_ids(map(tgt.ids, targets)), list(map(len, targets))),
    )


def tokenised_shard(data: PreparedData, pairs: list[Pair]) -> PairArrays:
    """A shard of endless data as ids, without the pairs that are too long."""
    arrays = tokenised(pairs, data.src_tokenizer, data.tgt_tokenizer, data.src_vocabulary, data.tgt_vocabulary)
    fits = fitting(arrays, data.dataset)
    return arrays if fits.all() else selected(arrays, fits)


def fitting(pairs: PairArrays, dataset: DatasetConfig) -> NDArray[np.bool_]:
    """[N] True for pairs no longer than the dataset's lengths, `<eos>` counted; auto has no bound."""
    fits = np.ones(len(pairs), dtype=bool)
    if dataset.max_src_length != "auto":
        fits &= pairs.src.lengths <= dataset.max_src_length
    if dataset.max_tgt_length != "auto":
        fits &= pairs.tgt.lengths - 1 <= dataset.max_tgt_length
    return fits


def selected(pairs: PairArrays, keep: NDArray[np.bool_]) -> PairArrays:
    """The pairs where `keep` [N] is True."""
    return PairArrays(pairs.src.selected(keep), pairs.tgt.selected(keep))


def _find(host: PluginHost, name: str) -> PluginInfo:
    found = [info for info in host.plugins() if info.name == name]
    if not found:
        host.options(name, {})  # says which plugins there are
    return found[0]


def _tokenizer(dataset: DatasetConfig, info: PluginInfo) -> TokenizerConfig:
    if dataset.tokenizer != "auto":
        return dataset.tokenizer
    return TokenizerConfig.model_validate({"src": info.tokenizer[0], "tgt": info.tokenizer[1]})


def _resolved(length: Any, longest: int) -> int:
    return longest if length == "auto" else int(length)


def _sources(pairs: Iterable[Pair]) -> Iterator[str]:
    return (pair.source for pair in pairs)


def _targets(pairs: Iterable[Pair]) -> Iterator[str]:
    return (pair.target for pair in pairs)
