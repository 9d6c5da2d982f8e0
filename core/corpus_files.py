"""Recognises the files of a parallel corpus by their names, and makes options of the dataset `parallel_text`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.at_path import is_dir, is_file
from core.data.splits import SPLITS
from core.errors import UserError

PLUGIN = "parallel_text"
_FILE_OPTIONS = ("folder", *(f"{split}_{side}" for split in SPLITS for side in ("source", "target")))
_SPLIT_NAMES = {
    "train": ("train", "training"),
    "valid": ("valid", "validation", "val", "dev"),
    "test": ("test",),
}
_SIDES = {"src": 0, "source": 0, "tgt": 1, "trg": 1, "target": 1}
_TABLES = (".tsv", ".tab")
_IGNORED_PREFIXES = ("readme", "license", "licence", ".")
_MAX_NAMED = 3
_ADVICE = "Drop two text files, the source first, or the files of each split, or one .tsv a split."


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """Options of `parallel_text`, and a sentence that says how the files were understood."""

    options: dict[str, str]
    sentence: str


@dataclass(frozen=True)
class _CorpusFile:
    """A file and what its name says."""

    path: Path
    split: str  # "" if the name has none
    side: str  # the rest of the name: "en", "src", "europarl.de"

    @property
    def place(self) -> int:
        """1 if a word of the name says that it is the target, otherwise 0."""
        return next((_SIDES[word] for word in self.side.split(".") if word in _SIDES), 0)

    @property
    def is_table(self) -> bool:
        name = self.path.name.lower().removesuffix(".gz")
        return name.endswith(_TABLES)


def recognise_corpus(paths: Sequence[Path]) -> Corpus:
    """Recognise two files, two for each split, a folder of them, or tables.

    The source is the side whose file is named first, in a folder the first by alphabet, unless the names say src and
    tgt. Lists folders, but never reads the files. Raises UserError if there are too few or too many files.
    """
    files = [_parse_name(path) for path in _files(paths)]
    splits = {"train": files} if len(paths) == 2 and _are_pair(files) else _by_split(files)
    train = splits["train"] = sorted(splits["train"], key=lambda file: file.place)
    _require_pair("train", train)
    for split in ("valid", "test"):
        if split in splits:
            _require_pair(split, splits[split])
            splits[split] = _in_the_order_of(train, splits[split], split)
    used = [file for split in splits.values() for file in split]
    return Corpus(options=_options(splits), sentence=_sentence(splits, [file for file in files if file not in used]))


def other_side(option: str) -> str:
    """The option that names the file beside this one: `valid_target` for `valid_source`. Empty for other options."""
    split, _, side = option.rpartition("_")
    sides = {"source": "target", "target": "source"}
    return f"{split}_{sides[side]}" if split in SPLITS and side in sides else ""


def _files(paths: Sequence[Path]) -> list[Path]:
    if not any(is_dir(path) for path in paths):
        return list(paths)
    if len(paths) > 1:
        raise UserError("A folder and other things were dropped together.", "Drop one folder, or files alone.")
    try:
        inside = [path for path in sorted(paths[0].iterdir()) if is_file(path)]
    except OSError as error:
        raise UserError(
            f"{paths[0]} cannot be read: {error.strerror}.", "Make it readable, or choose another."
        ) from None
    files = [path for path in inside if not path.name.lower().startswith(_IGNORED_PREFIXES)]
    if not files:
        raise UserError(f"{paths[0]} holds no text file.", _ADVICE)
    return files


def _parse_name(path: Path) -> _CorpusFile:
    words = re.split(r"[._-]+", path.name.lower().removesuffix(".gz"))
    split = next((split for split, names in _SPLIT_NAMES.items() for word in words if word in names), "")
    rest = [word for word in words if word not in (*_SPLIT_NAMES.get(split, ()), "txt")]
    return _CorpusFile(path, split, ".".join(rest))


def _are_pair(files: Sequence[_CorpusFile]) -> bool:
    """Whether these two are texts of which at most one names a split, which says nothing about the other."""
    return not any(file.is_table for file in files) and not all(file.split for file in files)


def _by_split(files: Iterable[_CorpusFile]) -> dict[str, list[_CorpusFile]]:
    """Group files by split. Files that name no split are train files if no others are, otherwise ignored."""
    splits: dict[str, list[_CorpusFile]] = {}
    for file in files:
        splits.setdefault(file.split, []).append(file)
    unnamed = splits.pop("", [])
    if "train" not in splits:
        splits["train"] = unnamed
    return splits


def _require_pair(split: str, files: Sequence[_CorpusFile]) -> None:
    """Raise UserError unless the files are two texts or one table."""
    tables = [file for file in files if file.is_table]
    names = ", ".join(file.path.name for file in files)
    if not files:
        raise UserError("None of these files is for training: no name holds the word train.", _ADVICE)
    if tables and len(files) > 1:
        raise UserError(f"The {split} split has a table and other files: {names}.", "Drop one .tsv a split, or texts.")
    if not tables and len(files) == 1:
        raise UserError(f"{names} has no partner: its translations are missing.", _ADVICE)
    if len(files) > 2:
        raise UserError(f"The {split} split has {len(files)} files: {names}.", f"Drop the two you mean. {_ADVICE}")


def _in_the_order_of(train: Sequence[_CorpusFile], files: Sequence[_CorpusFile], split: str) -> list[_CorpusFile]:
    train_sides, sides = _sides(train), _sides(files)
    if sorted(train_sides) != sorted(sides):
        names = " and ".join(file.path.name for file in (*train, *files))
        raise UserError(f"The {split} files are not named as the train files are: {names}.", "Name them alike.")
    return [file for _, file in sorted(zip(sides, files, strict=True), key=lambda named: train_sides.index(named[0]))]


def _sides(files: Sequence[_CorpusFile]) -> list[str]:
    """The last words of the files' `side` if they differ, otherwise all of it: test_2016_flickr.en matches train.en."""
    last = [file.side.rpartition(".")[2] for file in files]
    return last if len(set(last)) == len(last) else [file.side for file in files]


