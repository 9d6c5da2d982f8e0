"""Pairs from two files with one text per line, or one file with columns, and the faults such files may have."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.config import DatasetConfig, RunConfig
from core.data.preparation import prepare_data
from core.data.prepared_data import PreparedData
from core.engine import Engine
from core.errors import UserError
from core.events import Progress
from core.plugin import BadData, Pair, Split, TextForm, split_of
from core.plugins_host.host import PluginHost
from core.requests import CheckPlugin, Learn, Prepare, Start, Translate
from plugins.parallel_text import PLUGIN, ParallelTextOptions
from tests.core.data.conftest import folder_of, progress_of
from tests.core.training.small_runs import finish
from tests.core.watcher import answered, tiny_config
from tests.in_process import run_headlight

TWO = {"train_source": "train.en", "train_target": "train.de"}

one_host = pytest.mark.usefixtures("engines_share_a_host")


def spaced(number: int) -> str:
    """The digits of a number as separate words."""
    return " ".join(str(number))


@pytest.fixture(scope="module")
def host() -> Iterator[PluginHost]:
    with PluginHost() as host:
        host.plugins()  # starts its process before the first test
        yield host


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Two hundred sentence pairs for training, and three held-out ones in separate files."""
    for name, count in (("train", 200), ("valid", 3)):
        (tmp_path / f"{name}.en").write_text("".join(f"{name} sentence {spaced(n)}\n" for n in range(count)))
        (tmp_path / f"{name}.de").write_text("".join(f"{name} Satz {spaced(n)}\n" for n in range(count)))
    return tmp_path


def plugin_of(folder: Path, **options: Any) -> PLUGIN:
    return PLUGIN(ParallelTextOptions(folder=str(folder), **options))


def drawn(folder: Path, split: Split = "train", **options: Any) -> list[Pair]:
    return list(plugin_of(folder, **options).pairs(split, random.Random(0)))


def texts(folder: Path, **options: Any) -> list[tuple[str, str]]:
    """The train pairs of a corpus with a validation file, so that none are set aside for it."""
    return [pair[:2] for pair in drawn(folder, valid_source="valid.en", valid_target="valid.de", **options)]


def refusal(folder: Path, **options: Any) -> str:
    with pytest.raises(BadData) as exc_info:
        texts(folder, **options)
    return str(exc_info.value)


def test_pairs_are_read_line_by_line(corpus: Path) -> None:
    assert texts(corpus, **TWO)[1] == ("train sentence 1", "train Satz 1")
    assert len(texts(corpus, **TWO)) == 200


def test_without_held_out_files_a_tenth_is_set_aside_for_each_other_split(corpus: Path) -> None:
    splits = {split: drawn(corpus, split, **TWO) for split in ("train", "valid", "test")}
    assert sum(map(len, splits.values())) == 200
    for split, pairs in splits.items():
        assert {split_of(pair.source) for pair in pairs} == {split}


def test_without_a_test_file_the_test_split_is_the_valid_split(corpus: Path) -> None:
    held_out = {"valid_source": "valid.en", "valid_target": "valid.de"}
    assert drawn(corpus, "valid", **TWO, **held_out) == drawn(corpus, "test", **TWO, **held_out)
    assert len(drawn(corpus, "valid", **TWO, **held_out)) == 3
    assert len(drawn(corpus, "train", **TWO, **held_out)) == 200


def test_without_a_valid_file_a_tenth_is_set_aside_beside_a_test_file(corpus: Path) -> None:
    held_out = {"test_source": "valid.en", "test_target": "valid.de"}
    assert len(drawn(corpus, "test", **TWO, **held_out)) == 3
    train, valid = drawn(corpus, "train", **TWO, **held_out), drawn(corpus, "valid", **TWO, **held_out)
    assert len(train) + len(valid) == 200
    assert {split_of(pair.source) for pair in valid} == {"valid"}


