"""Checks whether a plugin was made for this version of `core.plugin`, and says what to change if it was not."""

from collections.abc import Mapping

from core.plugin import API_VERSION

CHANGES: Mapping[int, str] = {}
"""For each version from 2 on, what to change in a plugin made for the previous one."""


def version_mismatch(made_for: object) -> str:
    """Say why a plugin made for this version cannot be used; empty if it can."""
    if type(made_for) is not int or made_for < 1:
        return f"has api_version {made_for!r}, expected the number of a version, such as api_version = {API_VERSION}"
    if made_for == API_VERSION:
        return ""
    versions = f"was made for version {made_for} of core.plugin, and this Headlight has version {API_VERSION}"
    if made_for > API_VERSION:
        return f"{versions}: use a newer Headlight"
    changes_needed = [CHANGES[number] for number in range(made_for + 1, API_VERSION + 1)]
    return f"{versions}: {'; '.join([*changes_needed, f'then set api_version = {API_VERSION}'])}"
