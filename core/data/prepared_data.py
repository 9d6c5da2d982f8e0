"""A prepared dataset: its vocabularies, and the memory-mapped ids of its pairs."""

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
from core.data.encoding import TextEncoder
from core.data.special_tokens import BOS_ID, EOS_ID, PAD_ID
from core.data.split_pairs import SplitPairs
from core.data.splits import SPLITS, pairs_unavailable
from core.data.subwords import SubwordModels, SubwordTokenizer, read_models
from core.data.token_arrays import PairArrays
from core.data.tokenizers import Tokenizer, make_tokenizer
from core.data.unigram import unigram_loss
from core.data.vocabulary import Vocabulary
from core.errors import UserError
from core.plugin import Pair
from core.text_form import AS_IT_COMES, TextForm
from core.user_input.errors import first_message

DOCUMENT = "data.json"
_NOT_TEXT = {PAD_ID, BOS_ID, EOS_ID}
_TYPED_LENGTH_FACTOR = 2  # times the longest source: a user may type a longer sentence than any in the data


class _Dataset(DatasetConfig):
    """A dataset's settings without any `auto`."""

    tokenizer: TokenizerConfig
    max_src_length: Length
    max_tgt_length: Length


class _Document(BaseModel):
    """What a run's vocabulary.json must hold; the file is untrusted."""

    dataset: _Dataset
    src_tokens: list[str]
    tgt_tokens: list[str]
    num_pairs: dict[Literal["train", "valid", "test"], int | None]
    left_out: dict[str, int]
    limits: dict[str, float]
    examples: list[str]
    fingerprint: str
    unigram_loss: float | None = None  # this and the next two: missing in runs of earlier versions
    longest_source: int | None = None
    text_form: TextForm = AS_IT_COMES


