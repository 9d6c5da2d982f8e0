"""How the files of a corpus are recognised by their names."""

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
    """The non-empty options for these file names, without the folder."""
    options = recognise_corpus([HERE / name for name in names]).options
    return {key: value for key, value in options.items() if value and key != "folder"}


def test_two_files_are_source_and_target_in_the_given_order() -> None:
    corpus = recognise_corpus([HERE / "train.en", HERE / "train.de"])
    assert corpus.options["folder"] == "/corpus"
    assert named("train.en", "train.de") == {"train_source": "train.en", "train_target": "train.de"}
    assert named("b.txt", "a.txt") == {"train_source": "b.txt", "train_target": "a.txt"}
    assert corpus.sentence == (
        "train.en is the source and train.de the target. A tenth of the train pairs is set aside for validation, "
        "another for test. Change it below, under Dataset."
    )


def test_two_texts_are_a_pair_though_only_one_names_a_split() -> None:
    assert named("train.en", "german.txt") == {"train_source": "train.en", "train_target": "german.txt"}
    assert named("german.txt", "dev.en") == {"train_source": "german.txt", "train_target": "dev.en"}
    assert named("notes.txt", "train.tsv") == {"train_source": "train.tsv"}


def test_without_validation_files_pairs_are_set_aside_for_validation() -> None:
    sentence = recognise_corpus([HERE / name for name in ("train.en", "train.de", "test.en", "test.de")]).sentence
    assert "A tenth of the train pairs is set aside for validation. Change" in sentence


def test_files_that_are_not_used_are_named() -> None:
    held_out = "Held out, valid: dev.en and dev.de. Not used, as they name no split: "
    for others, names in ((["news16.en", "news16.de"], "news16.en, news16.de"), (list("abcde"), "a, b, c and 2 more")):
        paths = [HERE / name for name in ("train.en", "train.de", "dev.en", "dev.de", *others)]
        assert recognise_corpus(paths).sentence.endswith(f" {held_out}{names}. Change it below, under Dataset.")


def test_a_file_name_that_contains_the_side_decides_it() -> None:
    for dropped in (
        ("tgt-train.txt", "src-train.txt"),
        ("europarl.tgt", "europarl.src"),
        ("tgt-news.v2", "src-news.v2"),
    ):
        assert named(*dropped)["train_source"] == dropped[1]


def test_every_split_has_the_sides_of_the_train_files() -> None:
    files = ("val.de.gz", "train.en.gz", "train.de.gz", "val.en.gz", "LICENSE")
    assert named(*files) == {
        "train_source": "train.en.gz",
        "train_target": "train.de.gz",
        "valid_source": "val.en.gz",
        "valid_target": "val.de.gz",
    }
    assert "Held out, valid: val.en.gz and val.de.gz." in recognise_corpus([HERE / name for name in files]).sentence


def test_the_last_word_of_a_file_name_decides_the_side() -> None:
    files = ("train.en", "train.de", "val.de", "val.en", "test_2016_flickr.de", "test_2016_flickr.en")
    assert named(*files) == {
        "train_source": "train.en",
        "train_target": "train.de",
        "valid_source": "val.en",
        "valid_target": "val.de",
        "test_source": "test_2016_flickr.en",
        "test_target": "test_2016_flickr.de",
    }


def test_whole_names_decide_the_side_if_their_last_words_are_equal() -> None:
    assert named("train.en.tok", "train.de.tok", "val.de.tok", "val.en.tok")["valid_source"] == "val.en.tok"


def test_a_table_holds_both_sides() -> None:
    assert named("german-train.tsv", "german-dev.tsv.gz") == {
        "train_source": "german-train.tsv",
        "valid_source": "german-dev.tsv.gz",
    }
    assert named("Train.TSV.GZ") == {"train_source": "Train.TSV.GZ"}


def test_the_text_files_of_a_folder_are_used(tmp_path: Path) -> None:
    for name in ("train.de", "train.en", "README.md", ".hidden"):
        (tmp_path / name).touch()
    (tmp_path / "older").mkdir()
    options = recognise_corpus([tmp_path]).options
    assert (options["folder"], options["train_source"], options["train_target"]) == (
        str(tmp_path),
        "train.de",
        "train.en",
    )


def test_files_of_different_folders_have_full_paths() -> None:
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
def test_files_that_do_not_match_are_refused(names: Sequence[str], words: str) -> None:
    with pytest.raises(UserError, match=words):
        named(*names)


def test_an_unreadable_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(path: Path) -> Iterator[Path]:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(Path, "iterdir", forbidden)
    with pytest.raises(UserError, match=r"cannot be read: Permission denied.*Make it readable"):
        recognise_corpus([tmp_path])


def test_a_folder_without_text_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no text file"):
        recognise_corpus([tmp_path])
    with pytest.raises(UserError, match="A folder and other things"):
        recognise_corpus([tmp_path, HERE / "train.en"])