def test_each_column_has_its_own_cut(corpus: Path) -> None:
    (corpus / "train.tsv").write_text("ice cream\tice creams\tN;PL\nwalk\twalked\tV;PST;3\n")
    columns = {"train_source": "train.tsv", "source": [1, 3], "target": 2}
    assert texts(corpus, **columns)[1] == ("walk V;PST;3", "walked")
    cut = {"source_cut": ["characters", ";"], "target_cut": ["characters"]}
    assert texts(corpus, **columns, **cut) == [
        ("i c e ␣ c r e a m N PL", "i c e ␣ c r e a m s"),
        ("w a l k V PST 3", "w a l k e d"),
    ]


SIGMORPHON = {
    "train_source": "train.tsv",
    "source": [1, 3],
    "target": 2,
    "source_cut": ["characters", ";"],
    "target_cut": ["characters"],
}


def test_a_separator_that_no_train_line_contains_is_refused(corpus: Path) -> None:
    (corpus / "train.tsv").write_text("walk\twalked\tV,PST\nice\tices\tN;PL\n")
    (corpus / "valid.tsv").write_text("lump\tlumped\tPST\n")
    columns = {"train_source": "train.tsv", "source": [1, 3], "target": 2}
    for sign in (",", ";"):
        cut = {"source_cut": ["characters", sign]}
        assert len(texts(corpus, **columns, **cut)) == 2
        held_out = drawn(corpus, "valid", valid_source="valid.tsv", **columns, **cut)
        assert held_out == [Pair("l u m p PST", "lumped")]
    message = (
        f"dataset.options.source_cut: ':' cuts nothing, since column 3 of {corpus / 'train.tsv'} has it in no line: "
        "name what is between its tokens, or words."
    )
    assert refusal(corpus, **columns, source_cut=["characters", ":"]) == message
    assert "target_cut: '-' cuts nothing, since column 2" in refusal(corpus, **columns, target_cut=["-"])


@pytest.mark.parametrize(("sign", "form"), [("；", {"normalisation": "NFKC"}), ("_S_", {"lowercase": True})])
def test_a_separator_takes_the_form_of_the_lines(corpus: Path, sign: str, form: dict[str, Any]) -> None:
    (corpus / "train.tsv").write_text(f"walk\twalked\tv{sign}pst\n", encoding="utf-8")
    options = {"train_source": "train.tsv", "source": [1, 3], "source_cut": ["words", sign], **form}
    assert texts(corpus, **options) == [("walk v pst", "walked")]
    assert plugin_of(corpus, **options).text_form().apply(f"walk\tv{sign}pst") == "walk v pst"


def test_typed_columns_are_cut_like_those_of_the_file(corpus: Path) -> None:
    (corpus / "train.tsv").write_text("ice cream\tice creams\tN;PL\na\tan\tDET\n")
    form = plugin_of(corpus, **SIGMORPHON).text_form()
    sources = [source for source, _ in texts(corpus, **SIGMORPHON)]
    assert [form.apply("ice cream\tN;PL"), form.apply("a\tDET")] == sources == list(map(form.apply, sources))


def test_sources_in_a_separate_file_are_not_cut(corpus: Path) -> None:
    form = plugin_of(corpus, **TWO, valid_source="valid.tsv", source_cut=["characters"]).text_form()
    assert form == TextForm(single_spaces=True)


@pytest.mark.parametrize(("source", "num_columns"), [(1, 1), ([1, 3], 2)])
def test_columns_without_a_cut_are_counted_too(corpus: Path, source: list[int] | int, num_columns: int) -> None:
    form = plugin_of(corpus, train_source="train.tsv", source=source).text_form()
    assert form.cuts == ("words",) * num_columns


