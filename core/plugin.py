"""The API of dataset plugins: their base class, options, pairs, and the functions that keep splits disjoint.

A plugin is one Python file that ends with `PLUGIN = ItsClass`. It needs only this module and the standard library, and
runs in a process of its own: it may be slow, print or fail without harm to the application. What it returns is checked
against the types and ranges below, and `headlight plugins check FILE.py` says what to fix.
"""

import hashlib
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Generic, Literal, NamedTuple, Self, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, model_validator

from core.plugin_files import BadData as BadData  # for plugins that read the user's files
from core.plugin_files import File as File
from core.plugin_files import Folder as Folder
from core.plugin_files import read_lines as read_lines
from core.short_repr import short_repr
from core.text_form import AS_IT_COMES as AS_IT_COMES
from core.text_form import TextForm as TextForm
from core.text_form import UnicodeForm as UnicodeForm
from core.text_form import cut_columns as cut_columns

API_VERSION = 1
"""Increased when a plugin written for the previous number would no longer run."""
ACCEPTED = "accepted"
"""The validation context of options that a run began with: `check` accepted them then, and is not called again."""

PAIR_CHARACTERS = 1_000_000
"""The most characters of a pair, or of another text of a plugin's: longer ones would make every answer slow."""

MAX_DRAWS = 10_000
Split = Literal["train", "valid", "test"]
OptionsT = TypeVar("OptionsT", bound="Options")
T = TypeVar("T")


class Pair(NamedTuple):
    """One example: what the encoder reads and what the decoder is to write.

    Both are texts of at least one token, at most 1,000,000 characters together, that survive their tokenizer unchanged:
    with "whitespace", they have single spaces between tokens and none around them. `alignment` lists the (source token,
    target token) indices that belong together, each counted from 0 and below the number of tokens; None: unknown.
    """

    source: str
    target: str
    alignment: Sequence[tuple[int, int]] | None = None


def _label_of(field: str, _: object) -> str:
    return field.replace("_", " ").capitalize()


