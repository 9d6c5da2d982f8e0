"""The results of a plugin's check, as plain records: findings, figures, and whether a small model learned its pairs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing to fix: `sentence` says what, where and what was expected, `advice` what to do."""

    check: str  # which check found it: "options", "same seed", "alignment" ...
    sentence: str
    advice: str

    def __str__(self) -> str:
        return f"{self.sentence} {self.advice}".rstrip()  # a user's file needs no advice to the plugin's author


@dataclass(frozen=True, kw_only=True)
class Lengths:
    """The lengths of texts in tokens, without `<eos>`."""

    shortest: int
    median: int
    longest: int


@dataclass(frozen=True, kw_only=True)
class SplitFigures:
    """One split in numbers: `num_pairs` and `in_train` count all that was drawn, the rest is of its first pairs.

    Shares are fractions from 0 to 1.
    """

    num_pairs: int | None  # None: endless
    num_kept: int  # the first pairs: 20,000, or fewer if they are long or the split has no more
    src_lengths: Lengths
    tgt_lengths: Lengths
    unknown_src: float  # share of tokens that are not in the vocabulary
    unknown_tgt: float
    duplicates: float  # share of pairs that repeat an earlier one of the same split
    in_train: int  # different sources that are in the train split too


@dataclass(frozen=True, kw_only=True)
class Figures:
    """A dataset in numbers, with the options that were checked."""

    splits: dict[str, SplitFigures]
    src_vocabulary: int  # different tokens, special ones not counted
    tgt_vocabulary: int
    padding: float  # share of padding in batches of the default size
    depends_on_seed: bool  # False: another dataset.seed gives the same pairs


@dataclass(frozen=True, kw_only=True)
class TriedOptions:
    """How many other values of options were tried: the ends of ranges, and other choices."""

    num_tried: int
    num_values: int  # more than num_tried if the time was up


@dataclass(frozen=True, kw_only=True)
class Learnability:
    """How well a small model learned a few pairs by heart."""

    num_pairs: int
    steps: int
    loss: float  # nats per target token
    seconds: float  # of computing time
    is_learned: bool


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """The most time and pairs that a check may take."""

    answer_seconds: float = 30.0  # for one answer of the plugin's process
    learn_seconds: float = 60.0  # of computing time, to learn 32 pairs
    options_seconds: float = 10.0  # after which no further value of an option is tried
    shards_seconds: float = 10.0  # after which no further shard of endless data is drawn
    max_pairs: int = 5_000_000  # of a finite split


@dataclass(frozen=True, kw_only=True)
class PluginReport:
    """All that a check found. `figures` is None if the pairs could not be drawn; a part that was not tried is None."""

    name: str
    origin: str  # its file, or `module:attribute` in an installed package
    findings: tuple[Finding, ...]
    note: str = ""  # about its name, if other plugins have it too; not a fault of this file
    figures: Figures | None = None
    tried_options: TriedOptions | None = None
    learnability: Learnability | None = None

    @property
    def is_clean(self) -> bool:
        """Whether there are no findings."""
        return not self.findings
