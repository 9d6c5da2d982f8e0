"""A plugin's wrong answers are reported with their line, and the host keeps working."""

import os
import sys
import textwrap
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from core.plugin import Pair
from core.plugins_host.errors import PluginError
from core.plugins_host.host import PluginHost
from core.plugins_host.split_drawing import draw_lines
from tests.core.plugins_host.helpers import GOOD, LONG_TIMEOUT, draw_pairs, error_of, seconds_waited


def line_of(path: Path, text: str) -> int:
    return next(number for number, line in enumerate(path.read_text().split("\n"), 1) if text in line)


# (class body, words of the error, text in the line that is named)
WRONG_PAIRS: list[tuple[str, str, str | None]] = [
    ("def pairs(self, split, rng):\n    yield Pair('a', 'b')\n    1 / 0", "ZeroDivisionError: division", "1 / 0"),
    ("def pairs(self, split, rng):\n    yield Pair('a', 'b')\n    yield 1, 2", "Pair 2 is (1, 2)", "yield 1"),
    ("def pairs(self, split, rng):\n    yield Pair('a', 7)", "Pair 1 is Pair(source='a', target=7", "7)"),
    ("def pairs(self, split, rng):\n    yield Pair('a', '\\ud800')", "Pair 1 cannot be written as UTF-8", "ud800"),
    ("def pairs(self, split, rng):\n    yield Pair('a', 'b', [1, 2])", "Pair 1 has alignment [1, 2]", "[1, 2]"),
    ("def pairs(self, split, rng):\n    yield Pair('a', 'b', [(0, -1)])", "Pair 1 has alignment [(0, -1)]", "-1"),
    ("def pairs(self, split, rng):\n    return ['a']", "Pair 1 is 'a'", "def pairs"),
    ("def pairs(self, split, rng):\n    return ['a' * 200]", f"Pair 1 is '{'a' * 98}…, expected Pair", "def pairs"),
    (
        "def pairs(self, split, rng):\n    yield type('Odd', (), {'__repr__': lambda self: 'array([1,\\n  2])'})()",
        *("Pair 1 is array([1, 2]), expected Pair(source, target)", "yield"),
    ),
    (
        "def pairs(self, split, rng):\n    yield Pair('a', 'b')\n    yield next(iter(()))",
        *("RuntimeError: generator raised StopIteration", "next(iter"),
    ),
    ("def pairs(self, split, rng):\n    pass", "pairs() returned None", "def pairs"),
    ("def pairs(self, split, rng):\n    sys.exit(3)\n    yield", "SystemExit: 3", "sys.exit(3)"),
    (
        "def pairs(self, split, rng):\n    class Odd(Exception):\n        __str__ = None\n    raise Odd",
        *("failed: Odd (", "raise Odd"),
    ),
    ("def pairs(self, split, rng):\n    os._exit(3)\n    yield", "ended its process (exit code 3)", None),
    ("def pairs(self, split, rng):\n    ctypes.string_at(0)\n    yield", "crashed (SIGSEGV)", "string_at"),
    ("def pairs(self, split, rng):\n    time.sleep(1000)\n    yield", "gave no answer within", "time.sleep"),
    ("def pairs(self, split, rng):\n    yield from ()", "gives no pairs for its train split", None),
]  # fmt: skip


def test_an_error_in_pairs_is_reported_with_its_line_and_the_host_continues(
    impatient_host: PluginHost, write_plugin: Any
) -> None:
    names = [f"case_{number}" for number in range(len(WRONG_PAIRS))]
    paths = [write_plugin(body, name=name) for name, (body, _, _) in zip(names, WRONG_PAIRS, strict=True)]
    for name, path, (body, words, faulty_line) in zip(names, paths, WRONG_PAIRS, strict=True):
        error = error_of(partial(draw_pairs, impatient_host, name))
        assert isinstance(error, PluginError), body
        assert f"'{name}'" in error.sentence and words in error.sentence, body
        assert seconds_waited(error.sentence) in (None, *range(2, 60))
        location = f"({path}, line {line_of(path, faulty_line)})" if faulty_line else f"({path})"
        assert location in error.sentence, body
        assert len(draw_pairs(impatient_host, "copy_task", "valid")) == 1000, body


