"""Drawing and tokenising a dataset into the cache."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.config import MAX_LENGTH, DatasetConfig, TokenizerConfig
from core.data.preparation import prepare_data
from core.data.prepared_data import PreparedData
from core.data.vocabulary import Vocabulary
from core.errors import UserError
from core.events import Progress
from core.generators import run_to_end
from core.plugins_host.host import PluginHost
from core.plugins_host.split_drawing import draw_lines
from tests.core.data.conftest import WORDS, Prepare, folder_of, progress_of

ROOT = Path(__file__).parents[3]
PREPARE_TWO_DATASETS = """
import sys
from pathlib import Path
from typing import Any
from core.config import DatasetConfig
from core.data.preparation import prepare_data
from core.plugins_host import split_drawing
from core.plugins_host.host import PluginHost

split_drawing.SHARD_SIZE = 1000
with PluginHost() as host:
    for plugin, options in (("phonetic_to_letter", {"count": 300}), ("copy_task", {})):
        list(prepare_data(DatasetConfig(plugin=plugin, options=options), host, Path(sys.argv[1])))
"""


def test_the_vocabulary_is_that_of_the_train_split(prepare: Prepare) -> None:
    data = prepare()
    assert set(data.src_vocabulary.tokens[4:]) == {"a", "b", "c", "é"}
    assert data.encode_source("a never é") == ([*data.src_vocabulary.ids(["a", "never", "é"]), 2], ["never"])


def test_pairs_keep_their_texts_and_alignments(prepare: Prepare, host: PluginHost) -> None:
    data = prepare()
    drawn = [
        pair for lines in draw_lines(host, "words", dict(data.dataset.options), 0, "valid") for pair in lines.pairs()
    ]
    assert [data.pair("valid", index) for index in range(len(drawn))] == drawn
    valid = data.split("valid")
    for index, pair in enumerate(drawn):
        expected = data.tgt_vocabulary.ids(pair.target.split())
        assert valid.tgt[index].tolist() == [1, *expected, 2]


def test_the_same_content_is_found_in_the_cache(prepare: Prepare, tmp_path: Path) -> None:
    first = prepare()
    written_at = (folder_of(first) / "data.json").stat().st_mtime_ns
    second = prepare()
    assert second.folder == first.folder
    assert (folder_of(second) / "data.json").stat().st_mtime_ns == written_at
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [first.fingerprint]


def test_a_built_in_plugin_is_drawn_once_and_any_other_each_time(
    host: PluginHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_drawn(plugin: str) -> bool:
        stages = [one.stage for one in progress_of(prepare_data(DatasetConfig(plugin=plugin), host, tmp_path))]
        return "drawing train pairs" in stages

    assert [is_drawn("copy_task") for _ in range(2)] == [True, False]
    assert [is_drawn("words") for _ in range(2)] == [True, True]
    monkeypatch.setattr(PluginHost, "code_hash", lambda *_: "edited since")
    assert is_drawn("copy_task")


@pytest.mark.parametrize(
    "other",
    [
        {"seed": 1},
        {"options": {"count": 41}},
        {"tokenizer": {"src": "characters"}},
        {"tokenizer": {"min_frequency": 2}},
    ],
)
def test_different_settings_are_different_content(prepare: Prepare, other: dict[str, object]) -> None:
    assert prepare(**other).fingerprint != prepare().fingerprint


def test_different_texts_with_the_same_settings_are_different_content(prepare: Prepare, plugins: Path) -> None:
    first = prepare()
    (plugins / "letters.txt").write_text("xyz")
    try:
        other = prepare()
    finally:
        (plugins / "letters.txt").unlink()
    assert other.dataset == first.dataset
    assert other.fingerprint != first.fingerprint
    assert set(other.src_vocabulary.own_tokens) == {"x", "y", "z"}


def test_auto_lengths_fit_the_data(prepare: Prepare) -> None:
    data = prepare(options={"count": 400, "longest": 6})
    assert (data.max_src_length, data.max_tgt_length) == (2 * 7, 7), "sources get room for longer typed ones"


def test_the_resolved_settings_of_a_run_find_the_same_data(prepare: Prepare) -> None:
    first = prepare(max_src_length=4)
    settings = first.dataset.model_dump()
    other = prepare(settings.pop("plugin"), **settings)
    assert other.dataset == first.dataset
    assert first.max_src_length == 4
    assert (other.fingerprint, other.num_pairs, other.left_out) == (first.fingerprint, first.num_pairs, first.left_out)
    assert first.fingerprint == prepare().fingerprint, "maximum lengths must not change the prepared data"


def test_stopping_at_any_point_leaves_nothing_in_the_cache(host: PluginHost, tmp_path: Path) -> None:
    dataset, cache = DatasetConfig(plugin="words", options={"count": 5000}), tmp_path / "cache"
    yields = list(prepare_data(dataset, host, tmp_path / "whole"))
    assert len(yields) > 10, "too few points at which to stop"
    for num_yields in range(1, len(yields) + 1):
        work = prepare_data(dataset, host, cache)
        for _ in range(num_yields):
            next(work)
        work.close()
        assert list(cache.iterdir()) == []


def test_progress_counts_to_the_total(host: PluginHost, tmp_path: Path) -> None:
    dataset = DatasetConfig(plugin="words", options={"count": 5000})
    progress = list(progress_of(prepare_data(dataset, host, tmp_path)))
    last = {one.stage: (one.done, one.total) for one in progress}
    assert last["drawing train pairs"] == (5000, None)
    (num_ids,) = {one.total for one in progress if one.stage == "counting source tokens"}
    assert last["counting source tokens"] == last["numbering train source tokens"] == (num_ids, num_ids)


def test_a_failing_plugin_leaves_nothing_in_the_cache(host: PluginHost, tmp_path: Path) -> None:
    dataset = DatasetConfig(plugin="words", options={"failing_split": "test"})
    with pytest.raises(UserError, match=r"Plugin 'words' failed: RuntimeError: no more words .*words.py, line"):
        run_to_end(prepare_data(dataset, host, tmp_path / "cache"))
    assert list((tmp_path / "cache").iterdir()) == []


def test_an_empty_split_is_refused(prepare: Prepare) -> None:
    with pytest.raises(UserError, match="no pairs for its train split"):
        prepare(options={"count": 0})


def test_an_unwritable_cache_is_reported(host: PluginHost, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file, where a folder should be")
    with pytest.raises(UserError, match=r"cannot be written to .*cache: .*name another place by XDG_CACHE_HOME"):
        run_to_end(prepare_data(DatasetConfig(plugin="words"), host, tmp_path / "cache"))


def flip_a_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(path.read_bytes()[:-1]), flip_a_bit])
@pytest.mark.parametrize("name", ["train.src.ids.npy", "valid.pairs.jsonl", "data.json", "sizes.json"])
def test_a_damaged_file_is_prepared_again(prepare: Prepare, name: str, damage: Callable[[Path], object]) -> None:
    folder = folder_of(prepare())
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    damage(folder / name)
    assert prepare().folder == folder
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_the_files_do_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    contents = []
    for hash_seed in ("1", "2"):
        cache = tmp_path / hash_seed
        result = subprocess.run(
            [sys.executable, "-c", PREPARE_TWO_DATASETS, str(cache)],
            env=os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert result.returncode == 0, result.stderr
        contents.append({path.relative_to(cache): path.read_bytes() for path in cache.rglob("*") if path.is_file()})
    assert contents[0] == contents[1]
    assert len(contents[0]) > 20


def test_longer_pairs_are_left_out_and_counted(prepare: Prepare) -> None:
    data, unlimited = prepare(max_src_length=4), prepare()
    short = [index for index in range(40) if len(unlimited.pair("train", index).source.split()) < 4]
    assert data.left_out["train"] == 40 - len(short)
    assert data.num_pairs["train"] == len(short)
    assert [data.pair("train", i) for i in range(len(short))] == [unlimited.pair("train", i) for i in short]


def test_a_maximum_length_that_leaves_out_every_pair_is_refused(prepare: Prepare) -> None:
    with pytest.raises(UserError, match=r"dataset\.max_src_length = 1: every pair of the train split is longer"):
        prepare(max_src_length=1)


def options_of_texts(folder: Path, *lengths: int) -> dict[str, str]:
    """Write a corpus of sources with these numbers of words and one-word targets; return its options."""
    (folder / "train.tsv").write_text("".join(f"{'a ' * length}\tb\n" for length in lengths))
    (folder / "valid.tsv").write_text("a\tb\n")
    return {"folder": str(folder), "train_source": "train.tsv", "valid_source": "valid.tsv"}


def test_auto_lengths_stay_within_the_largest_length_allowed(prepare: Prepare, tmp_path: Path) -> None:
    data = prepare("parallel_text", options=options_of_texts(tmp_path, 1, MAX_LENGTH - 1))
    assert (data.longest_source, data.max_src_length, data.left_out["train"]) == (MAX_LENGTH, MAX_LENGTH, 0)


def test_a_text_above_the_largest_length_is_refused_and_not_cached(prepare: Prepare, tmp_path: Path) -> None:
    options, words = options_of_texts(tmp_path, 1, MAX_LENGTH), "Pair 2 of the train split has 100,001 source tokens"
    with pytest.raises(UserError, match=words) as exc_info:
        prepare("parallel_text", options=options)
    assert "Is a line break missing" in exc_info.value.advice and "dataset.max_src_length" in exc_info.value.advice
    assert list((tmp_path / "cache").iterdir()) == []
    assert prepare("parallel_text", options=options, max_src_length=50).left_out["train"] == 1
    with pytest.raises(UserError, match=words):  # from the cache now
        prepare("parallel_text", options=options)


def test_one_example_is_enough(prepare: Prepare) -> None:
    assert prepare(options={"count": 1}).num_pairs["train"] == 1


def test_endless_data_have_listed_symbols_and_no_number_of_pairs(prepare: Prepare) -> None:
    data = prepare("copy_task", options={"num_symbols": 3, "min_length": 4, "max_length": 6})
    assert data.endless
    assert data.num_pairs["train"] is None
    assert data.src_vocabulary.tokens[4:] == ("1", "2", "3")
    assert data.max_tgt_length == 7


COUNTING_PLUGIN = """
from itertools import count