@one_host
def test_a_run_reads_typed_columns_like_those_it_was_trained_on(corpus: Path) -> None:
    rows = (f"{word}\t{word}ed\tV;PST\n" for word in ("walk", "talk", "jump"))
    (corpus / "train.tsv").write_text("".join(rows) * 10)
    options = {"folder": str(corpus), **SIGMORPHON, "valid_source": "valid.tsv"}
    (corpus / "valid.tsv").write_text("lump\tlumped\tV;PST\n")
    document = tiny_config(max_steps=2).model_dump() | {"dataset": {"plugin": "parallel_text", "options": options}}
    with Engine(cache_dir=corpus / "cache") as engine:
        answered(engine, Prepare(config=RunConfig.model_validate(document)))
        answered(engine, Start(runs_dir=corpus, run_dir=corpus / "run"))
        answered(engine, Learn())
        typed, prepared_text = answered(engine, Translate(texts=("plum\tV;PST", "p l u m V PST"), with_attention=True))
    assert typed.sentence is not None and typed.sentence.src_tokens == (*"plum", "V", "PST", "<eos>")
    assert typed.unknown == ()
    assert typed.output == prepared_text.output
    (corpus / "new.tsv").write_text("plum\tV;PST\n")
    translated = run_headlight("translate", corpus / "run", "--input", "new.tsv", cwd=corpus)
    assert translated.stdout == f"{typed.output}\n" and "not in the vocabulary" not in translated.stderr
    result = run_headlight("translate", corpus / "run", "--input", "valid.tsv", cwd=corpus)
    assert (result.returncode, result.stdout) == (2, "")
    assert "valid.tsv, line 1: The text “lump lumped V;PST” has 3 columns between tabs; this run's" in result.stderr
    assert "sources have 2. Give the source columns alone" in result.stderr


def test_texts_are_normalised(corpus: Path) -> None:
    (corpus / "train.en").write_text("  Two  \t SPACES\u2028one line \r\nＷｉｄｅ\n", newline="")
    (corpus / "train.de").write_text("u\u0308ber ALLES\nx\n")
    assert texts(corpus, **TWO)[0] == ("Two SPACES one line", "u\u0308ber ALLES")
    assert texts(corpus, **TWO, lowercase=True, normalisation="NFC")[0] == ("two spaces one line", "über alles")
    assert texts(corpus, **TWO, normalisation="NFKC")[1] == ("Wide", "x")


def test_long_pairs_are_left_out_of_the_train_split_only(corpus: Path) -> None:
    (corpus / "train.en").write_text("one\none two three\none two\n")
    (corpus / "train.de").write_text("1\n1 2 3\n1 2 3\n")
    assert texts(corpus, **TWO, max_length=2) == [("one", "1")]
    held_out = {"valid_source": "valid.en", "valid_target": "valid.de"}
    assert len(drawn(corpus, "valid", **TWO, **held_out, max_length=1)) == 3


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("train.de", "x\n" * 198, "train.en has 200 lines and {}/train.de 198: 2 more"),
        ("train.de", "x\n" * 203, "train.de has 203 lines and {}/train.en 200: 3 more. Each line needs"),
        (
            "train.de",
            "x\n" * 200 + "\n \n",
            "train.de has 202 lines and {}/train.en 200: 2 more. Remove the empty lines at",
        ),
        ("train.de", "x\n" * 200 + "\nx\n", "train.de has 202 lines and {}/train.en 200: 2 more. Each line needs its"),
        ("train.de", "x\n" * 4 + "\n" + "x\n" * 195, "train.de, line 5 has no target: write it, or set"),
        ("train.en", "x\n" * 4 + " \t\n" + "x\n" * 195, "train.en, line 5 has no source: write it, or set"),
        (
            "train.de",
            "x\n" * 4 + "\u200b \ufeff\u200f\n" + "x\n" * 195,
            "train.de, line 5 has no target: write it, or set",
        ),
        ("train.de", "", "train.de is empty"),
    ],
)
def test_files_that_do_not_match_are_refused(corpus: Path, name: str, text: str, words: str) -> None:
    (corpus / name).write_text(text)
    assert words.format(corpus) in refusal(corpus, **TWO)


def test_empty_lines_can_be_left_out(corpus: Path) -> None:
    (corpus / "train.de").write_text("x\n" * 4 + "\n" + "x\n" * 195)
    assert len(texts(corpus, **TWO, empty_lines="leave_out")) == 199
    (corpus / "train.tsv").write_text("a\tb\n\n  \n\t\nc\td\n")
    assert texts(corpus, train_source="train.tsv", empty_lines="leave_out") == [("a", "b"), ("c", "d")]
    assert "train.tsv, line 2 has no source" in refusal(corpus, train_source="train.tsv")


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (
            "\n" * 200,
            {"empty_lines": "leave_out"},
            "empty_lines: leave_out leaves out all of {0}/train.en and {0}/train",
        ),
        ("x\n" * 200, {"max_length": 2}, "max_length: 2 leaves out every pair of the train split: raise it"),
        ("x\n" + "\n" * 199, {"max_length": 2, "empty_lines": "leave_out"}, "max_length: 2 leaves out every pair"),
    ],
)
def test_an_option_that_leaves_out_every_pair_is_named(
    corpus: Path, text: str, options: dict[str, Any], words: str
) -> None:
    (corpus / "train.de").write_text(text)
    assert words.format(corpus) in refusal(corpus, **TWO, **options)


