"""An alignment that points past the end of its pair is reported when the run begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.config import config_to_yaml
from tests.core.watcher import tiny_config
from tests.in_process import run_headlight

COUNTED_PLUGIN = """
from core.plugin import DatasetPlugin, Options, Pair

class Counted(DatasetPlugin[Options]):
    name = "counted"
    title = "Counted"
    splits_overlap = True

    def pairs(self, split, rng):
        return [Pair("ab", "ba", [({first}, 1 + {first}), (1 + {first}, {first})])] * 20

PLUGIN = Counted
"""


def notes(folder: Path, first: int, *options: str) -> list[str]:
    """The notes when a run begins with a plugin that counts tokens from `first`."""
    (folder / "counted.py").write_text(COUNTED_PLUGIN.format(first=first), encoding="utf-8")
    (folder / "tiny.yaml").write_text(config_to_yaml(tiny_config(max_steps=1)), encoding="utf-8")
    plugin = ("--plugins-dir", ".", "--set", "dataset={plugin: counted}", *options)
    result = run_headlight("train", "tiny.yaml", *plugin, "--runs-dir", "runs", cwd=folder)
    assert result.returncode == 0, result.stderr
    return [line for line in result.stderr.splitlines() if line.startswith("Pair ")]


def test_counting_tokens_from_1_is_reported_at_the_first_pair(tmp_path: Path) -> None:
    assert notes(tmp_path, 1) == [
        "Pair 1 of the valid split has 2 source and 2 target tokens, but plugin 'counted' aligns (1, 2): such links "
        "are ignored. Count tokens, as the tokenizer cuts them, from 0. `plugins check counted` looks at all pairs."
    ]


@pytest.mark.parametrize(("first", "options"), [(0, ()), (1, ("--set", "dataset.tokenizer={src: whitespace}"))])
def test_nothing_is_reported_if_links_fit_or_the_tokenizer_differs(
    tmp_path: Path, first: int, options: tuple[str, ...]
) -> None:
    assert notes(tmp_path, first, *options) == []