from core.plugin import DatasetPlugin, Options, Pair

class Counting(DatasetPlugin[Options]):
    name = "counting"
    title = "Numbers in their order"
    tokenizer = "whitespace"
    endless = True

    def pairs(self, split, rng):
        for number in count(1) if split == "train" else [1]:
            yield Pair(str(number), str(-number))

PLUGIN = Counting
"""


def test_tokens_of_endless_data_that_list_none_are_those_of_the_first_10_000_pairs(tmp_path: Path) -> None:
    (tmp_path / "counting.py").write_text(COUNTING_PLUGIN, encoding="utf-8")
    with PluginHost([tmp_path]) as host:
        data = run_to_end(prepare_data(DatasetConfig(plugin="counting"), host, tmp_path / "cache"))
    assert set(data.src_vocabulary.own_tokens) == {str(number) for number in range(1, 10_001)}
    assert set(data.tgt_vocabulary.own_tokens) == {str(-number) for number in range(1, 10_001)}


def test_a_shared_vocabulary_is_the_same_for_both_sides(prepare: Prepare) -> None:
    data = prepare(tokenizer={"shared": True})
    assert data.src_vocabulary.tokens == data.tgt_vocabulary.tokens
    assert set(data.src_vocabulary.own_tokens) == {"a", "b", "c", "é"}


@pytest.mark.parametrize("tokenizer", [{"shared": True}, {"min_frequency": 2}, {"src": "characters"}])
def test_tokenizer_settings_left_open_are_the_plugins(prepare: Prepare, tokenizer: dict[str, Any]) -> None:
    data = prepare("reverse", tokenizer=tokenizer)
    found = data.dataset.tokenizer
    assert found != "auto" and (found.src, found.tgt) == ("characters", "characters")
    assert found.model_dump(include=set(tokenizer)) == tokenizer
    assert {len(token) for token in data.tgt_vocabulary.own_tokens} == {1}


def test_a_tokenizer_setting_that_contradicts_the_plugins_is_refused(prepare: Prepare) -> None:
    with pytest.raises(UserError) as exc_info:
        prepare(tokenizer={"src": "subword", "shared": True})
    assert str(exc_info.value) == (
        "dataset.tokenizer.shared: expected the same subwords for both sides, or none, given src: subword and tgt: "
        "whitespace. "
        "Plugin 'words' has whitespace and whitespace where src and tgt are auto: choose both."
    )


@pytest.mark.parametrize("shared", [True, False])
def test_listed_symbols_are_kept_whatever_their_frequency(prepare: Prepare, shared: bool) -> None:
    options = {"num_symbols": 12, "min_length": 4, "max_length": 6}
    data = prepare("copy_task", options=options, tokenizer={"shared": shared, "min_frequency": 5})
    assert data.tgt_vocabulary.own_tokens == [str(symbol) for symbol in range(1, 13)]


def test_rare_tokens_become_unknown(prepare: Prepare) -> None:
    complete = prepare()
    counts = Counter(token for index in range(40) for token in complete.pair("train", index).source.split())
    del counts["<pad>"]
    (most_frequent, count), (_, next_count) = counts.most_common(2)
    assert next_count < count
    assert prepare(tokenizer={"min_frequency": count}).src_vocabulary.own_tokens == [most_frequent]


def test_a_minimum_frequency_that_leaves_no_token_is_refused(prepare: Prepare) -> None:
    with pytest.raises(UserError, match=r"^dataset\.tokenizer\.min_frequency = 10,000: no source token of"):
        prepare(tokenizer={"min_frequency": 10_000})


def test_a_train_split_of_special_tokens_alone_is_refused(prepare: Prepare, tmp_path: Path) -> None:
    (tmp_path / "train").write_text("<pad> <bos>\ta\n" * 20, encoding="utf-8")
    (tmp_path / "valid").write_text("<pad> held out\ta\n" * 20, encoding="utf-8")
    options = {"folder": str(tmp_path), "train_source": "train", "valid_source": "valid"}
    refusal = r"^Plugin 'parallel_text' spells all source tokens of its train split like special ones"
    with pytest.raises(UserError, match=refusal):
        prepare("parallel_text", options=options)


ONE_SIDED_PLUGIN = """
from core.plugin import DatasetPlugin, Options, Pair