def test_files_too_small_to_set_a_tenth_aside_are_refused(corpus: Path) -> None:
    with pytest.raises(BadData) as exc_info:
        drawn(corpus, "test", train_source="valid.en", train_target="valid.de", max_length=9)
    assert str(exc_info.value) == (
        f"dataset.options.valid_source: {corpus}/valid.en has too few different sources to take a test split from "
        "them: name a file of held-out ones here, or larger files to train on."
    )


def test_a_missing_column_is_named(corpus: Path) -> None:
    (corpus / "train.tsv").write_text("a\tb\tc\nd\te\n")
    assert refusal(corpus, train_source="train.tsv", target=3) == (
        f"{corpus}/train.tsv, line 2 has 2 of 3 columns between tabs: fix it, "
        "or name the columns in dataset.options.source and target."
    )


@pytest.mark.parametrize("split", ["train", "valid"])
def test_a_file_without_tabs_may_lack_its_target_file(corpus: Path, split: Split) -> None:
    named = {"train_source": "train.en"} | ({"train_target": "train.de"} if split != "train" else {})
    with pytest.raises(BadData, match=rf"1 has 1 of 2 .* or a file of its targets in dataset\.options\.{split}_target"):
        drawn(corpus, split, **named, valid_source="valid.en")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "dataset.options.train_source: name a file of source texts"),
        ({"train_target": "train.de"}, "dataset.options.train_source: name the file of train.de's source texts"),
        ({"train_source": "train.en", "train_target": "train.en"}, "is train_source already"),
        (
            {"train_source": "./valid.en", "train_target": "train.de"},
            "valid_source: .* is train_source already",
        ),
        (TWO | {"train_source": "absent.en"}, r"train_source: there is no .*absent.en. Set dataset.options.folder"),
        (
            TWO | {"train_source": "/no/where.en"},
            r"train_source: there is no /no/where.en. Name the file where it is.$",
        ),
    ],
)
def test_missing_and_repeated_files_are_refused(corpus: Path, options: dict[str, str], words: str) -> None:
    with pytest.raises(BadData, match=words):
        texts(corpus, **options)


def test_a_preset_without_its_folder_set_says_where_it_looked(corpus: Path) -> None:
    result = run_headlight("train", "multi30k_en_de", cwd=corpus)
    assert result.returncode == 2
    assert result.stderr == (
        "headlight: preset multi30k_en_de, line 12: dataset.options.train_source: there is no "
        f"{corpus / 'train.lc.norm.tok.en'}. It was looked for "
        "where Headlight was started: set dataset.options.folder to where the files are "
        "(of a preset, `presets show` says which they are).\n"
    )
    result = run_headlight("train", "multi30k_en_de", "--set", f"dataset.options.folder={corpus / 'no'}", cwd=corpus)
    assert result.stderr.endswith("train.lc.norm.tok.en. Set dataset.options.folder to where the files are.\n")


@pytest.mark.parametrize("link", [os.link, os.symlink])
def test_a_file_by_another_name_is_the_same(corpus: Path, link: Callable[[Path, Path], None]) -> None:
    link(corpus / "train.en", corpus / "again.en")
    assert f"train_target: {corpus}/again.en is train_source already. Name another file." in refusal(
        corpus, train_source="train.en", train_target="again.en"
    )


def test_zero_width_characters_between_letters_are_kept(corpus: Path) -> None:
    (corpus / "train.en").write_text("a\u200bb\n\u200b\n", encoding="utf-8")
    (corpus / "train.de").write_text("x\ny\n", encoding="utf-8")
    assert texts(corpus, **TWO, empty_lines="leave_out") == [("a\u200bb", "x")]