def test_printing_reading_and_changing_the_process_has_no_effect(host: PluginHost, write_plugin: Any) -> None:
    write_plugin("""
        def pairs(self, split, rng):
            os.chdir("/")
            random.seed(0)
            sys.stdout.write("x" * 3_000_000)
            sys.stdout.flush()
            os.write(1, b'{"id": 1, "result": 7}\\n' * 1000)
            assert sys.stdin.read() == ""
            yield Pair(str(rng.random()), "b")
    """)
    before = draw_pairs(host, "copy_task", limit=10)
    first = draw_pairs(host, "named")
    assert draw_pairs(host, "named") == first
    assert draw_pairs(host, "copy_task", limit=10) == before


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited only on Linux")
def test_memory_is_limited_and_the_system_kills_the_plugin_first(host: PluginHost, write_plugin: Any) -> None:
    write_plugin("""
        def pairs(self, split, rng):
            import resource
            yield Pair(open("/proc/self/oom_score_adj").read().strip(), "b")
            yield Pair(str(resource.getrlimit(resource.RLIMIT_DATA)[0]), "b")
    """)
    score, limit = [int(pair.source) for pair in draw_pairs(host, "named")]
    assert score == 1000 and 0 < limit <= os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


# (class body, method that it breaks)
WRONG_ANSWERS = [
    ("def symbols(self): return ['a'], 7", "symbols"),
    ("def symbols(self): return 'abc'", "symbols"),
    ("def limits(self): return {'a': 'b'}", "limits"),
    ("def examples(self): return 'one text'", "examples"),
    ("def examples(self): return ['\\ud800']", "examples"),
    ("def examples(self): return ['a', 'b' * 1_000_001]", "examples"),
    ("def symbols(self): return ['a'], ['\\ud800']", "symbols"),
    ("def limits(self): return {'\\ud800': 1.0}", "limits"),
    ("def metrics(self, pairs, hypotheses): return {'\\ud800': 1.0}", "metrics"),
    ("def limits(self): return {'': 1.0}", "limits"),
    ("def metrics(self, pairs, hypotheses): return {'a\\nb': 1.0}", "metrics"),
    ("def files(self): return [7]", "files"),
    ("def text_form(self): return 'lower'", "text_form"),
    ("def text_form(self): return (True, 'NFX')", "text_form"),
    ("def text_form(self): return (True, 'NFC', ('words', ''))", "text_form"),
    ("def metrics(self, pairs, hypotheses): return {'a': 'b'}", "metrics"),
]


def test_wrong_answers_of_optional_methods_are_named(host: PluginHost, write_plugin: Any) -> None:
    names = [f"case_{number}" for number in range(len(WRONG_ANSWERS))]
    paths = [write_plugin(GOOD + body, name=name) for name, (body, _) in zip(names, WRONG_ANSWERS, strict=True)]
    for name, path, (body, call) in zip(names, paths, WRONG_ANSWERS, strict=True):
        arguments = ([Pair("x", "y")], ["y"]) if call == "metrics" else ()
        error = error_of(partial(getattr(host, call), name, {}, *arguments))
        assert isinstance(error, PluginError) and f"{call}() returned" in error.sentence, body
        assert error.sentence.endswith(f"({path}, line {line_of(path, f'def {call}')})."), body


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("cuts=['words']", "expected a TextForm whose cuts should be a valid tuple ("),
        ("normalisation='nfc'", "expected a TextForm whose normalisation should be 'none', 'NFC', 'NFD', 'NFKC' or "),
    ],
)
def test_the_wrong_part_of_a_text_form_is_named(host: PluginHost, write_plugin: Any, part: str, words: str) -> None:
    write_plugin(f"{GOOD}\ndef text_form(self):\n    from core.plugin import TextForm\n    return TextForm({part})\n")
    error = error_of(partial(host.text_form, "named", {}))
    assert isinstance(error, PluginError) and words in error.sentence