class OneSided(DatasetPlugin[Options]):
    name = "one_sided"
    title = "Words on one side"
    endless = {endless}

    def symbols(self):
        return {symbols}

    def pairs(self, split, rng):
        while True:
            yield Pair(*{pair})
            if split != "train" or not self.endless:
                break

PLUGIN = OneSided
"""


@pytest.mark.parametrize(
    ("endless", "symbols", "pair", "words"),
    [
        (False, None, ("", "a"), "gives only empty source texts for its train split"),
        (False, None, ("a", ""), "gives only empty target texts for its train split"),
        (True, (["a"], []), ("a", "a"), "lists no target tokens"),
    ],
)
def test_a_side_without_any_token_is_refused(
    tmp_path: Path, endless: bool, symbols: object, pair: tuple[str, str], words: str
) -> None:
    text = ONE_SIDED_PLUGIN.format(endless=endless, symbols=symbols, pair=pair)
    (tmp_path / "one_sided.py").write_text(text, encoding="utf-8")
    with PluginHost([tmp_path]) as host, pytest.raises(UserError, match=f"Plugin 'one_sided' {words}: nothing could"):
        run_to_end(prepare_data(DatasetConfig(plugin="one_sided"), host, tmp_path / "cache"))


def test_a_missing_plugin_is_named(host: PluginHost, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no dataset plugin 'nowhere'"):
        run_to_end(prepare_data(DatasetConfig(plugin="nowhere"), host, tmp_path))


SUBWORDS = {"src": "subword", "tgt": "subword", "size": 13}


def test_subwords_are_learnt_from_the_train_split_only(prepare: Prepare) -> None:
    data = prepare(tokenizer=SUBWORDS)
    assert len(data.src_vocabulary) == len(data.tgt_vocabulary) == 13
    assert set("".join(data.src_vocabulary.own_tokens)) == set("abcé▁"), "n, e, v and r are in the valid split only"
    ids = data.src_vocabulary.ids(data.src_tokenizer.tokenize(data.pair("train", 0).source))
    assert data.split("train").src[0].tolist() == [*ids, 2]
    known = next(number for number in range(40) if "<" not in data.pair("train", number).target)
    assert data.decode_target(data.split("train").tgt[known].tolist()) == data.pair("train", known).target


def test_shared_subwords_are_learnt_from_both_sides(prepare: Prepare) -> None:
    data = prepare(tokenizer=SUBWORDS | {"shared": True})
    assert data.src_vocabulary.tokens == data.tgt_vocabulary.tokens
    assert data.subword_models["src"] == data.subword_models["tgt"]


def test_auto_size_learns_as_many_subwords_as_the_texts_give(tmp_path: Path) -> None:
    """Subwords may be the plugin's or the config's choice. A run's config.yaml stores their number for later use."""
    code = WORDS.replace('"words"', '"pieces"').replace('"whitespace"', '"subword"')
    (tmp_path / "pieces.py").write_text(code, encoding="utf-8")
    (tmp_path / "words.py").write_text(WORDS, encoding="utf-8")
    with PluginHost([tmp_path]) as host:
        for settings in (
            {"plugin": "pieces"},
            {"plugin": "pieces", "tokenizer": {"src": "subword_unigram"}},
            {"plugin": "words", "tokenizer": {"src": "subword"}},
            {"plugin": "words", "tokenizer": {"src": "subword", "tgt": "subword", "shared": True}},
        ):
            dataset = DatasetConfig.model_validate(settings)
            first = run_to_end(prepare_data(dataset, host, tmp_path / "cache"))
            found = first.dataset.tokenizer
            learnt = [vocabulary for side, vocabulary in sides_of(first) if side in first.subword_models]
            assert found != "auto" and found.size == max(map(len, learnt)) < 20
            second = run_to_end(prepare_data(first.dataset, host, tmp_path / "other"))
            assert (second.fingerprint, second.subword_models) == (first.fingerprint, first.subword_models)
            resumed = run_to_end(prepare_data(first.dataset, host, tmp_path / "cache", first))
            assert (resumed.fingerprint, resumed.dataset) == (first.fingerprint, first.dataset)
            assert run_to_end(prepare_data(dataset, host, tmp_path / "cache")).dataset == first.dataset


