"""What a check of a plugin says: findings, figures, and whether a small model learned its pairs. Plain records."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing to mend: `sentence` says what, where and what was expected, `advice` what to do."""

    check: str  # which check found it: "options", "same seed", "alignment" ...
    sentence: str
    advice: str

    def __str__(self) -> str:
        return f"{self.sentence} {self.advice}"


@dataclass(frozen=True, kw_only=True)
class Lengths:
    """Of texts, in tokens, `<eos>` not counted."""

    shortest: int
    median: int
    longest: int


@dataclass(frozen=True, kw_only=True)
class SplitFigures:
    """One split in numbers. All but `num_pairs` are of its first 20,000 pairs; shares are fractions 0 to 1."""

    num_pairs: int | None  # None: endless
    src_lengths: Lengths
    tgt_lengths: Lengths
    unknown_src: float  # share of tokens that the train split's vocabulary does not have
    unknown_tgt: float
    duplicates: float  # share of pairs that stood before in the same split
    in_train: int  # sources that are in the train split too


@dataclass(frozen=True, kw_only=True)
class Figures:
    """A dataset in numbers, with the options of the check."""

    splits: dict[str, SplitFigures]
    src_vocabulary: int  # different tokens, special ones not counted
    tgt_vocabulary: int
    padding: float  # share of a batch's places that hold no token, at the default batch size
    depends_on_seed: bool  # False: another dataset.seed gives the same pairs


@dataclass(frozen=True, kw_only=True)
class TriedOptions:
    """How many values of options were tried besides those of the check: the ends of ranges, and other choices."""

    num_tried: int
    num_values: int  # more than tried: the time was up


@dataclass(frozen=True, kw_only=True)
class Learnability:
    """How well a small model learned a few pairs by heart."""

    num_pairs: int
    steps: int
    loss: float  # nats per target token
    seconds: float  # of computing
    is_learned: bool


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """How long and how far a check goes; what a plugin costs at the most."""

    answer_seconds: float = 30.0  # for one answer of the plugin's process
    learn_seconds: float = 60.0  # of computing, to learn 32 pairs
    options_seconds: float = 10.0  # after which no further value of an option is tried
    shards_seconds: float = 10.0  # after which no further shard of endless data is drawn
    max_pairs: int = 5_000_000  # of a finite split


@dataclass(frozen=True, kw_only=True)
class PluginReport:
    """All that a check found. Without figures the plugin gave no pairs; what else is None was not tried."""

    name: str
    origin: str  # its file, or `module:attribute` in an installed package
    findings: tuple[Finding, ...]
    note: str = ""  # nothing to mend in this file, but it keeps it from being used by its name
    figures: Figures | None = None
    tried_options: TriedOptions | None = None
    learnability: Learnability | None = None

    @property
    def is_clean(self) -> bool:
        """Whether nothing is to be mended."""
        return not self.findings
