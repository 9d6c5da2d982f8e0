"""A dataset tokenised once: its vocabularies, and memory-mapped ids on disk."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from core.config import MAX_LENGTH, DatasetConfig, Length, TokenizerConfig
from core.data.encoding import Side
from core.data.special_tokens import BOS_ID, EOS_ID, PAD_ID
from core.data.split_pairs import SplitPairs
from core.data.splits import SPLITS, not_at_hand
from core.data.subwords import SubwordModels, SubwordTokenizer, models_in
from core.data.token_arrays import PairArrays
from core.data.tokenizers import Tokenizer, make_tokenizer
from core.data.unigram import unigram_loss
from core.data.vocabulary import Vocabulary
from core.errors import UserError
from core.plugin import Pair
from core.settings.errors import plainly
from core.text_form import AS_IT_COMES, TextForm

DOCUMENT = "data.json"
_NOT_TEXT = {PAD_ID, BOS_ID, EOS_ID}
_ROOM_FOR_TYPED = 2  # times the longest source: a person may type a longer sentence than the data has


class _Dataset(DatasetConfig):
    """One with nothing left to resolve."""

    tokenizer: TokenizerConfig
    max_src_length: Length
    max_tgt_length: Length


class _Document(BaseModel):
    """What a run's vocabulary.json must hold; it may come from a stranger."""

    dataset: _Dataset
    src_tokens: list[str]
    tgt_tokens: list[str]
    num_pairs: dict[Literal["train", "valid", "test"], int | None]
    left_out: dict[str, int]
    limits: dict[str, float]
    examples: list[str]
    fingerprint: str
    unigram_loss: float | None = None  # runs of an earlier version have none
    longest_source: int | None = None  # nor this
    text_form: TextForm = AS_IT_COMES  # nor this