def sides_of(data: PreparedData) -> tuple[tuple[str, Vocabulary], tuple[str, Vocabulary]]:
    return ("src", data.src_vocabulary), ("tgt", data.tgt_vocabulary)


def test_an_explicit_size_above_what_the_texts_give_is_refused(prepare: Prepare) -> None:
    auto_size = {"src": "subword"}
    prepare(tokenizer=auto_size)
    with pytest.raises(UserError, match="size = 8,000: the train split gives only 13 source subwords"):
        prepare(tokenizer=auto_size | {"size": 8000})


def test_a_size_without_subwords_is_refused_as_having_no_effect(
    prepare: Prepare, host: PluginHost, tmp_path: Path
) -> None:
    with pytest.raises(UserError) as exc_info:
        prepare(tokenizer={"size": 50, "tgt": "characters"})
    assert str(exc_info.value) == (
        "dataset.tokenizer.size = 50 has no effect: src is whitespace and tgt is characters. "
        "Set src, tgt or both to subword or subword_unigram, or size to auto."
    )
    data = prepare()  # its resolved settings have a size anyway, and must be accepted again
    assert prepare(**data.dataset.model_dump(exclude={"plugin"})).fingerprint == data.fingerprint
    dataset = DatasetConfig.model_validate({"plugin": "words", "tokenizer": {"size": 50}})
    assert run_to_end(prepare_data(dataset, host, tmp_path / "cache", data)), "a resumed run"


