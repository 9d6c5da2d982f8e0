"""`presets list|show`, run in this process."""

from __future__ import annotations

import json
from argparse import Namespace

import pytest

from core.cli.presets import list_presets, show_preset
from core.config import RunConfig
from core.settings.presets import preset_names, preset_summary, preset_text, read_preset


def test_every_preset_is_listed_with_its_summary(capsys: pytest.CaptureFixture[str]) -> None:
    assert list_presets(Namespace(json=False)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == preset_names()
    assert list_presets(Namespace(json=True)) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert records == [{"name": name, "summary": preset_summary(name)} for name in preset_names()]


def test_a_preset_is_shown_verbatim_and_in_json_with_all_its_settings(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert show_preset(Namespace(preset="reverse", json=False)) == 0
    assert capsys.readouterr().out == preset_text("reverse")
    assert show_preset(Namespace(preset="reverse", json=True)) == 0
    (line,) = capsys.readouterr().out.splitlines()
    record = json.loads(line)
    assert (record["name"], record["summary"]) == ("reverse", preset_summary("reverse"))
    assert record["config"]["model"]["attention_dropout"] == 0.0, "defaults that the YAML omits must be included"
    assert RunConfig.model_validate(record["config"]) == read_preset("reverse")
