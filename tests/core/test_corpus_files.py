"""What files of a corpus are taken for, by their names."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from core.corpus_files import recognise_corpus
from core.errors import UserError

HERE = Path("/corpus")


def named(*names: str) -> dict[str, str]:
    """The options that are not empty, the folder aside."""
    options = recognise_corpus([HERE / name for name in names]).options
    return {key: value for key, value in options.items() if value and key != "folder"}


def test_two_files_are_source_and_target_in_their_order() -> None:
    corpus = recognise_corpus([HERE / "train.en", HERE / "train.de"])
    assert corpus.options["folder"] == "/corpus"
    assert named("train.en", "train.de") == {"train_source": "train.en", "train_target": "train.de"}
    assert named("b.txt", "a.txt") == {"train_source": "b.txt", "train_target": "a.txt"}
    assert corpus.sentence == (
        "train.en is the source and train.de the target. A tenth of the train pairs is set aside for validation, "
        "another for test. Change it below, under Dataset."
    )


def test_with_test_files_alone_pairs_are_set_aside_for_validation() -> None:
    sentence = recognise_corpus([HERE / name for name in ("train.en", "train.de", "test.en", "test.de")]).sentence
    assert "A tenth of the train pairs is set aside for validation. Change" in sentence


def test_names_that_say_the_side_decide_it() -> None:
    assert named("tgt-train.txt", "src-train.txt")["train_source"] == "src-train.txt"


def test_each_split_follows_the_sides_of_train() -> None:
    files = ("val.de.gz", "train.en.gz", "train.de.gz", "val.en.gz", "LICENSE")
    assert named(*files) == {
        "train_source": "train.en.gz",
        "train_target": "train.de.gz",
        "valid_source": "val.en.gz",
        "valid_target": "val.de.gz",
    }
    assert "Held out, valid: val.en.gz and val.de.gz." in recognise_corpus([HERE / name for name in files]).sentence


def test_the_last_word_of_a_name_says_the_side() -> None:
    files = ("train.en", "train.de", "val.de", "val.en", "test_2016_flickr.de", "test_2016_flickr.en")
    assert named(*files) == {
        "train_source": "train.en",
        "train_target": "train.de",
        "valid_source": "val.en",
        "valid_target": "val.de",
        "test_source": "test_2016_flickr.en",
        "test_target": "test_2016_flickr.de",
    }


def test_where_last_words_are_alike_the_whole_names_say_the_side() -> None:
    assert named("train.en.tok", "train.de.tok", "val.de.tok", "val.en.tok")["valid_source"] == "val.en.tok"


def test_a_table_holds_both_sides() -> None:
    assert named("german-train.tsv", "german-dev.tsv.gz") == {
        "train_source": "german-train.tsv",
        "valid_source": "german-dev.tsv.gz",
    }


def test_a_folder_gives_its_texts(tmp_path: Path) -> None:
    for name in ("train.de", "train.en", "README.md", ".hidden"):
        (tmp_path / name).touch()
    (tmp_path / "older").mkdir()
    options = recognise_corpus([tmp_path]).options
    assert (options["folder"], options["train_source"], options["train_target"]) == (
        str(tmp_path),
        "train.de",
        "train.en",
    )


def test_files_of_two_folders_are_named_in_full() -> None:
    assert named("en/train.txt", "de/train.txt") == {
        "train_source": "train.txt",
        "train_target": "/corpus/de/train.txt",
    }


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["train.en"], "train.en has no partner"),
        (["val.en", "val.de"], "no name holds the word train"),
        (["train.en", "train.de", "train.fr"], "The train split has 3 files: train.en, train.de, train.fr."),
        (["train.en", "train.de", "val.en", "val.fr"], "The valid files are not named as the train files are"),
        (["train.tsv", "train.de"], "a table and other files"),
    ],
)
def test_what_does_not_fit_is_said(names: Sequence[str], words: str) -> None:
    with pytest.raises(UserError, match=words):
        named(*names)


def test_a_folder_that_may_not_be_read_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(path: Path) -> Iterator[Path]:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(Path, "iterdir", forbidden)
    with pytest.raises(UserError, match=r"cannot be read: Permission denied.*Make it readable"):
        recognise_corpus([tmp_path])


def test_a_folder_without_texts_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no text file"):
        recognise_corpus([tmp_path])
    with pytest.raises(UserError, match="A folder and other things"):
        recognise_corpus([tmp_path, HERE / "train.en"])