def _options(splits: dict[str, list[_CorpusFile]]) -> dict[str, str]:
    """Every option that names a file, unused ones empty. Files in the folder of the train source go by their names."""
    folder = splits["train"][0].path.parent
    options = dict.fromkeys(_FILE_OPTIONS, "") | {"folder": str(folder)}
    for split, files in splits.items():
        for side, file in zip(("source", "target"), files, strict=False):
            options[f"{split}_{side}"] = file.path.name if file.path.parent == folder else str(file.path)
    return options


def _sentence(splits: dict[str, list[_CorpusFile]], unused: Sequence[_CorpusFile]) -> str:
    train = [file.path.name for file in splits["train"]]
    if len(train) == 2:
        learned = f"{train[0]} is the source and {train[1]} the target."
    else:
        learned = f"{train[0]} is a table: column 1 is the source and column 2 the target."
    others = [
        f"{split}: {' and '.join(file.path.name for file in splits[split])}"
        for split in ("valid", "test")
        if split in splits
    ]
    held_out = f" Held out, {'; '.join(others)}." if others else ""
    return f"{learned}{held_out}{_set_aside(splits)}{_left_over(unused)} Change it below, under Dataset."


def _left_over(unused: Sequence[_CorpusFile]) -> str:
    """Names the first files that were ignored, say test sets called news16: somebody may count on them."""
    names = [file.path.name for file in unused[:_MAX_NAMED]]
    more = f" and {len(unused) - len(names)} more" if len(unused) > len(names) else ""
    return f" Not used, as they name no split: {', '.join(names)}{more}." if unused else ""


def _set_aside(splits: Mapping[str, object]) -> str:
    """Which splits parallel_text takes out of the train pairs, for lack of their own files."""
    if "valid" in splits:
        return ""
    if "test" in splits:
        return " A tenth of the train pairs is set aside for validation."
    return " A tenth of the train pairs is set aside for validation, another for test."