@one_host
def test_the_plugin_check_finds_nothing_to_fix(corpus: Path) -> None:
    with Engine() as engine:
        report = answered(engine, CheckPlugin(plugin="parallel_text", options={"folder": str(corpus), **TWO}))
    assert report.findings == ()


def write(name: str, data: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes(data)


def symlink(name: str, *, to: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).symlink_to(to)


def nothing(folder: Path) -> None:
    """Leave the files as they are."""


LINES = b"x\n" * 150


@pytest.mark.parametrize(
    ("damage", "options", "expected"),
    [
        (
            write("train.de", LINES + b"\xff\n" * 50),
            {},
            "{0}/train.de, line 151, byte 1 (0xff) is not UTF-8: "
            "convert the file, with `iconv -f LATIN1 -t UTF-8` if it is Latin-1.",
        ),
        (write("train.de", LINES), {}, "{0}/train.en has 200 lines and {0}/train.de 150: 50 more."),
        (write("train.de", LINES + b"\0\n" * 50), {}, "{0}/train.de, line 151 holds a NUL byte:"),
        (write("train.gz", LINES), {"train_target": "train.gz"}, "{0}/train.gz is not compressed by gzip,"),
        (write("train.de", b""), {}, "{0}/train.de is empty:"),
        (
            write("train.de", LINES + "\ufdfa".encode() * 60_000 + b"\n" + b"x\n" * 49),
            {"normalisation": "NFKC"},  # which writes this character as eighteen
            "{0}/train.en, line 151 has, with its target, 1,080,020 characters once it is normalised and cut: more "
            "than 1,000,000. Is a line break missing there?",
        ),
        (
            nothing,
            {"train_target": "x" * 300},
            f"dataset.options.train_target: {{0}}/{'x' * 300} cannot be read: File name too long. Make it readable, or",
        ),
        (
            symlink("lost", to="gone"),
            {"train_target": "lost"},
            "dataset.options.train_target: there is no gone, to which {0}/lost is a link. Name a file of that folder",
        ),
        (
            nothing,
            {"train_target": "Train.de"},
            "dataset.options.train_target: there is no {0}/Train.de. Name a file of that folder, or another by",
        ),
        (
            symlink("ring", to="ring"),
            {"train_target": "ring"},
            "dataset.options.train_target: {0}/ring cannot be read: Too many",
        ),
        (nothing, {"train_target": "train.en"}, "dataset.options.train_target: {0}/train.en is train_source already."),
    ],
)
def test_a_faulty_file_is_reported_without_the_plugins_path_and_nothing_stays_cached(
    corpus: Path, host: PluginHost, damage: Callable[[Path], object], options: dict[str, Any], expected: str
) -> None:
    damage(corpus)
    with pytest.raises(UserError) as exc_info:
        prepared(corpus, host, options={"folder": str(corpus), **TWO, **options})
    assert exc_info.value.sentence.startswith(expected.format(corpus))
    assert list((corpus / "cache").iterdir()) == [], "no incomplete folder may be left"


def append(path: Path) -> None:
    with path.open("a") as file:
        file.write("x\n")


def touch(path: Path) -> None:
    """Change only the modification time, as an edit that keeps the size does."""
    os.utime(path, (1e9, 1e9))


@pytest.mark.parametrize("change", [append, touch])
@pytest.mark.parametrize("name", ["train.en", "train.de"])
def test_files_that_change_while_they_are_read_leave_nothing_in_the_cache(
    corpus: Path, host: PluginHost, change: Callable[[Path], None], name: str
) -> None:
    for path in (corpus / "train.en", corpus / "train.de"):
        path.write_text("x\n" * 20_000)  # a thousand are drawn at a time, with another thousand read ahead
    options = {"folder": str(corpus), **TWO, "valid_source": "valid.en", "valid_target": "valid.de"}
    work = prepare_data(DatasetConfig(plugin="parallel_text", options=options), host, corpus / "cache")
    assert next(progress_of(work)).stage == "drawing train pairs"
    change(corpus / name)
    with pytest.raises(UserError, match=rf"{corpus}/{name} changed while it was read: try again"):
        list(work)
    assert list((corpus / "cache").iterdir()) == [], "no incomplete folder may be left"


@pytest.mark.parametrize("change", [append, touch])
def test_files_that_change_between_two_splits_leave_nothing_in_the_cache(
    corpus: Path, host: PluginHost, change: Callable[[Path], None]
) -> None:
    """Each split that is set aside reads the files again."""
    dataset = DatasetConfig(plugin="parallel_text", options={"folder": str(corpus), **TWO})
    work = prepare_data(dataset, host, corpus / "cache")
    assert next(progress_of(work)).stage == "drawing train pairs"  # these are all of them, as they are few
    for name in ("train.en", "train.de"):
        change(corpus / name)
    with pytest.raises(UserError, match=rf"{corpus}/train.en changed while .*[Tt]ry again once it is complete"):
        list(work)
    assert list((corpus / "cache").iterdir()) == [], "no incomplete folder may be left"


def test_files_with_too_few_subwords_leave_nothing_in_the_cache(corpus: Path, host: PluginHost) -> None:
    with pytest.raises(UserError, match="size = 9,000: the train split gives only"):
        prepared(corpus, host, tokenizer={"src": "subword", "tgt": "subword", "size": 9000})
    assert list((corpus / "cache").iterdir()) == [], "no incomplete folder may be left"


def prepared(corpus: Path, host: PluginHost, **settings: Any) -> tuple[PreparedData, list[str]]:
    """Prepare the corpus; return its data and the stages of preparing it."""
    dataset = DatasetConfig.model_validate(
        {"plugin": "parallel_text", "options": {"folder": str(corpus), **TWO}, **settings}
    )
    events, data = finish(prepare_data(dataset, host, corpus / "cache"))
    return data, [one.stage for one in events if isinstance(one, Progress)]


def test_unchanged_files_are_not_read_again(corpus: Path, host: PluginHost) -> None:
    def settle(*names: str) -> None:
        for name in names:
            os.utime(corpus / name, (1e9, 1e9))

    # In the future, so that the files count as just written however long the plugin host takes to start.
    later = time.time() + 3600
    for name in ("train.en", "train.de"):
        os.utime(corpus / name, (later, later))
    prepared(corpus, host)
    first, stages = prepared(corpus, host)
    assert "drawing train pairs" in stages, "files just written must be read again, as they may still change"
    settle("train.en", "train.de")
    assert "drawing train pairs" in prepared(corpus, host)[1], "files with new times must be read again"
    second, stages = prepared(corpus, host)
    assert (stages, second.folder, second.dataset) == ([], first.folder, first.dataset)
    assert prepared(corpus, host, seed=1)[0].fingerprint != first.fingerprint
    lines = (corpus / "train.de").read_text().replace("Satz 7", "Wort 7")
    (corpus / "train.de").write_text(lines)
    changed, stages = prepared(corpus, host)
    assert "drawing train pairs" in stages and changed.fingerprint != first.fingerprint


def write_over(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def put_in_its_place(path: Path, data: bytes) -> None:
    path.with_suffix(".new").write_bytes(data)
    path.with_suffix(".new").replace(path)


@pytest.mark.parametrize("change", [write_over, put_in_its_place])
def test_another_file_of_the_same_size_and_time_is_read(
    corpus: Path, host: PluginHost, change: Callable[[Path, bytes], None]
) -> None:
    """As `touch -r old new; mv new old` makes such a file, and unpacking an archive may."""
    for name in ("train.en", "train.de"):
        touch(corpus / name)
    first, _ = prepared(corpus, host)
    assert prepared(corpus, host)[1] == []
    change(corpus / "train.de", (corpus / "train.de").read_bytes().replace(b"Satz", b"Wort"))
    touch(corpus / "train.de")
    assert prepared(corpus, host)[0].fingerprint != first.fingerprint


def test_files_are_read_again_if_an_earlier_version_recorded_them(corpus: Path, host: PluginHost) -> None:
    for name in ("train.en", "train.de"):
        touch(corpus / name)
    first, _ = prepared(corpus, host)
    (folder_of(first) / "files.json").write_text('"what it made of sizes and times alone"')
    second, stages = prepared(corpus, host)
    assert ("drawing train pairs" in stages, second.folder) == (True, first.folder)
    assert prepared(corpus, host)[1] == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"source": [0]}, r"source: expected columns counted from 1, given \[0\]"),
        ({"target": []}, r"target: expected columns counted from 1, given \[\]"),
        ({"source": [1, 3], "source_cut": ["words"]}, "source_cut: expected one for each"),
        (
            {"source": [1, 3], "source_cut": ["letters", ";"]},
            "source_cut: expected words, characters or a separator of tokens .* given 'letters'",
        ),
        ({"target_cut": ["Characters"]}, "target_cut: expected words, characters or a separator .* given 'Characters'"),
        ({"source": 2}, r"target: expected other columns than the source's \[2\], given \[2\]"),
        ({"source": [1, 2]}, r"target: expected other columns than the source's \[1, 2\], given \[2\]"),
        ({"source": [1, 1]}, r"source: expected each column once, or cut in different ways, given \[1, 1\]"),
        ({"source": 3, "target": [1, 2, 1]}, "target: expected each column once"),
        ({"source": [2], "source_cut": ["words"], "target": 2}, "target: expected other columns"),
        (TWO | {"source": [2]}, r"source: texts in two files have no columns: expected \[1\], given \[2\]"),
        (TWO | {"source": [1, 3]}, r"source: texts in two files have no columns: expected \[1\], given \[1, 3\]"),
        (TWO | {"target": 1, "source": 2}, r"source: texts in two files have no columns: expected \[1\], given \[2\]"),
        (TWO | {"target_cut": ["words"]}, r"target_cut: texts in two files .* expected \[\], given \['words'\]"),
        (TWO | {"valid_source": "a", "valid_target": "b", "target": 3}, "target: texts in two files"),
    ],
)
def test_inconsistent_columns_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ParallelTextOptions(**options)