def test_a_limit_that_is_not_finite_is_refused_and_a_metric_is_not(host: PluginHost, write_plugin: Any) -> None:
    """A metric may be undefined in a single validation, but a limit is stored with the run."""
    numbers = {"case_0": "inf", "case_1": "-inf", "case_2": "nan", "case_3": "inf", "case_4": "-inf"}
    written = {name: f'float("{number}")' for name, number in numbers.items()}
    written |= {"case_3": "10**400", "case_4": "-(10**400)"}  # beyond the range of a float
    paths = {name: write_plugin(f'''{GOOD}
def limits(self): return {{"valid/loss": 0.5, "valid/own": {number}}}
def metrics(self, pairs, hypotheses): return {{"own": {number}}}
''', name=name) for name, number in written.items()}  # fmt: skip
    for name, number in numbers.items():
        error = error_of(partial(host.limits, name, {}))
        sentence = f"Plugin '{name}' failed: limits() gives 'valid/own' as {number}; expected a finite number"
        assert isinstance(error, PluginError), number
        assert error.sentence == f"{sentence} ({paths[name]}, line {line_of(paths[name], 'def limits')})."
        assert "Leave it out where it is not known, or choose another dataset." in str(error)
        assert repr(host.metrics(name, {}, [Pair("x", "y")], ["y"])["own"]) == number


LATE_FAILURE_BODY = """
def pairs(self, split, rng):
    for number in range(1500):
        yield Pair(str(number), "x")
    raise ValueError("no more")
"""


def test_a_failure_of_a_chunk_requested_ahead_ends_no_other_stream(folder: Path, write_plugin: Any) -> None:
    write_plugin(LATE_FAILURE_BODY)
    with PluginHost([folder], pairs_timeout=LONG_TIMEOUT) as host:
        other = draw_lines(host, "copy_task", {}, 0, "train", limit=3000)
        chunk = next(other)
        with pytest.raises(PluginError, match="'named' failed: ValueError: no more"):
            draw_pairs(host, "named")
        left_early = draw_lines(host, "named", {}, 0, "train")
        next(left_early)
        left_early.close()  # while the failure is being sent
        assert len(chunk) + sum(map(len, other)) == 3000


def test_a_broken_method_of_a_package_is_reported_at_its_own_line(
    tmp_path: Path, write_plugin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "their_module.py"
    methods = """
        def limits(self):
            import json
            return json.loads('{')
        def examples(self):
            time.sleep(1000)
        def files(self):
            ctypes.string_at(0)
        def pairs(self, split, rng):
            yield "no pair"
    """
    write_plugin(GOOD + textwrap.dedent(methods), name="packaged").rename(path)
    metadata = tmp_path / "their_module-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: their_module\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[headlight.datasets]\npackaged = their_module:PLUGIN\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(tmp_path)
    faults = {"limits": "json.loads", "examples": "time.sleep", "files": "string_at"}
    with PluginHost(pairs_timeout=2.0) as host:
        asked = {line: partial(getattr(host, method), "packaged", {}) for method, line in faults.items()}
        for faulty_line, ask in {**asked, "no pair": partial(draw_pairs, host, "packaged")}.items():
            error = error_of(ask)
            assert isinstance(error, PluginError)
            assert f"({path}, line {line_of(path, faulty_line)})" in error.sentence


def test_an_impossible_number_of_left_out_pairs_is_reported_while_drawing(host: PluginHost, write_plugin: Any) -> None:
    answers = {"case_0": "-1", "case_1": "1.0", "case_2": "True", "case_3": "None"}
    paths = {
        name: write_plugin(f"{GOOD}\ndef left_out(self, split): return {answer}\n", name=name)
        for name, answer in answers.items()
    }
    for name, answer in answers.items():
        error = error_of(partial(draw_pairs, host, name))
        cause = f"left_out() returned {answer}, expected a whole number of pairs"
        location = f"({paths[name]}, line {line_of(paths[name], 'def left_out')})"
        assert isinstance(error, PluginError), answer
        assert error.sentence == f"Plugin '{name}' failed: {cause} {location}."