TOO_MANY_SUBWORDS = SUBWORDS | {"size": 9000}


@pytest.mark.parametrize(
    ("tokenizer", "given"),
    [
        (TOO_MANY_SUBWORDS, "13 source and 13 target"),
        (TOO_MANY_SUBWORDS | {"shared": True}, "13 source and target"),
        (TOO_MANY_SUBWORDS | {"tgt": "characters"}, "13 source"),
    ],
)
def test_a_size_above_what_the_texts_give_is_refused_before_tokenising(
    host: PluginHost, tmp_path: Path, tokenizer: dict[str, object], given: str
) -> None:
    stages: list[str] = []
    dataset = DatasetConfig.model_validate({"plugin": "words", "tokenizer": tokenizer})
    with pytest.raises(UserError) as exc_info:
        stages.extend(one.stage for one in prepare_data(dataset, host, tmp_path / "cache") if isinstance(one, Progress))
    assert str(exc_info.value) == (
        f"dataset.tokenizer.size = 9,000: the train split gives only {given} subwords. "
        "Set it to auto, or to a number from 9 to 13."
    )
    assert stages and not any(stage.startswith(("counting", "numbering", "tokenising")) for stage in stages)
    assert list((tmp_path / "cache").iterdir()) == []


def unlike_sides(folder: Path) -> dict[str, Any]:
    """Settings of a corpus whose sources give few subwords, and whose targets have many different characters."""
    (folder / "train.tsv").write_text("".join(f"ab\t{chr(0x4E00 + n)}\n" for n in range(60)), encoding="utf-8")
    (folder / "valid.tsv").write_text("ab\t\u4e00\n", encoding="utf-8")
    options = {"folder": str(folder), "train_source": "train.tsv", "valid_source": "valid.tsv"}
    return {"options": options, "tokenizer": {"src": "subword", "tgt": "subword"}}


