"""`presets list|show`, run in this process."""

from __future__ import annotations

import json
from argparse import Namespace

import pytest

from core.cli.presets import list_presets
from core.settings.presets import preset_names, preset_summary


def test_every_preset_is_listed_with_its_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert list_presets(Namespace(json=False)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == preset_names()
    assert list_presets(Namespace(json=True)) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert records == [{"name": name, "summary": preset_summary(name)} for name in preset_names()]
