"""A dataset tokenised once: its vocabularies, and memory-mapped ids on disk."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from core.config import DatasetConfig
from core.data.special_tokens import BOS_ID, EOS_ID, PAD_ID, SPECIAL_TOKENS
from core.data.token_arrays import PairArrays, TokenArrays
from core.data.tokenizers import Tokenizer, make_tokenizer
from core.data.vocabulary import Vocabulary
from core.errors import UserError
from core.plugin import Pair

DOCUMENT = "data.json"
_NOT_TEXT = {PAD_ID, BOS_ID, EOS_ID}


@dataclass(frozen=True, kw_only=True, eq=False)
class PreparedData:
    """Texts as ids, and back. Made by `core.data.preparation.prepare_data`, or of a run's vocabulary.json alone.

    In the latter case there are no pairs (`folder` is None), but everything that translating needs.
    """

    dataset: DatasetConfig  # complete: options, tokenizer and lengths resolved
    src_vocabulary: Vocabulary
    tgt_vocabulary: Vocabulary
    num_pairs: dict[str, int | None]  # split -> pairs, None where it is endless
    left_out: dict[str, int]  # split -> pairs longer than the lengths allow
    limits: dict[str, float]
    examples: tuple[str, ...]
    fingerprint: str
    folder: Path | None = None
    _texts: dict[str, PairTexts] = field(default_factory=dict, repr=False)

    @property
    def endless(self) -> bool:
        """Whether the train split never ends."""
        return self.num_pairs["train"] is None

    @property
    def src_tokenizer(self) -> Tokenizer:
        return make_tokenizer(self._tokenizer_names()[0])

    @property
    def tgt_tokenizer(self) -> Tokenizer:
        return make_tokenizer(self._tokenizer_names()[1])

    def _tokenizer_names(self) -> tuple[str, str]:
        assert self.dataset.tokenizer != "auto"  # resolved
        return self.dataset.tokenizer.src, self.dataset.tokenizer.tgt

    @property
    def max_src_length(self) -> int:
        """Longest source that can be read, in tokens, <eos> counted."""
        return int(self.dataset.max_src_length)

    @property
    def max_tgt_length(self) -> int:
        """Longest target that can be written, in tokens, <eos> counted."""
        return int(self.dataset.max_tgt_length)

    def split(self, name: str) -> PairArrays:
        """The ids of a finite split, mapped from disk."""
        folder = self._require_folder()
        return PairArrays(TokenArrays.map(folder / f"{name}.src"), TokenArrays.map(folder / f"{name}.tgt"))

    def pair(self, split: str, index: int) -> Pair:
        """The texts and the gold alignment of one pair of a finite split."""
        if split not in self._texts:
            self._texts[split] = PairTexts(self._require_folder() / split)
        return self._texts[split].pair(index)

    def encode_source(self, text: str) -> tuple[list[int], list[str]]:
        """Ids of a source text, `<eos>` at their end, and its tokens that the vocabulary does not have."""
        tokens = self.src_tokenizer.tokenize(text)
        unknown = [token for token in tokens if token not in self.src_vocabulary]
        return [*self.src_vocabulary.ids(tokens), EOS_ID], unknown

    def decode_target(self, ids: list[int]) -> str:
        """The text of target ids; `<pad>`, `<bos>` and `<eos>` are none."""
        return self.tgt_tokenizer.join(self.tgt_vocabulary.texts(one for one in ids if one not in _NOT_TEXT))

    def vocabulary_document(self) -> dict[str, Any]:
        """All but the pairs, as plain data for a run's vocabulary.json."""
        first = len(SPECIAL_TOKENS)
        return {
            "dataset": self.dataset.model_dump(mode="json"),
            "src_tokens": list(self.src_vocabulary.tokens[first:]),
            "tgt_tokens": list(self.tgt_vocabulary.tokens[first:]),
            "num_pairs": self.num_pairs,
            "left_out": self.left_out,
            "limits": self.limits,
            "examples": list(self.examples),
            "fingerprint": self.fingerprint,
        }

    @classmethod
    def from_document(cls, document: dict[str, Any], folder: Path | None = None) -> PreparedData:
        """What `vocabulary_document` described. Raises UserError where a part of it is missing or of another kind."""
        try:
            return cls(
                dataset=DatasetConfig.model_validate(document["dataset"]),
                src_vocabulary=Vocabulary(document["src_tokens"]),
                tgt_vocabulary=Vocabulary(document["tgt_tokens"]),
                num_pairs=document["num_pairs"],
                left_out=document["left_out"],
                limits=document["limits"],
                examples=tuple(document["examples"]),
                fingerprint=document["fingerprint"],
                folder=folder,
            )
        except (KeyError, TypeError, ValueError) as error:
            raise UserError(f"The vocabulary of this run cannot be read: {error}.") from error

    @classmethod
    def open(cls, folder: Path) -> PreparedData:
        """What was prepared in this folder of the cache."""
        document = json.loads((folder / DOCUMENT).read_text(encoding="utf-8"))
        return cls.from_document(document, folder)

    def _require_folder(self) -> Path:
        if self.folder is None:
            raise UserError(
                "The pairs of this run's dataset are not at hand.",
                f"Make its plugin {self.dataset.plugin!r} available.",
            )
        return self.folder


class PairTexts:
    """Pairs as JSON lines (PATH.jsonl), each found by its number through the lines' starts (PATH.starts.npy)."""

    def __init__(self, path: Path) -> None:
        self._lines = path.with_suffix(".pairs.jsonl")
        self._starts = np.load(path.with_suffix(".starts.npy"), mmap_mode="r")

    def pair(self, index: int) -> Pair:
        """Read one pair."""
        with self._lines.open("rb") as lines:
            lines.seek(int(self._starts[index]))
            return _pair_of(lines.readline())


def pair_line(pair: Pair) -> bytes:
    """One pair as a JSON line; every character is below U+0080, so that lines end at "\\n" only."""
    return json.dumps([pair.source, pair.target, pair.alignment]).encode("ascii") + b"\n"


def read_pairs(path: Path) -> Iterator[Pair]:
    """All pairs of a file of JSON lines."""
    with path.open("rb") as lines:
        yield from map(_pair_of, lines)


def _pair_of(line: bytes) -> Pair:
    source, target, alignment = json.loads(line)
    return Pair(source, target, alignment and [(src, tgt) for src, tgt in alignment])
