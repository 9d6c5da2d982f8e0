"""Finds members with a name like one that Headlight asks for, which would be left out of every run without a word."""

from __future__ import annotations

from collections.abc import Iterator

from core.answers.plugin_report import Finding
from core.plugins_host.host import PluginHost
from core.plugins_host.plugin_info import PluginInfo


def check_member_names(host: PluginHost, info: PluginInfo) -> Iterator[Finding]:
    """Find members such as `example` and `tokeniser`."""
    for name, nearest, file, line in host.misspelled_members(info.name):
        yield Finding(
            check="names",
            sentence=f"Nothing uses {name!r} ({file}, line {line}); expected {nearest!r}, which Headlight looks for.",
            advice="Rename it, or remove it.",
        )
