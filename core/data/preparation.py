"""Draws a plugin's pairs and tokenises them once, into a folder of the cache that is found again by its content."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Generator, Iterator
from itertools import islice
from pathlib import Path

from core.config import DatasetConfig, TokenizerConfig
from core.data.cache import building_folder, is_whole, publish, tidy
from core.data.encoding import Side, encoded
from core.data.pair_texts import LINES, pair_line, read_pairs, write_starts
from core.data.prepared_data import DOCUMENT, SPLITS, PreparedData
from core.data.split_pairs import write_arrays
from core.data.token_arrays import PairArrays, concatenated
from core.data.tokenizers import make_tokenizer
from core.data.vocabulary import GrowingVocabulary, Vocabulary, as_listed, most_frequent_first
from core.errors import UserError
from core.events import Progress
from core.plugin import Pair
from core.plugins_host.host import PluginHost
from core.plugins_host.info import PluginInfo

_LAYOUT = 2  # of the cache's folders; grows when an older one would be misread
_CHUNK = 2_000

Working = Generator[Progress, None, None]


def prepare_data(dataset: DatasetConfig, host: PluginHost, cache_dir: Path) -> Generator[Progress, None, PreparedData]:
    """Draw, tokenise and keep a dataset; found again where the same pairs were prepared the same way before.

    The pairs are always drawn anew, since only they tell whether a plugin still gives the same. Yields often, so that
    whoever drives it can stop between two chunks; closed half-way, it leaves nothing behind.
    Raises UserError for options, plugins or pairs that will not do, and for a cache that cannot be written.
    """
    with building_folder(cache_dir) as building:
        preparation = _Preparation(dataset, host, building)
        yield from preparation.draw()
        folder = cache_dir / preparation.fingerprint
        if not is_whole(folder):
            yield from preparation.tokenise()
            publish(building, folder)
        data = PreparedData.open(folder, dataset)
        tidy(cache_dir, folder)
        return data


class _Preparation:
    """One dataset on its way into `building`."""

    def __init__(self, dataset: DatasetConfig, host: PluginHost, building: Path) -> None:
        self._host, self._building = host, building
        self._info = _find(host, dataset.plugin)
        options = host.options(dataset.plugin, dataset.options)
        self._config = _tokenizer(dataset, self._info)
        self._dataset = dataset.model_copy(update={"options": options, "tokenizer": self._config})
        self._tokenizers = make_tokenizer(self._config.src), make_tokenizer(self._config.tgt)
        self._drawn: dict[str, int] = {}
        # Of what else decides the result. The allowed lengths do not: they choose from it when it is opened.
        self._document = {
            "dataset": self._dataset.model_dump(mode="json"),
            "endless": self._info.endless,
            "limits": host.limits(dataset.plugin, options),
            "examples": host.examples(dataset.plugin, options),
        }
        recipe = {**self._document, "dataset": self._dataset.model_dump(exclude={"max_src_length", "max_tgt_length"})}
        self._content = hashlib.sha256(json.dumps([_LAYOUT, recipe], sort_keys=True).encode())

    @property
    def fingerprint(self) -> str:
        """Of everything that decides the result, the texts included; known once all pairs are drawn."""
        return self._content.hexdigest()[:32]

    def draw(self) -> Working:
        """Write every split's pairs as they come; of endless training data, the first shard."""
        for split in SPLITS:
            yield from self._draw_split(split)

    def _draw_split(self, split: str) -> Working:
        dataset, line_lengths = self._dataset, list[int]()
        with self._stem(split, LINES).open("wb") as file:
            for chunk in self._host.pairs(dataset.plugin, dataset.options, dataset.seed, split):
                lines = list(map(pair_line, chunk))
                text = b"".join(lines)
                file.write(text)
                self._content.update(text)
                line_lengths.extend(map(len, lines))
                yield Progress(stage=f"drawing {split} pairs", done=len(line_lengths), total=None)
        self._content.update(split.encode())
        write_starts(self._stem(split), line_lengths)
        self._drawn[split] = len(line_lengths)

    def tokenise(self) -> Working:
        """Cut the train split into tokens, make the vocabularies of it, and write every split's ids."""
        src_seen, tgt_seen = GrowingVocabulary(), GrowingVocabulary()
        train = yield from self._arrays("train", src_seen, tgt_seen)
        src, tgt = self._vocabularies(src_seen.counts(train.src.ids), tgt_seen.counts(train.tgt.ids))
        train = PairArrays(train.src.renumbered(src_seen.ids_in(src)), train.tgt.renumbered(tgt_seen.ids_in(tgt)))
        write_arrays(self._building, "train", train)
        for split in ("valid", "test"):
            arrays = yield from self._arrays(split, src, tgt)
            write_arrays(self._building, split, arrays)
        self._write_document(src, tgt)

    def _write_document(self, src: Vocabulary, tgt: Vocabulary) -> None:
        document = self._document | {
            "src_tokens": src.own_tokens,
            "tgt_tokens": tgt.own_tokens,
            "fingerprint": self.fingerprint,
        }
        (self._building / DOCUMENT).write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")

    def _vocabularies(self, src_counts: Counter[str], tgt_counts: Counter[str]) -> tuple[Vocabulary, Vocabulary]:
        """Of the symbols that an endless plugin lists, whatever their frequency, else of the train split."""
        symbols = self._host.symbols(self._dataset.plugin, self._dataset.options) if self._info.endless else None
        if symbols is not None:
            src, tgt = symbols
            return self._made(as_listed([*src, *tgt]), as_listed(src), as_listed(tgt))
        least = self._config.min_frequency
        return self._made(
            most_frequent_first(src_counts + tgt_counts, least),
            most_frequent_first(src_counts, least),
            most_frequent_first(tgt_counts, least),
        )

    def _made(self, both: list[str], src: list[str], tgt: list[str]) -> tuple[Vocabulary, Vocabulary]:
        if self._config.shared:
            src = tgt = both
        if not (src and tgt):
            raise UserError(
                f"No {'target' if src else 'source'} token of the train split is seen "
                f"dataset.tokenizer.min_frequency = {self._config.min_frequency} times: nothing could be learned.",
                "Lower it, or mend the dataset.",
            )
        return Vocabulary(src), Vocabulary(tgt)

    def _arrays(
        self, split: str, src: Vocabulary | GrowingVocabulary, tgt: Vocabulary | GrowingVocabulary
    ) -> Generator[Progress, None, PairArrays]:
        sides = Side(self._tokenizers[0], src), Side(self._tokenizers[1], tgt)
        parts = []
        for chunk, progress in self._chunks(split, f"tokenising {split} pairs"):
            parts.append(encoded(chunk, *sides))
            yield progress
        return PairArrays(concatenated([part.src for part in parts]), concatenated([part.tgt for part in parts]))

    def _chunks(self, split: str, stage: str) -> Iterator[tuple[list[Pair], Progress]]:
        pairs, done = read_pairs(self._stem(split)), 0
        while chunk := list(islice(pairs, _CHUNK)):
            done += len(chunk)
            yield chunk, Progress(stage=stage, done=done, total=self._drawn[split])

    def _stem(self, split: str, ending: str = "") -> Path:
        return self._building / f"{split}{ending}"


def _find(host: PluginHost, name: str) -> PluginInfo:
    found = [info for info in host.plugins() if info.name == name]
    if not found:
        host.options(name, {})  # raises, and says which plugins there are
    return found[0]


def _tokenizer(dataset: DatasetConfig, info: PluginInfo) -> TokenizerConfig:
    if dataset.tokenizer != "auto":
        return dataset.tokenizer
    return TokenizerConfig.model_validate({"src": info.tokenizer[0], "tgt": info.tokenizer[1]})
