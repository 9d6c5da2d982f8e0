"""Writes docs/datasets.md from our plugins: `python -m core.settings.datasets_page > docs/datasets.md`."""

from __future__ import annotations

from collections.abc import Iterator

from core.plugins_host.host import PluginHost
from core.plugins_host.info import PluginInfo, is_built_in
from core.settings.fields import SettingField, schema_settings
from core.settings.page import default_cell, help_cell, value_cell

_HEAD = """# The datasets and their options

Each is a plugin: `dataset.plugin` names it, `dataset.options` holds the keys below, and all of them act with a new run.
The other keys of `dataset` (tokenizers, longest sentences) are in [settings.md](settings.md). How to write a plugin:
[plugin-guide.md](plugin-guide.md). This page is written from the plugins' own words:
`python -m core.settings.datasets_page > docs/datasets.md`.

Texts of your own need no plugin but `parallel_text`. Pairs of files, cut into 8,000 subwords that both sides share:

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

What is left out there has a default ([settings.md](settings.md)); `headlight presets show multi30k_en_de` is a whole
one that learned. One file of columns instead: [plugin-guide.md](plugin-guide.md#columns-of-a-file-without-a-plugin).
"""
_COLUMNS = ("| key | default | value | what it decides |", "|---|---|---|---|")

_FIRST = "parallel_text"  # whoever looks here has texts


def datasets_page() -> str:
    """The reference page of the plugins that come with Headlight, in Markdown."""
    with PluginHost() as host:
        ours = [info for info in host.plugins() if is_built_in(info)]
    ours.sort(key=lambda info: (info.name != _FIRST, info.name))
    return "\n".join([_HEAD, *(line for info in ours for line in _section(info))])


def _section(info: PluginInfo) -> Iterator[str]:
    assert info.options_schema is not None
    tokenizer = " and ".join(dict.fromkeys(info.tokenizer))
    # a paragraph of its own: behind a list it would go on with the last item
    yield from (f"## `{info.name}`", "", info.doc, "", f"Tokens, unless the run says otherwise: {tokenizer}.", "")
    yield from (*_COLUMNS, *map(_row, schema_settings(info.options_schema)), "")


def _row(field: SettingField) -> str:
    return f"| `{field.key}` | {default_cell(field)} | {value_cell(field)} | {help_cell(field)} |"


if __name__ == "__main__":
    print(datasets_page(), end="")
