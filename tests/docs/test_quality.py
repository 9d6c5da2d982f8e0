"""The code in docs/quality.md that converts CMUdict to the files of its preset."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.settings.presets import read_preset

PAGE = Path(__file__).parents[2] / "docs" / "quality.md"
LETTERS = "abcdefghijklmnopqrst"
WORDS = [f"word{first}{second} W ER1 D {first.upper()}1 {second.upper()}" for first in LETTERS for second in LETTERS]
LEFT_OUT_WORDS = ["a(2) EY1", "3-d TH R IY2 D IY1", "a.m. EY2 EH1 M", "aaron's EH1 R AH0 N Z"]


def test_cmudict_becomes_the_files_of_its_preset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    lines = [*LEFT_OUT_WORDS, "debunk D IH0 B AH1 NG K", "d'artagnan D AH0 R # french", "aalborg AO1 L # place", *WORDS]
    (tmp_path / "cmudict.dict").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    options = read_preset("cmudict_letters").dataset.options
    made = {key: (tmp_path / options[key]).read_text(encoding="utf-8").splitlines() for key in options if "_" in key}
    pairs = {
        split: list(zip(made[f"{split}_source"], made[f"{split}_target"], strict=True)) for split in ("train", "valid")
    }
    assert ("D IH B AH NG K", "d e b u n k") in pairs["train"] + pairs["valid"]
    assert len(pairs["train"]) + len(pairs["valid"]) == len(WORDS) + 2 and 0 < len(pairs["valid"]) < len(WORDS) / 10
    assert not {source for source, _ in pairs["train"]} & {source for source, _ in pairs["valid"]}
