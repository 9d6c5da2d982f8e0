"""`plugins list`."""

from __future__ import annotations

from argparse import Namespace

from core.cli_output import print_json
from core.plugins_host.host import PluginHost, PluginInfo


def list_plugins(arguments: Namespace) -> int:
    """Print every plugin, one that cannot be loaded with its error."""
    with PluginHost(arguments.plugins_dir) as host:
        infos = host.plugins()
    width = max((len(info.name) for info in infos), default=0)
    for info in infos:
        if arguments.json:
            print_json(_record(info))
        elif info.error:
            print(f"{info.name:{width}}  cannot be used: {info.error}")
        else:
            print(f"{info.name:{width}}  {info.title} ({info.origin})")
    return 0


def _record(info: PluginInfo) -> dict[str, object]:
    src, tgt = info.tokenizer
    return {
        "name": info.name,
        "title": info.title,
        "doc": info.doc,
        "origin": info.origin,
        "error": info.error,
        "tokenizer": {"src": src, "tgt": tgt},
        "endless": info.endless,
        "options": info.options_schema,
    }