@dataclass(frozen=True, kw_only=True, eq=False)
class PreparedData:
    """A dataset's vocabularies, tokenizers and pairs as ids.

    Made by `core.data.preparation.prepare_data`, or from a run's vocabulary.json alone: it then has no pairs (`folder`
    is None), but everything that translation needs.
    """

    dataset: DatasetConfig  # complete: options, tokenizer and lengths resolved
    src_vocabulary: Vocabulary
    tgt_vocabulary: Vocabulary
    num_pairs: dict[str, int | None]  # by split; None if it is endless
    left_out: dict[str, int]  # by split: pairs longer than the lengths allow; of endless data, in the first shard
    limits: dict[str, float]
    examples: tuple[str, ...]
    fingerprint: str  # of the texts and all that made ids of them, except the allowed lengths
    unigram_loss: float | None = None  # of the valid split; None in a run of an earlier version, without its pairs
    longest_source: int | None = None  # in tokens of the train split (first shard), <eos> counted; None as above
    text_form: TextForm = AS_IT_COMES  # of the sources
    leaked: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # `core.data.leakage`; only of data from files
    plugin_left_out: Mapping[str, int] = field(default_factory=dict)  # by split: pairs left out by the plugin's options
    marked_targets: Mapping[str, int] = field(default_factory=dict)  # `core.data.space_marks`; only of subwords
    alignments_fit: bool = True  # whether texts are cut by the plugin's own tokenizer, which its alignments refer to
    subword_models: SubwordModels = field(default_factory=dict, repr=False)
    folder: Path | None = None
    local_options: dict[str, Any] | None = None  # they give the pairs if the dataset's own options no longer do
    replaced_splits: tuple[str, ...] = ()  # held-out splits whose pairs by `local_options` are not the run's own
    _splits: Mapping[str, SplitPairs] = field(default_factory=dict, repr=False)

    @property
    def endless(self) -> bool:
        """Whether the train split never ends."""
        return self.num_pairs["train"] is None

    @property
    def options(self) -> dict[str, Any]:
        """The options with which to call the plugin."""
        return self.dataset.options if self.local_options is None else self.local_options

    def other_options(self, split: str) -> dict[str, Any]:
        """The changed options, by name, if they give other pairs of this split than the run's own; otherwise none."""
        if split not in self.replaced_splits:
            return {}
        recorded = self.dataset.options
        return {name: value for name, value in self.options.items() if value != recorded.get(name)}

    def require_pairs(self) -> None:
        """Raise UserError if there are no pairs, say for a run whose plugin is missing."""
        if not self._splits:
            raise UserError(f"{pairs_unavailable(self.dataset.plugin)}.")

    def require_lengths(self) -> None:
        """Raise UserError if a text has more tokens than the largest length that may be set."""
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

    def require_shared_vocabulary(self) -> None:
        """Raise UserError unless source and target have the same tokens with the same ids."""
        src, tgt = self.src_vocabulary.tokens, self.tgt_vocabulary.tokens
        if src != tgt:
            raise UserError(
                "model.tie_embeddings: all needs one vocabulary for source and target; here there are two, of "
                f"{len(src):,} and {len(tgt):,} tokens.",
                "Set dataset.tokenizer.shared: true, or model.tie_embeddings: decoder.",
            )

    @property
    def own_tokens(self) -> tuple[list[str], list[str]]:
        """The tokens of source and target by id, without the special ones."""
        return self.src_vocabulary.own_tokens, self.tgt_vocabulary.own_tokens

    @property
    def src_tokenizer(self) -> Tokenizer:
        """The tokenizer of source texts."""
        return self.src_encoder.tokenizer

    @property
    def tgt_tokenizer(self) -> Tokenizer:
        """The tokenizer of target texts."""
        return self.tgt_encoder.tokenizer

    @cached_property
    def src_encoder(self) -> TextEncoder:
        """How source texts become ids."""
        return TextEncoder(make_tokenizer(self._tokenizer.src, self.subword_models.get("src")), self.src_vocabulary)

    @cached_property
    def tgt_encoder(self) -> TextEncoder:
        """How target texts become ids."""
        return TextEncoder(make_tokenizer(self._tokenizer.tgt, self.subword_models.get("tgt")), self.tgt_vocabulary)

    @property
    def _tokenizer(self) -> TokenizerConfig:
        assert self.dataset.tokenizer != "auto"  # resolved
        return self.dataset.tokenizer

    @property
    def max_src_length(self) -> int:
        """The longest source the model reads, in tokens, <eos> counted."""
        return int(self.dataset.max_src_length)

    @property
    def max_tgt_length(self) -> int:
        """The longest target the model writes, in tokens, <eos> counted."""
        return int(self.dataset.max_tgt_length)

    def split(self, name: str) -> PairArrays:
        """The ids of a split, memory-mapped; of endless data, those of the first shard."""
        return self._pairs(name).arrays

    def pair(self, split: str, index: int) -> Pair:
        """The texts and the gold alignment of one pair, read from disk."""
        return self._pairs(split).pair(index)

    def pair_number(self, split: str, index: int) -> int:
        """The number of this pair in the whole split, counted from 1, including the pairs that are left out."""
        return int(self._pairs(split).numbers[index]) + 1

    def is_test_same_as_valid(self) -> bool:
        """Whether test and valid are the same pairs, as for a dataset without test pairs of its own."""
        valid, test = self._pairs("valid"), self._pairs("test")
        return len(valid) == len(test) and all(valid.pair(index) == test.pair(index) for index in range(len(test)))

    def encode_source(self, text: str) -> tuple[list[int], list[str]]:
        """The ids of a source text, `<eos>` at the end, and the tokens that are not in the vocabulary."""
        tokens = self.src_tokenizer.tokenize(self.text_form.apply(text))
        unknown = [token for token in tokens if token not in self.src_vocabulary]
        return [*self.src_vocabulary.ids(tokens), EOS_ID], unknown

    def decode_target(self, ids: Sequence[int]) -> str:
        """The text of target ids, without `<pad>`, `<bos>` and `<eos>`."""
        return self.tgt_tokenizer.join(self.tgt_vocabulary.tokens_of(one for one in ids if one not in _NOT_TEXT))

    def vocabulary_document(self) -> dict[str, Any]:
        """Everything but the pairs, as plain data for a run's vocabulary.json."""
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
        """Read what `vocabulary_document` made. Raises UserError if a part is missing or has the wrong type."""
        try:
            known = _Document.model_validate(document)
        except ValidationError as error:
            raise UserError(f"The vocabulary of this run cannot be read: {first_message(error)}.") from None
        data = cls._from_values(known.model_dump(), subword_models=subword_models)
        data._require_matching_subwords(data.src_tokenizer, data.src_vocabulary)
        data._require_matching_subwords(data.tgt_tokenizer, data.tgt_vocabulary)
        return data

    @staticmethod
    def _require_matching_subwords(tokenizer: Tokenizer, vocabulary: Vocabulary) -> None:
        if isinstance(tokenizer, SubwordTokenizer) and vocabulary.own_tokens != tokenizer.pieces:
            raise UserError(
                "The vocabulary of this run is not that of its subwords.",
                "Restore vocabulary.json, src.model and tgt.model from a copy of the run.",
            )

    @classmethod
    def _from_values(cls, document: dict[str, Any], **pairs: Any) -> PreparedData:
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
            text_form=TextForm.from_json(document.get("text_form", ())),  # not in data of earlier versions
            **pairs,
        )

    @classmethod
    def open(cls, folder: Path, dataset: DatasetConfig) -> PreparedData:
        """Open the data prepared in this folder, without the pairs that are longer than `dataset` allows.

        Raises UserError if a split then has no pairs.
        """
        document = json.loads((folder / DOCUMENT).read_text(encoding="utf-8"))
        whole = {name: SplitPairs.map(folder, name) for name in SPLITS}
        splits = {name: _fitting(name, pairs, dataset) for name, pairs in whole.items()}
        num_pairs = {name: len(pairs) for name, pairs in splits.items()}
        parts: dict[str, Any] = document | {
            "dataset": document["dataset"] | _resolve_lengths(list(splits.values()), dataset),
            "left_out": {name: len(pairs) - num_pairs[name] for name, pairs in whole.items()},
            "num_pairs": num_pairs | ({"train": None} if document["endless"] else {}),
            "unigram_loss": unigram_loss(splits["valid"].arrays.tgt),
            "longest_source": int(splits["train"].arrays.src.lengths.max()),
        }
        newer = ("leaked", "plugin_left_out", "marked_targets")  # not in the data of earlier versions
        counted = {name: document.get(name, {}) for name in newer}
        return cls._from_values(parts, subword_models=read_models(folder), folder=folder, **counted, _splits=splits)

    def _pairs(self, split: str) -> SplitPairs:
        self.require_pairs()
        return self._splits[split]


