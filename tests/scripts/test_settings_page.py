"""The reference page of settings."""

from __future__ import annotations

from pathlib import Path

from core.config import RunConfig
from core.settings.fields import settings
from scripts.settings_page import settings_page

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"


def test_the_page_in_docs_equals_the_declarations() -> None:
    assert PAGE.read_text(encoding="utf-8") == settings_page(), (
        "run: python -m scripts.settings_page > docs/settings.md"
    )


def test_every_key_has_a_row_or_heading() -> None:
    page = settings_page()
    for field in settings(RunConfig):
        assert f"`{field.key}`" in page or f"## {field.key}\n" in page or field.kind == "group"
