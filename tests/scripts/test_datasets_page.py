"""The reference page of dataset options."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.config import read_config
from scripts.datasets_page import datasets_page

PAGE = Path(__file__).parents[2] / "docs" / "datasets.md"


def test_the_page_in_docs_equals_the_plugins_declarations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADLIGHT_PLUGINS", raising=False)
    expected = datasets_page()
    assert PAGE.read_text(encoding="utf-8") == expected, "run: python -m scripts.datasets_page > docs/datasets.md"


def test_the_pages_example_is_a_valid_config(tmp_path: Path) -> None:
    example = PAGE.read_text(encoding="utf-8").split("```yaml\n")[1].split("```")[0]
    path = tmp_path / "corpus.yaml"
    path.write_text(example, encoding="utf-8")
    config = read_config(path)
    assert config.training.batch_tokens == 4096 and config.dataset.options["folder"] == "corpus"