def test_a_size_is_accepted_if_one_side_gives_as_many_subwords(prepare: Prepare, tmp_path: Path) -> None:
    """Otherwise no size would be valid if one side gives fewer subwords than the other needs."""
    settings = unlike_sides(tmp_path)
    settings["tokenizer"]["size"] = 65
    data = prepare("parallel_text", **settings)
    assert (len(data.src_vocabulary), len(data.tgt_vocabulary)) == (10, 65)


def test_a_size_too_small_for_both_sides_names_the_least_for_both(prepare: Prepare, tmp_path: Path) -> None:
    settings = unlike_sides(tmp_path)
    settings["tokenizer"]["size"] = 5
    with pytest.raises(UserError) as exc_info:
        prepare("parallel_text", **settings)
    assert str(exc_info.value) == (
        "dataset.tokenizer.size = 5: the target texts have so many different characters that they need at least 65. "
        "Set it to 65 or more, or to auto; some thousands are usual."
    )


def test_a_resumed_run_keeps_its_subwords(prepare: Prepare, host: PluginHost, tmp_path: Path) -> None:
    """Another version of sentencepiece might learn different subwords from the same texts."""
    of_two_kinds = SUBWORDS | {"src": "subword_unigram"}
    learnt = prepare(tokenizer=of_two_kinds)
    models = prepare(tokenizer=of_two_kinds | {"size": 12}).subword_models
    known = replace(learnt, subword_models=models)
    resumed = run_to_end(prepare_data(learnt.dataset, host, tmp_path / "cache", known))
    assert resumed.fingerprint == learnt.fingerprint
    assert (resumed.subword_models, len(resumed.src_vocabulary)) == (models, 12)
    assert prepare(tokenizer=of_two_kinds).subword_models == learnt.subword_models, "a new run learns its own"