@dataclass(frozen=True, kw_only=True, eq=False)
class PreparedData:
    """Texts as ids, and back. Made by `core.data.preparation.prepare_data`, or of a run's vocabulary.json alone.

    In the latter case there are no pairs (`folder` is None), but everything that translating needs.
    """

    dataset: DatasetConfig  # complete: options, tokenizer and lengths resolved
    src_vocabulary: Vocabulary
    tgt_vocabulary: Vocabulary
    num_pairs: dict[str, int | None]  # split -> pairs, None where it is endless
    left_out: dict[str, int]  # split -> pairs longer than the lengths allow; of endless data, in the first shard
    limits: dict[str, float]
    examples: tuple[str, ...]
    fingerprint: str  # of the texts and all that made ids of them; the same whichever lengths are allowed
    unigram_loss: float | None = None  # of the valid split; None in a run of an earlier version, without its pairs
    longest_source: int | None = None  # tokens of the train split's (first shard's), <eos> counted; None as above
    text_form: TextForm = AS_IT_COMES  # that sources have
    leaked: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # `core.data.leaked`; of files alone
    plugin_left_out: Mapping[str, int] = field(default_factory=dict)  # split -> by the plugin's own options
    alignments_fit: bool = True  # whether the tokens are the plugin's own, of which its alignments tell
    subword_models: SubwordModels = field(default_factory=dict, repr=False)
    folder: Path | None = None
    options_here: dict[str, Any] | None = None  # that give the pairs where the dataset's own no longer do
    other_splits: tuple[str, ...] = ()  # held out, of which those give other pairs than a run's own
    _splits: Mapping[str, SplitPairs] = field(default_factory=dict, repr=False)

    @property
    def endless(self) -> bool:
        """Whether the train split never ends."""
        return self.num_pairs["train"] is None

    @property
    def options(self) -> dict[str, Any]:
        """What the plugin is to be asked with."""
        return self.dataset.options if self.options_here is None else self.options_here

    def other_options(self, split: str) -> dict[str, Any]:
        """By name, those that give other pairs of a split than the run's own; none where they are its own."""
        if split not in self.other_splits:
            return {}
        recorded = self.dataset.options
        return {name: value for name, value in self.options.items() if value != recorded.get(name)}

    def require_pairs(self) -> None:
        """Raises UserError where only the vocabularies are there, as of a run whose plugin is not."""
        if not self._splits:
            raise UserError(f"{not_at_hand(self.dataset.plugin)}.")

    def require_lengths(self) -> None:
        """Raises UserError where a length is auto and a text has more tokens than any length may be."""
        for name, pairs in self._splits.items():
            for side, key, lengths in (
                ("source", "max_src_length", pairs.arrays.src.lengths),
                ("target", "max_tgt_length", pairs.arrays.tgt_lengths),
            ):
                longest = int(lengths.argmax())
                if lengths[longest] > MAX_LENGTH:
                    raise UserError(
                        f"Pair {pairs.numbers[longest] + 1:,} of the {name} split has {lengths[longest]:,} {side} "
                        f"tokens, <eos> counted: more than {MAX_LENGTH:,}.",
                        f"Is a line break missing there? Fix it, or set dataset.{key}: longer pairs are left out.",
                    )

    def require_one_vocabulary(self) -> None:
        """Raises UserError where source and target have not the same tokens by the same ids, equally many or not."""
        src, tgt = self.src_vocabulary.tokens, self.tgt_vocabulary.tokens
        if src != tgt:
            raise UserError(
                f"model.tie_embeddings: all needs one vocabulary for source and target; "
                f"here they are two, of {len(src):,} and {len(tgt):,} tokens.",
                "Set dataset.tokenizer.shared: true, or model.tie_embeddings: decoder.",
            )

    @property
    def own_tokens(self) -> tuple[list[str], list[str]]:
        """The tokens of source and target by id, without the special ones."""
        return self.src_vocabulary.own_tokens, self.tgt_vocabulary.own_tokens

    @property
    def src_tokenizer(self) -> Tokenizer:
        """Cuts source texts."""
        return self.src.tokenizer

    @property
    def tgt_tokenizer(self) -> Tokenizer:
        """Cuts and joins target texts."""
        return self.tgt.tokenizer

    @cached_property
    def src(self) -> Side:
        """How source texts become ids."""
        return Side(make_tokenizer(self._tokenizer.src, self.subword_models.get("src")), self.src_vocabulary)

    @cached_property
    def tgt(self) -> Side:
        """How target texts become ids."""
        return Side(make_tokenizer(self._tokenizer.tgt, self.subword_models.get("tgt")), self.tgt_vocabulary)

    @property
    def _tokenizer(self) -> TokenizerConfig:
        assert self.dataset.tokenizer != "auto"  # resolved
        return self.dataset.tokenizer

    @property
    def max_src_length(self) -> int:
        """Longest source that can be read, in tokens, <eos> counted."""
        return int(self.dataset.max_src_length)

    @property
    def max_tgt_length(self) -> int:
        """Longest target that can be written, in tokens, <eos> counted."""
        return int(self.dataset.max_tgt_length)

    def split(self, name: str) -> PairArrays:
        """The ids of a split, mapped from disk; of endless data, those of its first shard."""
        return self._pairs(name).arrays

    def pair(self, split: str, index: int) -> Pair:
        """The texts and the gold alignment of one pair, read from disk."""
        return self._pairs(split).pair(index)

    def number(self, split: str, index: int) -> int:
        """Which of all pairs of the split this one is, counted from 1, those that are left out among them."""
        return int(self._pairs(split).numbers[index]) + 1

    def is_test_valid_again(self) -> bool:
        """Whether the test split is the valid split once more, as of a dataset without test pairs of its own."""
        valid, test = self._pairs("valid"), self._pairs("test")
        return len(valid) == len(test) and all(valid.pair(index) == test.pair(index) for index in range(len(test)))

    def encode_source(self, text: str) -> tuple[list[int], list[str]]:
        """Ids of a source text, `<eos>` at their end, and its tokens that the vocabulary does not have."""
        tokens = self.src_tokenizer.tokenize(self.text_form.of(text))
        unknown = [token for token in tokens if token not in self.src_vocabulary]
        return [*self.src_vocabulary.ids(tokens), EOS_ID], unknown

    def decode_target(self, ids: Sequence[int]) -> str:
        """The text of target ids; `<pad>`, `<bos>` and `<eos>` are none."""
        return self.tgt_tokenizer.join(self.tgt_vocabulary.texts(one for one in ids if one not in _NOT_TEXT))

    def vocabulary_document(self) -> dict[str, Any]:
        """All but the pairs, as plain data for a run's vocabulary.json."""
        return {
            "dataset": self.dataset.model_dump(mode="json"),
            "src_tokens": self.src_vocabulary.own_tokens,
            "tgt_tokens": self.tgt_vocabulary.own_tokens,
            "num_pairs": self.num_pairs,
            "left_out": self.left_out,
            "limits": self.limits,
            "examples": list(self.examples),
            "fingerprint": self.fingerprint,
            "unigram_loss": self.unigram_loss,
            "longest_source": self.longest_source,
            "text_form": self.text_form,
        }

    @classmethod
    def from_document(cls, document: dict[str, Any], subword_models: SubwordModels) -> PreparedData:
        """What `vocabulary_document` described. Raises UserError where a part of it is missing or of another kind."""
        try:
            known = _Document.model_validate(document)
        except ValidationError as error:
            raise UserError(f"The vocabulary of this run cannot be read: {plainly(error)}.") from None
        data = cls._of(known.model_dump(), subword_models=subword_models)
        data._require_its_subwords(data.src_tokenizer, data.src_vocabulary)
        data._require_its_subwords(data.tgt_tokenizer, data.tgt_vocabulary)
        return data

    @staticmethod
    def _require_its_subwords(tokenizer: Tokenizer, vocabulary: Vocabulary) -> None:
        if isinstance(tokenizer, SubwordTokenizer) and vocabulary.own_tokens != tokenizer.pieces:
            raise UserError(
                "The vocabulary of this run is not that of its subwords.",
                "Restore vocabulary.json, src.model and tgt.model from a copy of the run.",
            )

    @classmethod
    def _of(cls, document: dict[str, Any], **pairs: Any) -> PreparedData:
        return cls(
            dataset=DatasetConfig.model_validate(document["dataset"]),
            src_vocabulary=Vocabulary(document["src_tokens"]),
            tgt_vocabulary=Vocabulary(document["tgt_tokens"]),
            num_pairs=document["num_pairs"],
            left_out=document["left_out"],
            limits=document["limits"],
            examples=tuple(document["examples"]),
            fingerprint=document["fingerprint"],
            unigram_loss=document["unigram_loss"],
            longest_source=document["longest_source"],
            text_form=TextForm.from_json(document.get("text_form", ())),  # prepared by an earlier version: none
            **pairs,
        )

    @classmethod
    def open(cls, folder: Path, dataset: DatasetConfig) -> PreparedData:
        """What was prepared in this folder, without the pairs that are longer than `dataset` allows.

        Raises: UserError when that leaves a split without a pair.
        """
        document = json.loads((folder / DOCUMENT).read_text(encoding="utf-8"))
        whole = {name: SplitPairs.map(folder, name) for name in SPLITS}
        splits = {name: _fitting(name, pairs, dataset) for name, pairs in whole.items()}
        num_pairs = {name: len(pairs) for name, pairs in splits.items()}
        parts: dict[str, Any] = document | {
            "dataset": document["dataset"] | _lengths(list(splits.values()), dataset),
            "left_out": {name: len(pairs) - num_pairs[name] for name, pairs in whole.items()},
            "num_pairs": num_pairs | ({"train": None} if document["endless"] else {}),
            "unigram_loss": unigram_loss(splits["valid"].arrays.tgt),
            "longest_source": int(splits["train"].arrays.src.lengths.max()),
        }
        counted = {name: document.get(name, {}) for name in ("leaked", "plugin_left_out")}  # not by an earlier version
        return cls._of(parts, subword_models=models_in(folder), folder=folder, **counted, _splits=splits)

    def _pairs(self, split: str) -> SplitPairs:
        self.require_pairs()
        return self._splits[split]


