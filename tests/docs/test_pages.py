"""The project's own documents: ARCHITECTURE.md stays on two pages, and links between documents lead somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
CODE_BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!\w+:)(?P<path>[^)#\s]*)(?:#(?P<heading>[^)\s]*))?\)")  # no address of the web
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def text_of(document: Path) -> str:
    """A document without its code, where `#` begins a comment."""
    return CODE_BLOCK.sub("", document.read_text(encoding="utf-8"))


def anchors(document: Path) -> set[str]:
    """The names by which links reach its headings."""
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(text_of(document))}


def broken_links(document: Path) -> Iterator[str]:
    """Yield each link to a file or heading that is not there."""
    for link in LINK.finditer(text_of(document)):
        target = document.parent / link["path"] if link["path"] else document
        if not target.exists() or (link["heading"] is not None and link["heading"] not in anchors(target)):
            yield link[0]


def test_the_architecture_fits_on_two_pages() -> None:
    lines = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 100 and max(map(len, lines)) <= 140


def test_links_between_documents_lead_to_existing_files_and_headings() -> None:
    assert [f"{document.relative_to(ROOT)}: {link}" for document in DOCUMENTS for link in broken_links(document)] == []


@pytest.mark.parametrize(
    ("link", "is_broken"),
    [
        *[("(other.md)", False), ("(other.md#a-heading-its-name)", False), ("(#here)", False), ("(..)", False)],
        *[("(https://example.org/other.md)", False), ("(gone.md)", True), ("(other.md#gone)", True), ("(#gone)", True)],
        *[("(other.md#a-comment)", True), ("(other.md#)", True)],
    ],
)
def test_a_broken_link_is_found(tmp_path: Path, link: str, is_broken: bool) -> None:
    (tmp_path / "other.md").write_text("## A heading: its `name`\n\n```sh\n# a comment\n```\n", encoding="utf-8")
    document = tmp_path / "document.md"
    document.write_text(f"# Here\n\nSee [that]{link}.\n", encoding="utf-8")
    assert list(broken_links(document)) == [f"]{link}"] * is_broken
