"""The error for a plugin that was written for another API version."""

import pytest

from core.plugin import API_VERSION
from core.plugins_host import api_version
from core.plugins_host.api_version import CHANGES, version_mismatch

CHANGES_BY_VERSION = {2: "rename pairs to examples", 3: "yield Pair(source=..., target=...)"}


@pytest.fixture
def version_3(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if this Headlight had a later version."""
    monkeypatch.setattr(api_version, "API_VERSION", 3)
    monkeypatch.setattr(api_version, "CHANGES", CHANGES_BY_VERSION)


def test_every_version_says_what_to_change() -> None:
    assert set(CHANGES) == set(range(2, API_VERSION + 1))


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        (1, "this Headlight has version 3: rename pairs to examples; yield Pair(source=..., target=...); then set"),
        (2, "this Headlight has version 3: yield Pair(source=..., target=...); then set api_version = 3"),
        (4, "was made for version 4 of core.plugin, and this Headlight has version 3: use a newer Headlight"),
        (0, "has api_version 0, expected the number of a version, such as api_version = 3"),
        (True, "has api_version True, expected the number of a version"),
    ],
)
@pytest.mark.usefixtures("version_3")
def test_a_mismatch_says_what_to_do(version: object, expected: str) -> None:
    assert expected in version_mismatch(version)


def test_there_is_no_mismatch_for_this_version() -> None:
    assert version_mismatch(API_VERSION) == ""


@pytest.mark.usefixtures("version_3")
def test_there_is_no_mismatch_for_a_later_version() -> None:
    assert version_mismatch(3) == ""