class Options(BaseModel):
    """The options of a plugin. Frozen; an unknown key or a value of the wrong type is refused.

    Declare fields of type `int`, `float`, `bool`, `str`, `Literal["one", "other"]`, `list[int]`, `list[str]`, `Folder`
    or `File`, each with a default from `option(...)`: the window's form has no fields for other types. Rules between
    options belong in `check`.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        validate_default=True,
        allow_inf_nan=False,
        field_title_generator=_label_of,
    )

    def check(self) -> None:
        """Raise ValueError with a sentence if options do not go together.

        Called when a run begins: a run that began before `check` refused its options may go on.
        """

    @model_validator(mode="after")
    def _check(self, info: ValidationInfo) -> Self:
        if info.context != ACCEPTED:
            self.check()
        return self


def option(default: T, *, ge: float | None = None, le: float | None = None, help: str = "", label: str = "") -> T:
    """Declare one option: its default, its range (`ge` to `le`, both inclusive), its help and its label in the window.

    `ge` and `le` are for numbers; None is no bound. The label defaults to the field's name (`num_symbols`: "Num
    symbols"). A plugin with a default outside its range is not loaded, and the error names the option.
    """
    field: Any = Field(default, ge=ge, le=le, description=help or None, title=label or None)
    declared: T = field  # pydantic reads the declaration where type checkers see the value
    return declared


class DatasetPlugin(ABC, Generic[OptionsT]):
    """A named source of (source text, target text) pairs. Subclass it as `DatasetPlugin[YourOptions]`.

    The class's docstring is shown in the window, below the title. An exception in a method is reported with its file
    and line, and so is the line where a method hangs: one that gives no answer, or `pairs` no pair, for 30 seconds.
    Only `name`, `title` and `pairs` are required.
    """

    name: ClassVar[str]
    """The name in YAML and on disk: lower-case letters, digits and underscores."""
    title: ClassVar[str]
    """The title in the window."""
    tokenizer: ClassVar[str | tuple[str, str]] = "characters"
    """"characters", "whitespace", "subword", "subword_unigram", or a pair of them (source, target)."""
    endless: ClassVar[bool] = False
    """True if `pairs("train", ...)` never ends. It is then drawn in shards of 10,000, each with an rng of its own."""
    splits_overlap: ClassVar[bool] = False
    """True if held-out sources may be in the train split on purpose: `plugins check` then does not report them."""
    api_version: ClassVar[int] = API_VERSION
    """The `API_VERSION` it was made for. Write it as a number: a later Headlight can then say what to change."""
    options_class: ClassVar[type[Options]] = Options
    has_begun: bool = False
    """True if an existing run's pairs are drawn again: `pairs` must refuse nothing that the run may have begun with."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for base in cls.__dict__.get("__orig_bases__", ()):
            origin = get_origin(base)
            if isinstance(origin, type) and issubclass(origin, DatasetPlugin):  # or a generic base of the author's own
                for argument in get_args(base):
                    if isinstance(argument, type) and (origin is DatasetPlugin or issubclass(argument, Options)):
                        cls.options_class = argument

    def __init__(self, options: OptionsT) -> None:
        self.options = options

    @abstractmethod
    def pairs(self, split: Split, rng: random.Random) -> Iterable[Pair]:
        """Yield the pairs of "train", "valid" or "test"; the same rng state must give the same pairs.

        `rng` is a random.Random seeded by (dataset.seed, split), and by the shard too if train is endless. Draw from it
        only, never from the module `random`, the clock, `hash()` of a text or the order of a set. A split must not be
        empty; "valid" and "test" must end; a held-out source must not be in the train split, see `split_of`.
        Raise ValueError with a sentence if these options allow no pairs, BadData if a file of the user's is unusable.
        """

    def symbols(self) -> tuple[Sequence[str], Sequence[str]] | None:
        """All source and all target tokens of endless data; None: those of its first 10,000 pairs.

        Not called for finite data. A token that is not listed is read as `<unk>`.
        """
        return None

    def limits(self) -> Mapping[str, float]:
        """The best possible value of a metric, by the metric's name: `{"valid/loss": 0.537}`.

        Values must be finite. Names are those of validations, which begin with `valid/`: valid/loss (nats per token),
        valid/token_accuracy (0 to 1), ... What `metrics` returns as `letters_heard` is `valid/letters_heard` here, as
        in curves and in `training.best_metric`.
        """
        return {}

    def metrics(self, pairs: Sequence[Pair], hypotheses: Sequence[str]) -> Mapping[str, float]:
        """Metrics of your own for each evaluation; `hypotheses[i]` is the model's output for `pairs[i].source`.

        Return finite values, under the same names each time and none of Headlight's own (loss, bleu ...); `valid/` is
        put before each. Higher is better, unless the name ends in loss, perplexity, error or error_rate. An untrained
        model writes anything: a hypothesis may be empty or far too long. A value that is not finite is reported once,
        and the run goes on.
        """
        return {}

    def files(self) -> Sequence[str]:
        """All files of the user's that decide the pairs, if they alone do.

        While their sizes, mtimes, ctimes and inodes stay the same, the pairs are not drawn again.
        """
        return []

    def left_out(self, split: Split) -> int:
        """How many pairs of the split the plugin's own options have left out so far, to be shown beside those too long.

        Called on the object whose `pairs` are drawn; its answer after the last pair is the one that counts.
        """
        return 0

    def text_form(self) -> TextForm:
        """The form of the sources in `pairs`: texts that a user types are brought into it before translation."""
        return AS_IT_COMES

    def examples(self) -> Sequence[str]:
        """Source texts to offer where a user can type one; their tokens must be in the train split."""
        return []


def split_of(text: str) -> Split:
    """Return the split that `text` belongs to: 80 % train, 10 % valid, 10 % test.

    Only a hash of the text decides, so the answer is always the same, in every process and on every machine.
    """
    if not isinstance(text, str):
        raise TypeError(f"expected a text, whose split is asked for; given {short_repr(text, 100)}")
    bucket = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") % 10
    if bucket < 8:
        return "train"
    return "valid" if bucket == 8 else "test"


def draw_for(split: Split, draw: Callable[[], Pair]) -> Pair:
    """Call `draw` until the source of its pair belongs to `split`, so that no held-out text is ever trained on.

    Raises ValueError if 10,000 draws give none, though at least 1 in 10 should: the options leave the split empty.
    """
    for _ in range(MAX_DRAWS):
        pair = draw()
        if not isinstance(pair, Pair):
            raise TypeError(
                f"draw_for was given a function that returned {short_repr(pair, 100)}, expected Pair(source, target)"
            )
        if split_of(pair.source) == split:
            return pair
    if not pair.source:
        raise ValueError(f"no source for a {split} split: the last one drawn is empty; give each at least one token")
    raise ValueError(f"too few different sources for a {split} split: widen the options they are drawn from")
