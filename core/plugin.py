"""All that a dataset plugin imports: its base class, its options, its pairs and the rule that keeps splits apart.

A plugin is one Python file that ends with `PLUGIN = ItsClass`. It needs nothing but this module and the standard
library, and runs in a process of its own: it may be slow, print or fail without harm to the application. What it gives
is held against the types and ranges below, and `headlight plugins check FILE.py` says what to mend.
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
from core.text_form import AS_IT_COMES as AS_IT_COMES
from core.text_form import TextForm as TextForm
from core.text_form import UnicodeForm as UnicodeForm
from core.text_form import cut_columns as cut_columns

API_VERSION = 1
"""Grows when a plugin written for the former number would no longer run."""
ACCEPTED = "accepted"
"""The context in which options are validated that a run began with: `check` had its say then."""

MAX_DRAWS = 10_000
Split = Literal["train", "valid", "test"]
OptionsT = TypeVar("OptionsT", bound="Options")
T = TypeVar("T")


class Pair(NamedTuple):
    """One example: what the encoder reads and what the decoder is to write.

    Both are texts of at least one token and of at most 1,000,000 characters together, which their tokenizer gives back
    as they were: with "whitespace", single spaces between tokens and none around them. `alignment` lists (source token,
    target token) indices that belong together, each counted from 0 and below the number of tokens; None: not known.
    """

    source: str
    target: str
    alignment: Sequence[tuple[int, int]] | None = None


def _label_of(field: str, _: object) -> str:
    return field.replace("_", " ").capitalize()


class Options(BaseModel):
    """The settings of a plugin. Frozen; an unknown key or a value of another type is refused.

    Use `int`, `float`, `bool`, `str`, `Literal["one", "other"]`, `list[int]`, `list[str]`, `Folder` and `File` fields,
    each with a default from `option(...)`: other types have no field in the window's form, where a folder or file can
    be chosen. A rule between two options goes into `check`.
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
        """Raise ValueError with a sentence where two options do not go together.

        Asked as a run begins: one that began before it refused these goes on.
        """

    @model_validator(mode="after")
    def _check(self, info: ValidationInfo) -> Self:
        if info.context != ACCEPTED:
            self.check()
        return self


def option(default: T, *, ge: float | None = None, le: float | None = None, help: str = "", label: str = "") -> T:
    """Declare one option: its default, its range (`ge` to `le`, both allowed), its help and its label in the window.

    `ge` and `le` are for numbers; None is no bound. The label defaults to the field's name (`num_symbols`: "Num
    symbols"). A default outside its own range keeps the plugin from being loaded, with a sentence that names it.
    """
    field: Any = Field(default, ge=ge, le=le, description=help or None, title=label or None)
    declared: T = field  # pydantic reads the declaration where type checkers see the value
    return declared


class DatasetPlugin(ABC, Generic[OptionsT]):
    """A named source of (source text, target text) pairs. Subclass as `DatasetPlugin[YourOptions]`.

    The docstring's first line is shown below the title. What raises in a method is shown with its file and line, and
    so is where it was when it gave no answer for 30 seconds (pairs() for one pair). Only `name`, `title` and `pairs`
    are needed.
    """

    name: ClassVar[str]
    """In YAML and on disk: lower-case letters, digits and underscores."""
    title: ClassVar[str]
    """In the window."""
    tokenizer: ClassVar[str | tuple[str, str]] = "characters"
    """"characters", "whitespace", "subword", "subword_unigram", or a pair of them (source, target)."""
    endless: ClassVar[bool] = False
    """True when `pairs("train", ...)` never ends. It is then drawn in shards of 10,000, each with an rng of its own."""
    splits_overlap: ClassVar[bool] = False
    """True where a held-out source may be one of the train split on purpose: `plugins check` then says nothing."""
    api_version: ClassVar[int] = API_VERSION
    """The `API_VERSION` it was made for. Write the number down: a later Headlight then says what to change."""
    options_class: ClassVar[type[Options]] = Options
    has_begun: bool = False
    """True where a run that is there has its pairs drawn anew: `pairs` refuses nothing that it may have begun with."""

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

        `rng` is random.Random of (dataset.seed, split), and of the shard too where train is endless: draw from it
        only, never from the module `random`, the clock, `hash()` of a text or the order of a set. A split may not be
        empty; "valid" and "test" must end; a held-out source is none of the train split, see `split_of`.
        Raise ValueError with a sentence where these options allow no pairs, BadData where a file of the user's will
        not do.
        """

    def symbols(self) -> tuple[Sequence[str], Sequence[str]] | None:
        """All source and all target tokens of endless data; None: those of its first 10,000 pairs.

        Finite data are not asked. What is not listed is read as `<unk>`.
        """
        return None

    def limits(self) -> Mapping[str, float]:
        """The best value of a metric that anyone can reach, by the metric's name: `{"valid/loss": 0.537}`.

        Finite. The names are those of validations, which begin with `valid/`: valid/loss in nats a token,
        valid/token_accuracy, 0 to 1, ... What `metrics` returns as `letters_heard` is `valid/letters_heard` here, as in
        curves and in `training.best_metric`.
        """
        return {}

    def metrics(self, pairs: Sequence[Pair], hypotheses: Sequence[str]) -> Mapping[str, float]:
        """Figures of your own for each evaluation; `hypotheses[i]` is what the model wrote for `pairs[i].source`.

        Finite, the same names each time, none of Headlight's own (loss, bleu ...); `valid/` is put before each. Higher
        is better, but of names that end in loss, perplexity, error or error_rate. An untrained model writes anything:
        a hypothesis may be empty or far too long. Of what is not finite a run says so once, and goes on.
        """
        return {}

    def files(self) -> Sequence[str]:
        """Files of the user's that decide the pairs, all of them, where they decide them alone.

        While their sizes, times of change and inodes stay the same, the pairs are not drawn again.
        """
        return []

    def left_out(self, split: Split) -> int:
        """How many pairs of the split an option of its own has left out until now, to be told beside those too long.

        Asked of the object whose `pairs` are drawn; what counts is its answer once they are all drawn.
        """
        return 0

    def text_form(self) -> TextForm:
        """The form in which `pairs` gives its sources: what a person types is put into it before it is translated."""
        return AS_IT_COMES

    def examples(self) -> Sequence[str]:
        """Source texts to offer where a person can type one, of tokens that the train split has."""
        return []


def split_of(text: str) -> Split:
    """Return the split that `text` belongs to: 80 % train, 10 % valid, 10 % test.

    A hash of the text alone decides, so the answer is the same in every process, on every machine, for ever.
    """
    if not isinstance(text, str):
        raise TypeError(f"expected a text, whose split is asked for; given {text!r:.100}")
    bucket = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") % 10
    if bucket < 8:
        return "train"
    return "valid" if bucket == 8 else "test"


def draw_for(split: Split, draw: Callable[[], Pair]) -> Pair:
    """Call `draw` until the source of its pair belongs to `split`: no held-out text is ever trained on.

    Raises ValueError where 10,000 draws give none, 1 in 10 being expected to fit: the options leave the split empty.
    """
    for _ in range(MAX_DRAWS):
        pair = draw()
        if not isinstance(pair, Pair):
            raise TypeError(f"draw_for was given a function that returned {pair!r:.100}, expected Pair(source, target)")
        if split_of(pair.source) == split:
            return pair
    if not pair.source:
        raise ValueError(f"no source for a {split} split: the last one drawn is empty; give each at least one token")
    raise ValueError(f"too few different sources for a {split} split: widen the options they are drawn from")
