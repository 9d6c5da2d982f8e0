"""Members with a name like one that Headlight asks for are found, and an author's own are left alone."""

from typing import Any

import pytest

from core.plugins_host.host import PluginHost
from tests.core.plugins_host.helpers import GOOD

MISSPELLED = {
    "def example(self): return ['a']": "examples",
    "def metric(self, pairs, hypotheses): return {}": "metrics",
    "def textform(self): pass": "text_form",
    "tokeniser = 'whitespace'": "tokenizer",
    "Endless = False": "endless",
    "split_overlap: bool = True": "splits_overlap",
}
OWN = (
    "def metric(self, pair): return 0.5",  # other parameters
    "file = 'a.txt'",  # no method
    "def example(self): return 'a'\ndef examples(self): return ['a']",
    "def symbol(self): return 'a'\ndef limits(self): return {self.symbol(): 1.0}",
    "def _metrics(self, pairs, hypotheses): return {}",
    "def draw(self): return 'a'",
)


@pytest.mark.parametrize(("member", "nearest"), MISSPELLED.items())
def test_a_misspelled_member_is_found_with_its_line(
    host: PluginHost, write_plugin: Any, member: str, nearest: str
) -> None:
    path = write_plugin(f"{GOOD}\n{member}")
    ((name, found, file, line),) = host.misspelled_members("named")
    assert (found, file) == (nearest, str(path)) and name in member
    assert path.read_text().splitlines()[line - 1].strip() == member


@pytest.mark.parametrize("member", OWN)
def test_a_member_of_an_authors_own_is_left_alone(host: PluginHost, write_plugin: Any, member: str) -> None:
    write_plugin(f"{GOOD}\n{member}")
    assert host.misspelled_members("named") == []
