"""Converting texts to ids and back, with prepared pairs or only a run's vocabulary."""

import json
from pathlib import Path

import pytest

from core.config import DatasetConfig
from core.data.preparation import prepare_data
from core.data.prepared_data import DOCUMENT, PreparedData
from core.errors import UserError
from core.generators import run_to_end
from core.plugins_host.host import PluginHost
from core.run_files.documents import checksum
from tests.core.data.conftest import Prepare, folder_of


def test_unknown_tokens_are_returned_in_order(prepare: Prepare) -> None:
    ids, unknown = prepare().encode_source("zebra a <pad> ox a zebra")
    assert [id == 3 for id in ids] == [True, False, True, True, False, True, False]
    assert unknown == ["zebra", "<pad>", "ox", "zebra"]


def test_an_empty_text_is_only_eos(prepare: Prepare) -> None:
    assert prepare().encode_source("  ") == ([2], [])
    assert prepare(tokenizer={"src": "characters"}).encode_source("") == ([2], [])


def test_a_target_is_joined_without_the_special_tokens(prepare: Prepare) -> None:
    data = prepare(tokenizer={"src": "whitespace", "tgt": "characters"})
    ids = data.tgt_vocabulary.ids("a b  c")
    assert data.decode_target([1, *ids, 2, 0, 0]) == "a b  c"
    assert data.decode_target([2]) == ""
    assert data.decode_target([3]) == "<unk>"


def test_a_runs_vocabulary_is_enough_to_translate(prepare: Prepare) -> None:
    data = prepare()
    restored = PreparedData.from_document(json.loads(json.dumps(data.vocabulary_document())), {})
    assert restored.encode_source("a b zebra") == data.encode_source("a b zebra")
    assert restored.decode_target([1, 4, 5, 2, 0]) == data.decode_target([4, 5])
    assert restored.vocabulary_document() == data.vocabulary_document()
    with pytest.raises(UserError, match="not available"):
        restored.split("valid")
    with pytest.raises(UserError, match="not available"):
        restored.pair("valid", 0)


def test_a_damaged_vocabulary_is_refused(prepare: Prepare) -> None:
    document = prepare().vocabulary_document()
    del document["src_tokens"]
    with pytest.raises(UserError, match="src_tokens"):
        PreparedData.from_document(document, {})


def test_a_typed_text_is_normalised_like_the_corpus(host: PluginHost, tmp_path: Path) -> None:
    (tmp_path / "train.en").write_text("\n".join(["Two BIG dogs", "an Ünder cat"] * 20), encoding="utf-8")
    (tmp_path / "train.de").write_text("x\n" * 40, encoding="utf-8")
    files = {"folder": str(tmp_path), "train_source": "train.en", "train_target": "train.de"}
    for name in ("valid.en", "valid.de"):
        (tmp_path / name).write_text("Two\n", encoding="utf-8")
    files |= {"valid_source": "valid.en", "valid_target": "valid.de"}
    options = files | {"lowercase": True, "normalisation": "NFC"}
    dataset = DatasetConfig(plugin="parallel_text", options=options)
    data = run_to_end(prepare_data(dataset, host, tmp_path / "cache"))
    ids, unknown = data.encode_source("two big ünder")
    assert not unknown and data.encode_source("TWO Big U\u0308nder") == (ids, [])
    restored = PreparedData.from_document(json.loads(json.dumps(data.vocabulary_document())), {})
    assert restored.encode_source("TWO Big U\u0308nder") == (ids, [])
    before_spaces = json.loads(json.dumps(data.vocabulary_document()))
    del before_spaces["text_form"][-1]
    assert PreparedData.from_document(before_spaces, {}).text_form == data.text_form._replace(single_spaces=False)
    del (earlier := data.vocabulary_document())["text_form"]
    assert PreparedData.from_document(earlier, {}).encode_source("Two")[1] == ["Two"], "no form was stored"
    document_file = folder_of(data) / DOCUMENT
    earlier_text = document_file.read_text(encoding="utf-8").replace('[true, "NFC"', '[false,"NFC"')
    checksums = document_file.with_name("sizes.json")
    earlier_checksums = json.loads(checksums.read_text()) | {DOCUMENT: checksum(earlier_text.encode())}
    checksums.write_text(json.dumps(earlier_checksums))
    document_file.write_text(earlier_text, encoding="utf-8")
    second = run_to_end(prepare_data(dataset, host, tmp_path / "cache"))
    assert second.folder == data.folder and document_file.read_text(encoding="utf-8") == earlier_text, (
        "the cached folder is not rewritten"
    )
    assert second.encode_source("TWO Big U\u0308nder") == (ids, [])


SUBWORDS = {"src": "subword", "tgt": "characters", "size": 13}


def test_a_run_folder_contains_its_subwords(prepare: Prepare) -> None:
    data = prepare(tokenizer=SUBWORDS)
    restored = PreparedData.from_document(data.vocabulary_document(), data.subword_models)
    assert restored.encode_source("a ba zebra") == data.encode_source("a ba zebra")
    with pytest.raises(UserError, match="subwords of this run cannot be read"):
        PreparedData.from_document(data.vocabulary_document(), {})


def test_subwords_of_another_run_are_refused(prepare: Prepare) -> None:
    data, other = prepare(tokenizer=SUBWORDS), prepare(tokenizer=SUBWORDS | {"size": 12})
    with pytest.raises(UserError, match="not that of its subwords"):
        PreparedData.from_document(data.vocabulary_document(), other.subword_models)
