"""Common mistakes in plugins: the error of each says what to write instead."""

from pathlib import Path

import pytest

from core.plugins_host.errors import PluginError
from core.plugins_host.host import PluginHost
from core.plugins_host.split_drawing import draw_lines

TEMPLATE = """
from core.plugin import DatasetPlugin, Options, Pair, draw_for, option

class WordsOptions(Options):
    length: int = option(6)

class Words(DatasetPlugin[WordsOptions]):
    name = "{name}"
    title = "Words"

    def pairs(self, split, rng):
        for index in range(self.options.length):
            yield Pair(f"{{split}} {{index}} {{rng.random()}}", "a")

PLUGIN = Words
"""
DEFAULT, CLASS, END = "option(6)", "DatasetPlugin[WordsOptions]", "PLUGIN = Words"
OPTION = "length: int = option(6)"
PAIRS = "def pairs"
COMMON_MISTAKES = {  # (right, wrong) -> words of the error
    (DEFAULT, "option(6, min=1)"): "Write ge= for the least value that is allowed: option(6, ge=1, le=64).",
    (DEFAULT, "option(6, maximum=64)"): "Write le= for the greatest value that is allowed: option(6, ge=1, le=64).",
    (DEFAULT, "option(6, 1, 64)"): "Give the default first and the others by name: option(6, ge=1, le=64, help=",
    (DEFAULT, "option(help='Letters')"): "Give the default first and the others by name: option(6, ge=1, le=64, help=",
    (OPTION, "length: str = option('a', ge=1)"): "Option 'length' has a range and the default 'a'; ge and le are for",
    (OPTION, "length: int = option('6', ge=1)"): "length: expected a whole number of at least 1, given '6' (",
    (DEFAULT, "option(6, le=float('inf'))"): "Let ge and le be numbers, whole ones for an int, or leave them out.",
    (OPTION, "length: float = option(6, le=float('nan'))"): "Option 'length' can have no value: none is at least or",
    (OPTION, "length: int = option(6, ge=9, le=1)"): "Option 'length' can have no value: it goes from 9 to 1",
    (OPTION, "length: str = option('\\ud800')"): "Option 'length' has the default '\\ud800', which cannot be written",
    (DEFAULT, "option(6, label=['Letters'])"): "Option 'length' has the label or help ['Letters'], expected a text",
    (DEFAULT, "option(6, help=5)"): "Option 'length' has the label or help 5, expected a text",
    (OPTION, "length: set[int] = option({6})"): "Option 'length' has a type that no YAML file can hold (",
    (OPTION, "length: 'Intt' = option(6)"): "line 4). Import or define the name that is missing",
    (OPTION, "check: int = option(6)"): "Option 'check' has the name of the method that looks at all options",
    (OPTION, "length = option(6)"): "Field 'length' requires a type annotation",
    (OPTION, "length = 6"): "Give each option its type: length: int = option(6)",
    (OPTION, "model_config: int = option(6)"): "Give the option another name than model_config",
    (OPTION, "model_dump: int = option(6)"): "Give the option another name than model_config, model_dump",
    (" = option(6)", ""): "dataset.options.length: expected one, such as length: int = option(6); given none",
    (END, "PLUGIN = Words()"): "End the file with the class itself, PLUGIN = YourClass, without parentheses.",
    (END, "PLUGIN = Words(WordsOptions())"): "an object of the class Words, expected the class itself",
    (OPTION, "length: __import__('typing').Callable = option(print)"): "Make each option an int, float, bool, str,",
    (OPTION, "length: type(print) = option(print)"): "Make each option an int, float, bool, str, Literal",
    (PAIRS, "def pair"): "Words does not define pairs(self, split, rng)",
    (END, "PLUGIN = Word"): "name 'Word' is not defined; did you mean 'Words'? (",
    ("Pair, draw_for", "Pairs, draw_for"): "this Headlight has version 1 of it; did you mean 'Pair'? (",
    (END, f"import slip_0\n{END}"): "Put that code into the plugin, which cannot import the files beside it, or both",
    (END, f"from . import slip_0\n{END}"): "Put that code into the plugin, which cannot import the files beside it",
    (END, f"import a_lib\n{END}"): "Import core.plugin and the standard library only, or install it beside Headlight",
}
OTHER_PARAMETERS = {  # a method -> words of the error
    "def pairs(self, split: str) -> object: pass": "Words has pairs(self, split), expected pairs(self, split, rng)",
    "def metrics(self, pairs): pass": "Words has metrics(self, pairs), expected metrics(self, pairs, hypotheses)",
    "def left_out(self): pass": "Words has left_out(self), expected left_out(self, split)",
    "def examples(): pass": "Words has examples(), expected examples(self)",
    "def limits(self, split): pass": "Words has limits(self, split), expected limits(self)",
    "def files(self, split): pass": "Words has files(self, split), expected files(self)",
    "def text_form(self, text): pass": "Words has text_form(self, text), expected text_form(self)",
    "endless = True; symbols = lambda self, side: []": "Words has symbols(self, side), expected symbols(self)",
    "limits = {'valid/loss': 0.5}": "Words.limits is {'valid/loss': 0.5}, expected a method limits(self)",
}
ACCEPTED_PARAMETERS = (
    *("symbols = lambda self, side: []", "pairs = lambda self, *given: []", "def pairs(self, s, r, more=1): yield"),
    *("@staticmethod\n    def examples(): return []", "@classmethod\n    def limits(cls): return {}"),
    "@__import__('functools').lru_cache\n    def examples(self): return []",
)