@pytest.mark.parametrize(
    "options",
    [
        {"source": [2], "source_cut": ["characters"]},  # from inflected words to their letters and back
        {"source": [1, 1], "source_cut": ["words", "characters"]},  # a word and its letters
        {"train_source": "train.tsv", "source": [1, 3]},
        TWO | {"valid_source": "valid.tsv", "source": [1, 3]},
        TWO | {"source": 1, "target": [2]},
    ],
)
def test_consistent_columns_are_accepted(options: dict[str, Any]) -> None:
    assert ParallelTextOptions(**options)


@pytest.mark.parametrize("cut", ["words", "characters", ";", "||", " und ", "_a_"])
def test_any_text_may_separate_tokens(cut: str) -> None:
    assert ParallelTextOptions(source_cut=[cut]).source_cut == [cut]


@one_host
def test_pairs_left_out_by_options_are_counted_in_the_split_they_would_be_in(corpus: Path) -> None:
    """Including the last pair of a file, an unchanged file, and a file with the same pairs but more left out."""
    (corpus / "train.tsv").write_text("\ta\n" + "a b\tb a\n" * 1000 + "a b c\ta\n" * 2, encoding="utf-8")
    valid = corpus / "valid.tsv"
    options = f"{{folder: {corpus}, train_source: train.tsv, valid_source: valid.tsv, max_length: 2, "
    dataset = f"dataset={{plugin: parallel_text, options: {options} empty_lines: leave_out}}}}"
    small = [word for key in ("model.d_model", "model.d_ff") for word in ("--set", f"{key}=16")]
    words = ("train", "copy_task", "--set", dataset, *small, "--set", "training.max_steps=1", "--runs-dir", corpus)
    for gaps, is_new in ((1, True), (1, False), (2, True)):
        if is_new:
            valid.write_text("a b c\tb\n" + "a\t\n" * gaps, encoding="utf-8")
        os.utime(valid, (gaps, gaps))
        note = "left out, by options of parallel_text: 3 of 1,003 train pairs, {0} of {1} valid pairs, {0} of {1} test"
        assert note.format(gaps, gaps + 1) in run_headlight(*words, cwd=corpus).stderr