def test_a_resumed_run_has_the_same_pairs_though_its_plugin_says_more_of_them_today(tmp_path: Path) -> None:
    more = (
        "\n    def limits(self):\n        return {'valid/loss': 0.5}\n    def examples(self):\n        return ['a b']\n"
    )
    code = WORDS.replace("option(40)", "option(40)\n    new: int = option(1)").replace("\nPLUGIN", f"{more}\nPLUGIN")
    with PluginHost([tmp_path]) as host:
        (tmp_path / "words.py").write_text(WORDS, encoding="utf-8")
        first = run_to_end(prepare_data(DatasetConfig(plugin="words"), host, tmp_path / "cache"))
        (tmp_path / "words.py").write_text(code, encoding="utf-8")
        host.reset()
        resumed = run_to_end(prepare_data(first.dataset, host, tmp_path / "cache", first))
        another = run_to_end(prepare_data(first.dataset, host, tmp_path / "cache"))
    assert (resumed.fingerprint, resumed.folder, resumed.dataset) == (first.fingerprint, first.folder, first.dataset)
    assert (another.limits, another.examples, another.options["new"]) == ({"valid/loss": 0.5}, ("a b",), 1)


def test_a_new_run_learns_its_own_subwords_though_others_are_cached(
    prepare: Prepare, host: PluginHost, tmp_path: Path
) -> None:
    other = prepare(tokenizer=SUBWORDS | {"size": 12})
    dataset = other.dataset.model_copy(update={"tokenizer": TokenizerConfig.model_validate(SUBWORDS)})
    cached = run_to_end(prepare_data(dataset, host, tmp_path / "cache", other))
    learnt = prepare(tokenizer=SUBWORDS)
    assert (learnt.fingerprint, len(learnt.src_vocabulary)) == (cached.fingerprint, 13)
    resumed = run_to_end(prepare_data(dataset, host, tmp_path / "cache", other))
    assert (resumed.folder, resumed.subword_models) == (cached.folder, other.subword_models)
    known = run_to_end(prepare_data(dataset, host, tmp_path / "cache", learnt))
    assert known.folder == learnt.folder, "subwords equal to those learnt here are found in their folder"


