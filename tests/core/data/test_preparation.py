"""Drawing and tokenising a dataset once."""

from pathlib import Path

import pytest

from core.config import DatasetConfig
from core.data.preparation import prepare_data
from core.errors import UserError
from core.plugins_host.host import PluginHost
from tests.core.data.conftest import Prepare, drive


def test_the_vocabulary_is_of_the_train_split_only(prepare: Prepare) -> None:
    data = prepare()
    assert set(data.src_vocabulary.tokens[4:]) == {"a", "b", "c", "é"}
    assert data.encode_source("a never é") == ([*data.src_vocabulary.ids(["a", "never", "é"]), 2], ["never"])


def test_pairs_keep_their_texts_and_alignments(prepare: Prepare, host: PluginHost) -> None:
    data = prepare()
    drawn = [pair for chunk in host.pairs("words", dict(data.dataset.options), 0, "valid") for pair in chunk]
    assert [data.pair("valid", index) for index in range(len(drawn))] == drawn
    valid = data.split("valid")
    for index, pair in enumerate(drawn):
        expected = data.tgt_vocabulary.ids(pair.target.split())
        assert valid.tgt[index].tolist() == [1, *expected, 2]


def test_the_same_content_is_found_again(prepare: Prepare, tmp_path: Path) -> None:
    first = prepare()
    stamp = (first.folder / "data.json").stat().st_mtime_ns
    again = prepare()
    assert again.folder == first.folder
    assert (again.folder / "data.json").stat().st_mtime_ns == stamp
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [first.fingerprint]


@pytest.mark.parametrize(
    "other",
    [
        {"seed": 1},
        {"options": {"count": 41}},
        {"tokenizer": {"src": "characters"}},
        {"tokenizer": {"min_frequency": 2}},
    ],
)
def test_other_settings_are_other_content(prepare: Prepare, other: dict[str, object]) -> None:
    assert prepare(**other).fingerprint != prepare().fingerprint


def test_the_settings_that_a_run_keeps_find_the_same_data_again(prepare: Prepare) -> None:
    first = prepare(max_src_length=4)
    kept = first.dataset.model_dump()
    again = prepare(kept.pop("plugin"), **kept)
    assert again.dataset == first.dataset
    assert (again.fingerprint, again.num_pairs, again.left_out) == (first.fingerprint, first.num_pairs, first.left_out)
    assert first.fingerprint == prepare().fingerprint, "the lengths only choose from what was prepared"


def test_what_is_stopped_half_way_leaves_nothing(host: PluginHost, tmp_path: Path) -> None:
    work = prepare_data(DatasetConfig(plugin="words"), host, tmp_path / "cache")
    next(work)
    work.close()
    assert list((tmp_path / "cache").iterdir()) == []


def test_longer_pairs_are_left_out_and_counted(prepare: Prepare) -> None:
    data, whole = prepare(max_src_length=4), prepare()
    short = [index for index in range(40) if len(whole.pair("train", index).source.split()) < 4]
    assert data.left_out["train"] == 40 - len(short)
    assert data.num_pairs["train"] == len(short)
    assert [data.pair("train", at) for at in range(len(short))] == [whole.pair("train", at) for at in short]


def test_all_pairs_too_long_is_said(prepare: Prepare) -> None:
    with pytest.raises(UserError, match=r"Every pair of the train split is longer than dataset\.max_src_length = 1"):
        prepare(max_src_length=1)


def test_one_example_is_enough(prepare: Prepare) -> None:
    assert prepare(options={"count": 1}).num_pairs["train"] == 1


def test_endless_data_knows_its_symbols_and_has_no_end(prepare: Prepare) -> None:
    data = prepare("copy_task", options={"num_symbols": 3, "min_length": 4, "max_length": 6})
    assert data.endless
    assert data.num_pairs["train"] is None
    assert data.src_vocabulary.tokens[4:] == ("1", "2", "3")
    assert data.max_tgt_length == 7


def test_a_shared_vocabulary_is_one(prepare: Prepare) -> None:
    data = prepare(tokenizer={"shared": True})
    assert data.src_vocabulary.tokens == data.tgt_vocabulary.tokens


def test_rare_tokens_become_unknown(prepare: Prepare) -> None:
    assert len(prepare(tokenizer={"min_frequency": 10_000}).src_vocabulary) == 4


def test_a_plugin_that_is_missing_is_named(host: PluginHost, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no dataset plugin 'nowhere'"):
        drive(prepare_data(DatasetConfig(plugin="nowhere"), host, tmp_path))


def test_a_run_folder_alone_can_translate(prepare: Prepare) -> None:
    data = prepare()
    alone = type(data).from_document(data.vocabulary_document())
    assert alone.encode_source("a b zebra") == data.encode_source("a b zebra")
    assert alone.decode_target([1, 4, 5, 2, 0]) == data.decode_target([4, 5])
    with pytest.raises(UserError, match="not at hand"):
        alone.split("valid")


def test_a_damaged_vocabulary_is_said(prepare: Prepare) -> None:
    document = prepare().vocabulary_document()
    del document["src_tokens"]
    with pytest.raises(UserError, match="src_tokens"):
        type(prepare()).from_document(document)