@pytest.fixture
def errors(folder: Path, host: PluginHost) -> dict[str, str]:
    """The error of each mistake, by the wrong text."""
    for number, (right, wrong) in enumerate(COMMON_MISTAKES):
        text = TEMPLATE.format(name=f"slip_{number}").replace(right, wrong)
        (folder / f"slip_{number}.py").write_text(text, encoding="utf-8")
    rows = {Path(info.origin).stem: info.error or "" for info in host.plugins()}
    return {wrong: rows[f"slip_{number}"] for number, (_, wrong) in enumerate(COMMON_MISTAKES)}


def test_each_mistake_is_answered_with_what_to_write_instead(errors: dict[str, str]) -> None:
    for (_, wrong), expected in COMMON_MISTAKES.items():
        assert expected in errors[wrong], wrong
        assert "Option '" not in expected or "line 5" in errors[wrong], wrong


def test_a_method_with_other_parameters_is_refused_with_its_line_when_the_plugin_is_loaded(
    folder: Path, host: PluginHost
) -> None:
    """metrics() is first called once a run has trained for a while."""
    for number, method in enumerate((*OTHER_PARAMETERS, *ACCEPTED_PARAMETERS)):
        text = TEMPLATE.format(name=f"slip_{number}").replace("PLUGIN", f"    {method}\n\nPLUGIN")
        (folder / f"slip_{number}.py").write_text(text, encoding="utf-8")
    errors = {Path(info.origin).stem: info.error or "" for info in host.plugins()}
    for number, (method, expected) in enumerate(OTHER_PARAMETERS.items()):
        assert f"{expected} ({folder / f'slip_{number}.py'}, line 15)" in errors[f"slip_{number}"], method
    for number, method in enumerate(ACCEPTED_PARAMETERS, start=len(OTHER_PARAMETERS)):
        assert not errors[f"slip_{number}"], method


def test_the_method_check_of_the_options_is_refused_with_its_line(folder: Path, host: PluginHost) -> None:
    method = f"{OPTION}\n    def check(self, options): pass"
    (folder / "words.py").write_text(TEMPLATE.format(name="words").replace(OPTION, method), encoding="utf-8")
    (info,) = (info for info in host.plugins() if info.origin == str(folder / "words.py"))
    assert "WordsOptions has check(self, options), expected check(self)" in str(info.error)
    assert "words.py, line 6)" in str(info.error)