def test_the_bytes_read_of_files_give_an_estimate_of_all_pairs(host: PluginHost, tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("".join(f"a b {number:05}\tc d\n" for number in range(5000)))
    options = {"folder": str(tmp_path), "train_source": "pairs.tsv"}
    dataset = DatasetConfig(plugin="parallel_text", options=options)
    drawing = [
        (one.done, one.total)
        for one in progress_of(prepare_data(dataset, host, tmp_path / "cache"))
        if one.stage == "drawing train pairs"
    ]
    counts, totals = zip(*drawing, strict=True)
    assert counts[-1] == totals[-1], "done counts without the fifth of the pairs that is set aside"
    assert len(counts) > 3 and totals == pytest.approx([counts[-1]] * len(counts), rel=0.03)


@pytest.mark.parametrize("first", ["its own", "others"])
def test_data_of_the_same_files_under_other_options_are_cached_separately(
    host: PluginHost, tmp_path: Path, first: str
) -> None:
    """Opening a run may pass other options: neither it nor a new run may use the other's data."""
    file = tmp_path / "pairs.tsv"
    file.write_text("".join(f"a{number}\tb\tc\n" for number in range(50)))
    os.utime(file, (1_600_000_000, 1_600_000_000))  # old enough for the cache to trust its time and not read it again
    options = {"folder": str(tmp_path), "train_source": "pairs.tsv", "target": [2]}
    dataset = DatasetConfig(plugin="parallel_text", options=options)
    named = {"its own": None, "others": options | {"target": [3]}}
    for name in (first, *named):
        data = run_to_end(prepare_data(dataset, host, tmp_path / "cache", local_options=named[name]))
        assert data.tgt_vocabulary.own_tokens == (["b"] if name == "its own" else ["c"])


def test_tokenising_into_subwords_counts_to_the_total(host: PluginHost, tmp_path: Path) -> None:
    dataset = DatasetConfig.model_validate({"plugin": "words", "tokenizer": SUBWORDS})
    last = {one.stage: (one.done, one.total) for one in progress_of(prepare_data(dataset, host, tmp_path))}
    assert last["tokenising train pairs"] == (40, 40)


def test_stopping_while_subwords_are_learnt_leaves_nothing_in_the_cache(host: PluginHost, tmp_path: Path) -> None:
    dataset = DatasetConfig.model_validate({"plugin": "words", "tokenizer": SUBWORDS})
    work = prepare_data(dataset, host, tmp_path / "cache")
    assert any(progress.stage == "learning source subwords" for progress in progress_of(work))
    work.close()
    assert list((tmp_path / "cache").iterdir()) == []


LISTED_PLUGIN = '''
from pathlib import Path
from typing import Any

from core.plugin import DatasetPlugin, Options, Pair


class Listed(DatasetPlugin[Options]):
    """Single letters, and those that symbols.txt lists."""
    name = "listed"
    title = "Listed"
    tokenizer = "whitespace"
    endless = True

    def symbols(self):
        letters = Path(__file__).with_name("symbols.txt").read_text().split()
        return (letters, letters) if letters else None

    def pairs(self, split, rng):
        while True:
            letter = rng.choice("ab")
            yield Pair(letter, letter)
            if split != "train":
                return

PLUGIN = Listed
'''


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw fewer pairs of endless data at once; these are enough here."""
    monkeypatch.setattr("core.plugins_host.split_drawing.SHARD_SIZE", 1000)


@pytest.mark.parametrize("shared", [True, False])
def test_tokens_of_endless_data_are_those_listed_now_or_those_of_the_run(
    tmp_path: Path, shared: bool, small_shards: None
) -> None:
    (tmp_path / "listed.py").write_text(LISTED_PLUGIN, encoding="utf-8")
    config = DatasetConfig.model_validate({"plugin": "listed", "tokenizer": {"shared": shared}})

    with PluginHost([tmp_path]) as host:

        def prepared(listed: str, known: PreparedData | None = None) -> PreparedData:
            # The plugin reads it at each call of symbols().
            (tmp_path / "symbols.txt").write_text(listed, encoding="utf-8")
            return run_to_end(prepare_data(config, host, tmp_path / "cache", known))

        first = prepared("a b")
        another = prepared("b a c")
        assert first.own_tokens == (["a", "b"],) * 2 and another.own_tokens == (["b", "a", "c"],) * 2
        assert prepared("a b").folder == first.folder != another.folder
        for today in ("b a c", ""):
            resumed = prepared(today, first)
            assert (resumed.folder, resumed.fingerprint) == (first.folder, first.fingerprint)


def test_endless_data_in_subwords_are_cached_once(
    prepare: Prepare, host: PluginHost, tmp_path: Path, small_shards: None
) -> None:
    tokenizer = {"src": "subword", "tgt": "subword", "size": 20}
    first = prepare("addition", tokenizer=tokenizer)
    second = run_to_end(prepare_data(first.dataset, host, tmp_path / "cache", first))
    assert second.folder == first.folder and second.own_tokens == first.own_tokens
