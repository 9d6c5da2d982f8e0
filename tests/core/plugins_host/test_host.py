"""A host's answers for working plugins; every test runs a real host process."""

import random
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

from core.plugin import API_VERSION, Pair
from core.plugins_host.host import PluginHost
from core.plugins_host.split_drawing import SHARD_SIZE, draw_lines
from core.text_form import AS_IT_COMES, TextForm
from tests.core.plugins_host.helpers import ENDLESS, GOOD, draw_pairs, error_of, info_of


def test_a_plugin_is_described_from_its_declarations(host: PluginHost, write_plugin: Any) -> None:
    path = write_plugin(GOOD)
    info = info_of(host, "named")
    assert (info.title, info.doc, info.origin, info.error) == ("Test", "A plugin of a test.", str(path), None)
    assert (info.tokenizer, info.endless) == (("characters", "characters"), False)
    assert (info.api_version, info.version, info.state) == (API_VERSION, f"API {API_VERSION}", "ready")
    assert info.options_schema is not None
    assert list(info.options_schema["properties"]) == ["length", "noise"]
    assert info.options_schema["properties"]["length"] == {
        "default": 6, "minimum": 1, "maximum": 64, "type": "integer", "title": "Length",
        "description": "Letters in each word.",
    }  # fmt: skip


WRONG_OPTIONS: list[tuple[dict[str, Any], str]] = [
    ({"length": "abc"}, "dataset.options.length: expected a whole number from 1 to 64, given 'abc'."),
    ({"length": 65}, "dataset.options.length: expected a whole number from 1 to 64, given 65."),
    ({"length": True, "noise": "x"}, "dataset.options.length: expected a whole number from 1 to 64, given true."),
    ({"noise": float("nan")}, "dataset.options.noise: expected a number from 0 to 1, given nan."),
    ({"lenght": 3}, "dataset.options.lenght: unknown key; did you mean 'length'?"),
    ({"qqq": 3}, "dataset.options.qqq: unknown key; known are length, noise."),
]


def test_a_wrong_option_is_named_in_one_line(host: PluginHost, write_plugin: Any) -> None:
    write_plugin(GOOD)
    for options, sentence in WRONG_OPTIONS:
        assert str(error_of(partial(host.options, "named", options))) == sentence


def test_a_folder_whose_name_is_not_utf8_is_refused(host: PluginHost) -> None:
    """No file of a run could hold it."""
    assert str(error_of(partial(host.options, "parallel_text", {"folder": "/text\udcff"}))) == (
        "dataset.options.folder: /text\\udcff is not UTF-8, and no settings can hold it. Rename the file or folder, or "
        "make a link to it by another name."
    )


def test_options_are_completed(host: PluginHost, write_plugin: Any) -> None:
    write_plugin(GOOD)
    assert host.options("named", {"length": 3}) == {"length": 3, "noise": 0.5}
    assert host.options("copy_task", {})["num_symbols"] == 10


def test_two_streams_can_be_drawn_at_once_and_left_unfinished(host: PluginHost, write_plugin: Any) -> None:
    write_plugin(ENDLESS)
    first, second = (draw_lines(host, name, {}, 0, "train") for name in ("named", "copy_task"))
    assert next(first).pairs() != next(second).pairs()
    first.close()
    assert len(next(second)) == 1000
    second.close()
    assert host.limits("named", {}) == {}


def test_a_slow_plugin_does_not_time_out(impatient_host: PluginHost, write_plugin: Any) -> None:
    write_plugin("""
        def pairs(self, split, rng):
            for number in range(25):
                time.sleep(0.1)
                yield Pair(str(number), "b")
    """)
    *chunks, _ = draw_lines(impatient_host, "named", {}, 0, "train")
    assert len(chunks) > 1 and sum(map(len, chunks)) == 25


def test_the_optional_methods_answer(host: PluginHost, write_plugin: Any) -> None:
    write_plugin(
        GOOD
        + """
def symbols(self): return ["a", "b"], ("c",)
def limits(self): return {"valid/loss": 1}
def metrics(self, pairs, hypotheses):
    return {"equal": sum(p.target == h for p, h in zip(pairs, hypotheses)) / len(pairs)}
def examples(self): return ["ab" * self.options.length]
def text_form(self):
    from core.plugin import TextForm
    return TextForm(lowercase=True, normalisation="NFC")
"""
    )
    assert host.text_form("named", {}) == TextForm(lowercase=True, normalisation="NFC")
    assert host.text_form("copy_task", {}) == AS_IT_COMES
    assert host.symbols("named", {}) == (["a", "b"], ["c"])
    assert host.limits("named", {}) == {"valid/loss": 1.0}
    assert host.metrics("named", {}, [Pair("x", "y"), Pair("x", "z")], ["y", "y"]) == {"equal": 0.5}
    assert host.examples("named", {"length": 2}) == ["abab"]


def test_numbers_of_numpy_are_numbers(host: PluginHost, write_plugin: Any) -> None:
    write_plugin("""
        def pairs(self, split, rng):
            import numpy
            yield Pair("a b", "c d", alignment=numpy.array([[0, 1], [1, 0]]))
        def limits(self):
            import numpy
            return {"valid/own": numpy.float32(0.5)}
        def metrics(self, pairs, hypotheses):
            import numpy
            return {"own": numpy.float32(0.25), "count": numpy.int64(3)}
    """)
    assert draw_pairs(host, "named") == [Pair("a b", "c d", [(0, 1), (1, 0)])]
    assert host.limits("named", {}) == {"valid/own": 0.5}
    assert host.metrics("named", {}, [], []) == {"own": 0.25, "count": 3.0}


def test_a_plugins_init_runs_once_for_all_questions_and_once_for_each_split(
    host: PluginHost, write_plugin: Any
) -> None:
    """It may read a large file."""
    write_plugin("""
        num_made = 0
        def __init__(self, options):
            super().__init__(options)
            Named.num_made += 1
        def pairs(self, split, rng):
            yield Pair(str(self.num_made), "a")
        def examples(self):
            return [str(self.num_made)]
        def metrics(self, pairs, hypotheses):
            return {"made": self.num_made}
    """)
    assert [host.examples("named", {}), host.metrics("named", {}, [], [])] == [["1"], {"made": 1.0}]
    assert host.examples("named", {"length": 7}) == ["2"]
    assert [draw_pairs(host, "named", split)[0].source for split in ("train", "valid")] == ["3", "4"]
    assert [host.metrics("named", {}, [], []) for _ in range(3)] == [{"made": 5.0}] * 3


def test_the_code_hash_is_that_of_the_loaded_code(folder: Path, write_plugin: Any) -> None:
    write_plugin(GOOD)
    with PluginHost([folder]) as host:
        loaded = host.code_hash("named")
        write_plugin(GOOD + "# edited")
        assert host.code_hash("named") == loaded
        host.reset()
        assert host.code_hash("named") != loaded


def test_two_threads_may_draw_at_the_same_time(host: PluginHost) -> None:
    results: list[list[Pair]] = []
    threads = [threading.Thread(target=lambda: results.append(draw_pairs(host, "copy_task"))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results[0] == results[1] and len(results[0]) == SHARD_SIZE


def test_neither_host_nor_worker_imports_torch_qt_or_numpy() -> None:
    code = (
        "import sys, core.plugins_host.worker, core.plugins_host.host;"
        "print({'torch', 'numpy', 'PySide6'} & set(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


def test_the_random_state_of_the_application_is_not_changed(host: PluginHost) -> None:
    state = random.getstate()
    draw_pairs(host, "copy_task", limit=10)
    assert random.getstate() == state