# (right, wrong) -> words of the error, once pairs are drawn
MISTAKES_IN_METHODS = {
    (PAIRS, "def __init__(self): pass\n\n    def pairs"): "Let __init__ take the options and pass them on: def",
    (PAIRS, "def __init__(self, options): pass\n\n    def pairs"): "Let __init__ take the options and pass them on",
    ("Pair(f", "next(iter(())); Pair(f"): "Give next() a second argument, for when there is no more",
    ("options.length", "options.lenght"): "has no attribute 'lenght'; did you mean 'length'? (",
    ("range(", "rang("): "name 'rang' is not defined; did you mean 'range'? (",
    ("{index}", "{indx}"): "name 'indx' is not defined; did you mean 'index'? (",
    ("{index}", "{math.pi}"): "name 'math' is not defined; is `import math` missing? (",
    ('"a")', "tgt='a')"): "Write Pair(source, target), or Pair(source, target, alignment=",
    ("yield Pair", "draw_for(split, Pair('a', 'a')); yield Pair"): "Give draw_for the split and a function that draws",
    ("yield Pair", "draw_for(split, Pair, 'a'); yield Pair"): "draws one pair: draw_for(split, lambda: self.pair(rng))",
    ("split, rng", "rng, split"): "Take the split first, and then the rng: def pairs(self, split, rng)",
    (PAIRS, "def pairs(self, split, rng): raise NameError('odd')\n\n    def _"): "failed: NameError: odd (",
}


def test_each_mistake_in_a_method_is_answered_with_what_to_write_instead(folder: Path, host: PluginHost) -> None:
    for number, (right, wrong) in enumerate(MISTAKES_IN_METHODS):
        text = TEMPLATE.format(name=f"slip_{number}").replace(right, wrong)
        (folder / f"slip_{number}.py").write_text(text, encoding="utf-8")
    for number, ((_, wrong), expected) in enumerate(MISTAKES_IN_METHODS.items()):
        with pytest.raises(PluginError) as raised:
            list(draw_lines(host, f"slip_{number}", {}, 0, "train"))
        assert expected in str(raised.value), wrong


@pytest.mark.parametrize("base", ["DatasetPlugin[Options]", "DatasetPlugin"])
def test_missing_options_brackets_are_explained(base: str, folder: Path, host: PluginHost) -> None:
    (folder / "words.py").write_text(TEMPLATE.format(name="words").replace(CLASS, base), encoding="utf-8")
    with pytest.raises(PluginError, match=r"words.py, line 12\). Name your options in the brackets, .*\[YourOptions\]"):
        list(draw_lines(host, "words", {}, 0, "train"))


def test_assigning_to_an_option_is_reported_with_its_name(folder: Path, host: PluginHost) -> None:
    setting = TEMPLATE.format(name="words").replace("for index", "self.options.length = 5\n        for index")
    (folder / "words.py").write_text(setting, encoding="utf-8")
    with pytest.raises(
        PluginError, match=r"length: Instance is frozen .*words.py, line 12\). Options are frozen: keep"
    ):
        list(draw_lines(host, "words", {}, 0, "train"))
    in_check = TEMPLATE.format(name="words").replace("= option(6)", "= option(6)\n    def check(self): self.length = 5")
    (folder / "words.py").write_text(in_check, encoding="utf-8")
    host.reset()
    with pytest.raises(PluginError, match=r"dataset\.options\.length: check\(\) sets it, and options are frozen"):
        host.options("words", {})


def test_defaults_that_check_refuses_are_reported_at_its_line(folder: Path, host: PluginHost) -> None:
    check = '= option(6)\n    def check(self):\n        if self.length > 5: raise ValueError("too long")'
    (folder / "words.py").write_text(TEMPLATE.format(name="words").replace("= option(6)", check), encoding="utf-8")
    (info,) = (info for info in host.plugins() if info.name == "words")
    assert f"The defaults of dataset.options: too long ({folder / 'words.py'}, line 6)." in str(info.error)


def test_an_option_that_may_be_none_has_bounds(folder: Path, host: PluginHost) -> None:
    declared = TEMPLATE.format(name="words").replace(
        "= option(6)", "= option(6)\n    most: int | None = option(None, ge=1)"
    )
    (folder / "words.py").write_text(declared, encoding="utf-8")
    (info,) = (info for info in host.plugins() if info.name == "words")
    assert info.error is None
