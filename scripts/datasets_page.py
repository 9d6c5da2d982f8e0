"""Writes docs/datasets.md from our plugins: `python -m scripts.datasets_page > docs/datasets.md`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from core.plugins_host.host import PluginHost
from core.plugins_host.plugin_info import PluginInfo, is_built_in
from core.settings.fields import SettingField, schema_settings
from scripts.settings_page import default_cell, help_cell, value_cell

_HEAD = """# The datasets and their options

Each dataset is a plugin: `dataset.plugin` names it, and `dataset.options` holds the keys below, which all take effect
with a new run. The other keys of `dataset` (tokenizers, longest sentences) are in [settings.md](settings.md).
[plugin-guide.md](plugin-guide.md) explains how to write a plugin. This page is generated from the plugins:
`python -m scripts.datasets_page > docs/datasets.md`.

To train on texts of your own, use `parallel_text`. For pairs of files, cut into 8,000 subwords shared by both sides:

```yaml
dataset:
  plugin: parallel_text
  options:
    folder: corpus
    train_source: train.en
    train_target: train.de
    valid_source: valid.en
    valid_target: valid.de
    test_source: test.en
    test_target: test.de
  tokenizer: {src: subword, tgt: subword, size: 8000, shared: true}
training:
  batch_tokens: 4096
```

All other keys have defaults ([settings.md](settings.md)); `headlight presets show multi30k_en_de` prints a complete
config for a real corpus. For one file of columns, see
[plugin-guide.md](plugin-guide.md#columns-of-a-file-without-a-plugin).

Its files are UTF-8, plain or compressed by gzip. A line ends with a line feed, as on Linux and macOS, or with a
carriage return and a line feed, as on Windows. A lone carriage return or U+2028 ends no line: like other white space,
it counts as a space, and several spaces as one.
"""
_COLUMNS = ("| key | default | value | meaning |", "|---|---|---|---|")

_FIRST = "parallel_text"  # the one that readers with texts of their own look for


def datasets_page() -> str:
    """The reference page of the plugins that come with Headlight, in Markdown."""
    with PluginHost() as host:
        ours = [info for info in host.plugins() if is_built_in(info)]
    ours.sort(key=lambda info: (info.name != _FIRST, info.name))
    return "\n".join([_HEAD, *(line for info in ours for line in _section(info))])


def _section(info: PluginInfo) -> Iterator[str]:
    assert info.options_schema is not None, info.error
    tokenizer = " and ".join(dict.fromkeys(info.tokenizer))
    # a paragraph of its own: right after a list it would continue the last item
    yield from (f"## `{info.name}`", "", info.doc, "", f"Default tokenizer: {tokenizer}.", "")
    yield from (*_COLUMNS, *map(_row, schema_settings(info.options_schema)), "")


def _row(field: SettingField) -> str:
    return f"| `{field.key}` | {default_cell(field)} | {value_cell(field)} | {help_cell(field)} |"


def main() -> None:
    """Print the page."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    print(datasets_page(), end="")


if __name__ == "__main__":
    main()
