"""The presets are valid, explained and found from any folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.config import config_from_document, read_config
from core.errors import UserError
from core.plugins_host.host import PluginHost
from core.plugins_host.split_drawing import draw_lines
from core.settings.presets import preset_names, preset_or_file, preset_summary, preset_text, read_preset

NAMES = [
    *("copy_task", "toy_german_english", "phonetic_to_letter"),
    *("reverse", "sort", "addition", "dates", "brackets", "roman_numerals"),
    *("classic_annotated_copy", "classic_copy_notebook", "classic_one_sentence", "classic_phonetic"),
    *("classic_three_sentences", "cmudict_letters", "joeynmt_reverse", "multi30k_en_de"),
]
PRESETS_WITH_FILES = ("cmudict_letters", "multi30k_en_de")


def test_the_presets_of_the_contract_exist() -> None:
    assert preset_names() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_preset_is_valid_named_and_explained(name: str) -> None:
    assert read_preset(name).name == name
    assert preset_summary(name).endswith(".") and preset_text(name).startswith(f"# {preset_summary(name)}\n")
    assert "learnt" not in preset_text(name)  # the window spells it learned


def test_every_plugin_takes_its_presets_options_and_names_the_preset() -> None:
    with PluginHost() as host:
        for name in NAMES:
            dataset = read_preset(name).dataset
            assert host.options(dataset.plugin, dataset.options).items() >= dataset.options.items()
        # Its presets are named after their corpora.
        assert {info.name for info in host.plugins()} - set(NAMES) == {"parallel_text"}


@pytest.mark.parametrize("name", PRESETS_WITH_FILES)
def test_a_preset_without_its_files_says_which_and_what_to_set(name: str) -> None:
    dataset = read_preset(name, ("dataset.options.folder=/no/where",)).dataset
    assert "set dataset.options.folder" in preset_summary(name)
    with PluginHost() as host, pytest.raises(UserError) as exc_info:
        next(draw_lines(host, dataset.plugin, dataset.options, dataset.seed, "train"))
    sentence = f"dataset.options.train_source: there is no /no/where/{dataset.options['train_source']}. Set dataset.op"
    assert sentence in str(exc_info.value)


def test_overrides_reach_a_preset() -> None:
    assert read_preset("copy_task", ("seed=7",)).seed == 7
    with pytest.raises(UserError, match=r"^--set sed=7: sed: unknown key; did you mean seed\?$"):
        read_preset("copy_task", ("sed=7",))


def test_a_preset_or_a_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "mine.yaml"
    file.write_text("dataset: {plugin: copy_task}\nseed: 3\n", encoding="utf-8")
    assert config_from_document(preset_or_file("copy_task")) == read_preset("copy_task")
    for text in ("mine.yaml", str(file)):
        assert config_from_document(preset_or_file(text)) == read_config(file)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("copy_tsk", "copy_tsk: no such preset. Did you mean copy_task?"),
        ("qqq", "qqq: no such preset. There are: copy_task, toy_german_english, phonetic_to_letter, reverse, sort,"),
        ("mine.yaml", "mine.yaml: no such file. Check the path, or name a preset: `presets list` shows them."),
        (".", ".: expected a YAML file, given a folder."),
    ],
)
def test_an_unknown_preset_or_file_is_refused(
    text: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError) as exc_info:
        preset_or_file(text)
    assert str(exc_info.value).startswith(sentence)
