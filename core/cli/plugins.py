"""`plugins list`, `plugins new` and `plugins check`."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from core.cli.engine_client import TerminalClient
from core.cli.one_line import one_line
from core.cli.open_run import DATASET_OPTION
from core.cli.output import columns, print_json
from core.errors import UserError
from core.new_plugin import require_new_name, write_package, write_plugin
from core.plugin_check.report_text import report_text
from core.plugins_host.discovery import user_plugins_dir
from core.plugins_host.host import PluginHost
from core.plugins_host.plugin_info import PluginInfo
from core.requests import CheckPlugin
from core.settings.overriding import parse_override

CLEAN, FINDINGS = 0, 1
_FIELDS = ("name", "title", "doc", "origin", "package", "api_version", "version", "state", "error")


def list_plugins(arguments: Namespace) -> int:
    """Print every plugin; one that cannot be loaded, with its error."""
    with PluginHost(arguments.plugins_dir) as host:
        infos = host.plugins()
    if arguments.json:
        for info in infos:
            print_json(_record(info))
    else:
        _print_table(infos)
    return 0


def _print_table(infos: Sequence[PluginInfo]) -> None:
    """Print a row for each plugin, with its error on the next line."""
    texts = [(info.name, info.title, info.version, info.state, info.origin) for info in infos]
    cells = [[one_line(text) for text in row] for row in texts]
    indent = " " * max(len(name) for name, *_ in cells)
    for info, row in zip(infos, columns(cells), strict=True):
        print(row)
        if info.error is not None:
            print(f"{indent}  {one_line(info.error)}")


def new_plugin(arguments: Namespace) -> int:
    """Write a new plugin and print its files."""
    with PluginHost() as host:
        require_new_name(arguments.name, host.plugins())
    if arguments.package:
        written = write_package(arguments.name, Path())
    else:
        written = write_plugin(arguments.name, user_plugins_dir())
    for path in written:
        print(path)
    print(f"Change {written[0].name} to your task; its comments say how.", file=sys.stderr)
    return 0


def _record(info: PluginInfo) -> dict[str, object]:
    src, tgt = info.tokenizer
    details = {"tokenizer": {"src": src, "tgt": tgt}, "endless": info.endless, "options": info.options_schema}
    return {name: getattr(info, name) for name in _FIELDS} | details


def check_plugin(arguments: Namespace) -> int:
    """Check one plugin, and print what is wrong with it and what to do."""
    if not arguments.plugin.strip():  # an empty shell variable
        raise UserError("A plugin is needed: its name, or its .py file.", "`plugins list` shows the names.")
    request = CheckPlugin(plugin=arguments.plugin, options=dict(map(_option, arguments.set)))
    with TerminalClient(arguments.plugins_dir) as client:
        report = client.ask(request)
    if arguments.json:
        print_json(asdict(report))
    else:
        print(report_text(report))
    return CLEAN if report.is_clean else FINDINGS


def _option(text: str) -> tuple[str, object]:
    """Parse `length=3`, or as in a run's settings, `dataset.options.length=3`."""
    key, value = parse_override(text, example="length=3")
    return key.removeprefix(DATASET_OPTION), value