def _fitting(name: str, pairs: SplitPairs, dataset: DatasetConfig) -> SplitPairs:
    src, tgt = dataset.max_src_length, dataset.max_tgt_length
    fitting = pairs.no_longer_than(inf if src == "auto" else src, inf if tgt == "auto" else tgt)
    if not len(fitting):
        limits = {"max_src_length": src, "max_tgt_length": tgt}
        chosen = " and ".join(f"{key} = {most}" for key, most in limits.items() if most != "auto")
        raise UserError(
            f"dataset.{chosen}: every pair of the {name} split is longer.",
            "Raise what is too low, or set it to auto.",
        )
    return fitting


def _lengths(splits: list[SplitPairs], dataset: DatasetConfig) -> dict[str, int]:
    """The lengths to allow, where they are auto: those of the data, and room to type longer sources, if that may be."""
    longest_src = max(int(pairs.arrays.src.lengths.max()) for pairs in splits)
    longest_tgt = max(int(pairs.arrays.tgt_lengths.max()) for pairs in splits)
    src, tgt = dataset.max_src_length, dataset.max_tgt_length
    return {
        "max_src_length": min(_ROOM_FOR_TYPED * longest_src, MAX_LENGTH) if src == "auto" else src,
        "max_tgt_length": min(longest_tgt, MAX_LENGTH) if tgt == "auto" else tgt,
    }