def _fitting(name: str, pairs: SplitPairs, dataset: DatasetConfig) -> SplitPairs:
    src, tgt = dataset.max_src_length, dataset.max_tgt_length
    fitting = pairs.no_longer_than(inf if src == "auto" else src, inf if tgt == "auto" else tgt)
    if not len(fitting):
        limits = {"max_src_length": src, "max_tgt_length": tgt}
        chosen = " and ".join(f"{key} = {limit}" for key, limit in limits.items() if limit != "auto")
        raise UserError(
            f"dataset.{chosen}: every pair of the {name} split is longer.",
            "Raise what is too low, or set it to auto.",
        )
    return fitting


def _resolve_lengths(splits: list[SplitPairs], dataset: DatasetConfig) -> dict[str, int]:
    """The resolved lengths: auto is the data's longest, with room to type longer sources, up to MAX_LENGTH."""
    longest_src = max(int(pairs.arrays.src.lengths.max()) for pairs in splits)
    longest_tgt = max(int(pairs.arrays.tgt_lengths.max()) for pairs in splits)
    src, tgt = dataset.max_src_length, dataset.max_tgt_length
    return {
        "max_src_length": min(_TYPED_LENGTH_FACTOR * longest_src, MAX_LENGTH) if src == "auto" else src,
        "max_tgt_length": min(longest_tgt, MAX_LENGTH) if tgt == "auto" else tgt,
    }
