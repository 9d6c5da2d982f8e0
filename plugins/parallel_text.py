"""Parallel text: pairs from files of your own.

Either two files for each split, line by line (line 7 of one is the translation of line 7 of the other), or one file
with columns separated by tabs. UTF-8, plain or compressed by gzip. Runs of white space become one space.
To translate, give the source columns as they are in the file, separated by tabs (pasted, in a file, or on the command
line), or as they look once cut.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator
from itertools import chain, zip_longest
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from core.plugin import (
    AS_IT_COMES,
    PAIR_CHARACTERS,
    BadData,
    DatasetPlugin,
    File,
    Folder,
    Options,
    Pair,
    Split,
    TextForm,
    UnicodeForm,
    cut_columns,
    option,
    read_lines,
    split_of,
)

# Soft hyphen, spaces and joiners of no width, and marks of direction.
_INVISIBLE = " \u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u061c"

_NAMED_CUTS = ("words", "characters")


class ParallelTextOptions(Options):
    folder: Folder = option(".", help="Folder of the files; . is the folder in which Headlight was started.")
    train_source: File = option("", help="File of source texts, one per line; without a target file, of columns.")
    train_target: File = option("", help="File of target texts. Empty: the source file holds both, in columns.")
    valid_source: File = option("", help="File of held-out source texts. Empty: a tenth of the train pairs.")
    valid_target: File = option("", help="As for train.")
    test_source: File = option("", help="As for valid. Empty: the valid files again, or without them a tenth of train.")
    test_target: File = option("", help="As for train.")
    source: list[int] | int = option([1], help="Source columns in a file with tabs, counted from 1.")
    target: list[int] | int = option([2], help="Target columns in a file with tabs, counted from 1.")
    source_cut: list[str] = option(
        [], help="How each source column is cut: words, characters, or the separator of its tokens. Empty: words."
    )
    target_cut: list[str] = option(
        [],
        help="How each target column is cut. Outputs keep the spaces between tokens; for words spelled letter by "
        "letter, leave it empty and set the target tokenizer to characters.",
    )
    lowercase: bool = option(
        False,
        help="Lower-case all texts, including the references: BLEU is then lower-cased, though its signature says "
        "case:mixed.",
    )
    normalisation: UnicodeForm = option(
        "none", help="Unicode normalisation. NFC: one character for ü. NFKC: also one width for all letters."
    )
    max_length: int = option(0, ge=0, help="Leave out train pairs with more words on either side. 0: no limit.")
    empty_lines: Literal["refuse", "leave_out"] = option("refuse", help="What to do with a pair that lacks a side.")

    def check(self) -> None:
        self._check_that_columns_are_read()
        self._check_columns()

    def _check_that_columns_are_read(self) -> None:
        """Refuse column options unless some split has a source file without a target file."""
        files = [(getattr(self, f"{split}_source"), getattr(self, f"{split}_target")) for split in get_args(Split)]
        if not self.train_source or not all(target for source, target in files if source):
            return
        for name, given, unset in (
            ("source", _as_list(self.source), [1]),
            ("target", _as_list(self.target), [2]),
            ("source_cut", self.source_cut, []),
            ("target_cut", self.target_cut, []),
        ):
            if given != unset:
                raise ValueError(f"{name}: texts in two files have no columns: expected {unset}, given {given}")

    def _check_columns(self) -> None:
        for side, columns, cuts in (
            ("source", _as_list(self.source), self.source_cut),
            ("target", _as_list(self.target), self.target_cut),
        ):
            if not columns or min(columns) < 1:
                raise ValueError(f"{side}: expected columns counted from 1, given {columns}")
            if cuts and (len(cuts) != len(columns) or not all(cuts)):
                raise ValueError(f"{side}_cut: expected one for each of the columns {columns}, given {cuts}")
            if unknown := [cut for cut in cuts if cut not in _NAMED_CUTS and cut.isalpha()]:  # a slip, and no sign
                raise ValueError(
                    f"{side}_cut: expected {', '.join(_NAMED_CUTS)} or a separator of tokens that is not "
                    f"made of letters, given {unknown[0]!r}"
                )
        source, target = _source_columns(self), _target_columns(self)
        for side, named in (("source", source), ("target", target)):
            if len(set(named.cut)) < len(named.cut):
                raise ValueError(f"{side}: expected each column once, or cut in different ways, given {named.numbers}")
        if set(target.cut) <= set(source.cut):
            raise ValueError(
                f"target: expected other columns than the source's {source.numbers}, given {target.numbers}"
            )


class Files(NamedTuple):
    """The files of a split: two, or a single one with columns."""

    source: Path
    target: Path | None


class ParallelText(DatasetPlugin[ParallelTextOptions]):
    """Pairs from text files of your own: two files with one text per line, or one with columns separated by tabs."""

    name = "parallel_text"
    title = "Parallel text"
    tokenizer = "whitespace"
    splits_overlap = True  # the author of the corpus decides
    _num_left_out = 0

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        self._require_files()
        pairs = self._pairs(split)
        first = next(pairs, None)
        if first is None:
            raise self._no_pairs_left(split)
        yield first
        yield from pairs

    def left_out(self, split: Split) -> int:
        return self._num_left_out

    def files(self) -> list[str]:
        if not self.options.train_source:
            return []
        named = (path for split in get_args(Split) for path in self._own_files(split) or ())
        return [str(path) for path in named if path is not None]

    def text_form(self) -> TextForm:
        cuts = () if self.options.train_target else tuple(_source_columns(self.options).cuts)
        return TextForm(self.options.lowercase, self.options.normalisation, cuts, single_spaces=True)

    def _pairs(self, split: Split) -> Iterator[Pair]:
        pairs = self._read(self._files(split))
        set_aside = self._splits_from_train()
        if set_aside and (split == "train" or split in set_aside):
            pairs = (pair for pair in pairs if _split_of_pair(pair, set_aside) == split)
        return self._of_allowed_length(pairs, self.options.max_length if split == "train" else 0)

    def _of_allowed_length(self, pairs: Iterator[Pair], longest: int) -> Iterator[Pair]:
        """Pairs with both sides of at most `longest` words each (0: any length); all others are counted as left out."""
        for pair in pairs:
            is_whole = pair.source and pair.target
            if is_whole and (not longest or max(text.count(" ") + 1 for text in pair[:2]) <= longest):
                yield pair
            else:
                self._num_left_out += 1

    def _no_pairs_left(self, split: Split) -> BadData:
        """Name the option that left out every pair; if none did, the files are too small to set a tenth aside."""
        files, longest = self._files(split), self.options.max_length
        if next(self._of_allowed_length(self._read(files), longest=0), None) is None:
            named = " and ".join(str(path) for path in files if path is not None)
            return BadData(
                f"dataset.options.empty_lines: leave_out leaves out all of {named}: no line has both a source and a "
                "target. Name other files or columns."
            )
        if next(ParallelText(self.options.model_copy(update={"max_length": 0}))._pairs(split), None) is not None:
            return BadData(
                f"dataset.options.max_length: {longest:,} leaves out every pair of the train split: raise it."
            )
        return BadData(
            f"dataset.options.valid_source: {files.source} has too few different sources to take a {split} split from "
            "them: name a file of held-out ones here, or larger files to train on."
        )

    def _splits_from_train(self) -> set[Split]:
        """The splits that are taken from the train files."""
        if self._own_files("valid"):
            return set()
        return {"valid"} if self._own_files("test") else {"valid", "test"}

    def _own_files(self, split: Split) -> Files | None:
        source, target = (getattr(self.options, f"{split}_{side}") for side in ("source", "target"))
        if target and not source:
            raise BadData(f"dataset.options.{split}_source: name the file of {target}'s source texts.")
        if not source and split == "train":
            raise BadData("dataset.options.train_source: name a file of source texts, and one of target texts.")
        folder = Path(self.options.folder)
        return Files(folder / source, folder / target if target else None) if source else None

    def _files(self, split: Split) -> Files:
        """The files that the split is taken from."""
        files = self._own_files(split) or self._own_files("valid") or self._own_files("train")
        assert files is not None  # without train files, _own_files raises
        return files

    def _require_files(self) -> None:
        """Raise BadData for a file that cannot be found, or that two options name."""
        known: dict[tuple[int, int], str] = {}
        for split in get_args(Split):
            for side, path in zip(("source", "target"), self._own_files(split) or (), strict=False):
                if path is None:
                    continue
                name = f"{split}_{side}"
                found = self._found(name, path)
                if (file_id := (found.st_dev, found.st_ino)) in known:  # symbolic and hard links give the same
                    raise BadData(f"dataset.options.{name}: {path} is {known[file_id]} already. Name another file.")
                known[file_id] = name

    def _found(self, name: str, path: Path) -> os.stat_result:
        """The metadata of the file that this option names. Raises BadData if it is missing or cannot be reached."""
        try:
            return path.stat()
        except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: a NUL byte in its name
            leads = f", to which {path} is a link" if path.is_symlink() else ""
            missing = path.readlink() if leads else path
            raise BadData(f"dataset.options.{name}: there is no {missing}{leads}. {self._advice(name)}") from None
        except OSError as error:  # a folder that may not be searched, links in a circle, a name that is too long
            raise BadData(
                f"dataset.options.{name}: {path} cannot be read: {error.strerror}. Make it readable, or name another."
            ) from None

    def _advice(self, name: str) -> str:
        """What to do about an option whose file does not exist."""
        if Path(getattr(self.options, name)).is_absolute():
            return "Name the file where it is."
        if name != "train_source" and not Path(self.options.train_source).is_absolute():  # which is in the folder
            return "Name a file of that folder, or another by its full path."
        if Path(self.options.folder) == Path.cwd():
            return (
                "It was looked for where Headlight was started: set dataset.options.folder to where the files are "
                "(of a preset, `presets show` says which they are)."
            )
        return "Set dataset.options.folder to where the files are."

    # -- reading -----------------------------------------------------------------------------------------------------

    def _read(self, files: Files) -> Iterator[Pair]:
        """All pairs; those to leave out have an empty side."""
        if files.target is None:
            rows = self._columns(files.source)
        else:
            rows = _side_by_side(self._texts(files.source), self._texts(files.target), files)
        leaves_out = self.options.empty_lines == "leave_out"
        for number, (source, target) in enumerate(rows, start=1):
            seen_source, seen_target = source.strip(_INVISIBLE), target.strip(_INVISIBLE)
            if seen_source and seen_target:
                if (length := len(source) + len(target)) > PAIR_CHARACTERS and not self.has_begun:
                    raise BadData(
                        f"{files.source}, line {number:,} has, with its target, {length:,} characters once it is "
                        f"normalised and cut: more than {PAIR_CHARACTERS:,}. Is a line break missing there?"
                    )
                yield Pair(source, target)
            elif leaves_out:
                yield Pair(seen_source, seen_target)
            else:
                path = files.target if seen_source and files.target else files.source
                raise BadData(
                    f"{path}, line {number:,} has no {'target' if seen_source else 'source'}: "
                    "write it, or set dataset.options.empty_lines: leave_out."
                )

    def _texts(self, path: Path) -> Iterator[str]:
        return (" ".join(line.split()) for line in self._lines(path))

    def _lines(self, path: Path) -> Iterator[str]:
        form = _line_form(self.options)
        return read_lines(path) if form == AS_IT_COMES else map(form.normalise, read_lines(path))

    def _columns(self, path: Path) -> Iterator[tuple[str, str]]:
        source = _source_columns(self.options)
        target = _target_columns(self.options)
        wanted = max(source.numbers + target.numbers)
        named = [*source.separators("source_cut"), *target.separators("target_cut")]
        unseen = [] if self.has_begun else named  # earlier versions accepted any separator
        for number, line in enumerate(self._lines(path), start=1):
            fields = line.split("\t") if line.strip() else [""] * wanted
            if len(fields) < wanted:
                raise BadData(
                    f"{path}, line {number:,} has {len(fields)} of {wanted} columns between tabs: fix it, "
                    f"or name the columns in dataset.options.source and target{self._or_a_target_file(path, fields)}."
                )
            yield source.text(fields), target.text(fields)
            unseen = [one for one in unseen if one.sign not in fields[one.column - 1]]
        if unseen and path == self._files("train").source:  # a small held-out file may have none
            named_by, column, sign = unseen[0]
            raise BadData(
                f"dataset.options.{named_by}: {sign!r} cuts nothing, since column {column} of {path} has it in no "
                "line: name what is between its tokens, or words."
            )

    def _or_a_target_file(self, path: Path, fields: list[str]) -> str:
        """The remedy for a line without any tab: the option for the targets of this file may have been forgotten."""
        named = {files.source: split for split in get_args(Split) if (files := self._own_files(split))}
        return f", or a file of its targets in dataset.options.{named[path]}_target" if len(fields) == 1 else ""


class _Separator(NamedTuple):
    """The sign between the tokens of a column, and the name of the option that gives it."""

    named_by: str
    column: int
    sign: str


class _Columns(NamedTuple):
    """The columns of one side, each cut into tokens in its own way."""

    numbers: list[int]
    cuts: list[str]

    @property
    def cut(self) -> list[tuple[int, str]]:
        """Each column with its cut."""
        return list(zip(self.numbers, self.cuts, strict=True))

    def text(self, fields: list[str]) -> str:
        """The tokens of all columns, separated by spaces."""
        return cut_columns([fields[number - 1] for number in self.numbers], self.cuts)

    def separators(self, named_by: str) -> Iterator[_Separator]:
        """The separators among the cuts of the option with this name."""
        for number, cut in self.cut:
            if cut not in _NAMED_CUTS:
                yield _Separator(named_by, number, cut)


def _source_columns(options: ParallelTextOptions) -> _Columns:
    return _columns_of(options.source, options.source_cut, options)


def _target_columns(options: ParallelTextOptions) -> _Columns:
    return _columns_of(options.target, options.target_cut, options)


def _columns_of(named: list[int] | int, cuts: list[str], options: ParallelTextOptions) -> _Columns:
    """Separators get the form of the lines that they cut."""
    numbers, form = _as_list(named), _line_form(options)
    return _Columns(numbers, list(map(form.normalise, cuts)) or ["words"] * len(numbers))


def _line_form(options: ParallelTextOptions) -> TextForm:
    """The form of a file's lines before columns and words are told apart."""
    return TextForm(options.lowercase, options.normalisation)


def _side_by_side(sources: Iterator[str], targets: Iterator[str], files: Files) -> Iterator[tuple[str, str]]:
    """Yield the lines of two files in pairs. Raises BadData if one file has more lines, saying how many."""
    for number, (source, target) in enumerate(zip_longest(sources, targets), start=1):
        if source is None or target is None:
            longer, rest = (files.source, sources) if target is None else (files.target, targets)
            texts = Counter(map(bool, chain([source or target], rest)))  # True: a line with text
            shorter = files.target if target is None else files.source
            parted = "Each line needs its partner: find where they part."
            at_end = f"Remove the empty lines at the end of {longer}."
            raise BadData(
                f"{longer} has {number - 1 + texts.total():,} lines and {shorter} {number - 1:,}: "
                f"{texts.total():,} more. {parted if texts[True] else at_end}"
            )
        yield source, target


def _split_of_pair(pair: Pair, set_aside: set[Split]) -> Split:
    split = split_of(pair.source)
    return split if split in set_aside else "train"


def _as_list(columns: list[int] | int) -> list[int]:
    return [columns] if isinstance(columns, int) else columns


PLUGIN = ParallelText
