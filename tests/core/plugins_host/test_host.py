"""What the application sees of good and of broken plugins; every test runs a real host process."""

import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import platformdirs
import pytest

from core.errors import UserError
from core.plugin import API_VERSION, Pair
from core.plugins_host import host as host_module
from core.plugins_host.failures import ELSEWHERE, PluginError
from core.plugins_host.host import SHARD_SIZE, PluginHost
from core.plugins_host.info import PluginInfo
from core.run_files.state import is_alive
from core.text_form import AS_IT_COMES, TextForm

NEVER = 1000.0  # seconds, as long as an answer may take: who waits for it is failed by pytest-timeout
GOOD = """
def pairs(self, split, rng):
    for _ in range(2500 if split == "train" else 10):
        word = "".join(rng.choices("abcdeü", k=self.options.length))
        yield Pair(word, word[::-1], alignment=[(0, 1), (2, 3)])
"""
ENDLESS = """
endless = True
def pairs(self, split, rng):
    while True:
        yield Pair(str(rng.random()), split)
"""


def drawn(host: PluginHost, name: str, split: str = "train", seed: int = 0, **arguments: Any) -> list[Pair]:
    return list(chain.from_iterable(host.pairs(name, {}, seed, split, **arguments)))


def info_of(host: PluginHost, name: str) -> PluginInfo:
    return next(info for info in host.plugins() if info.name == name)


def line_of(path: Path, text: str) -> int:
    return next(number for number, line in enumerate(path.read_text().split("\n"), 1) if text in line)


def refusal_of(ask: Callable[[], object]) -> UserError | None:
    """The error that a question ends with; None where it is answered."""
    try:
        ask()
    except UserError as error:
        return error
    return None


def seconds_waited(sentence: str) -> int | None:
    """For a plugin that gave no answer, which a busy machine makes longer; None where something else happened."""
    found = re.search(r"gave no answer within (\d+) s", sentence)
    return None if found is None else int(found[1])


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


def test_the_built_in_plugins_are_found_by_the_same_door(host: PluginHost) -> None:
    assert info_of(host, "copy_task").error is None
    assert info_of(host, "copy_task").endless


def test_a_stream_is_left_without_a_word_when_its_process_is_gone(host: PluginHost, write_plugin: Any) -> None:
    write_plugin(ENDLESS)
    stream = host.pairs("named", {}, 0, "train")
    assert len(next(stream)) == 1000
    assert host._process is not None
    host._process.kill()
    stream.close()  # as the garbage collector does with what was abandoned
    assert host.limits("named", {}) == {}


WRONG_OPTIONS: list[tuple[dict[str, Any], str]] = [
    ({"length": "abc"}, "dataset.options.length: expected a whole number from 1 to 64, given 'abc'."),
    ({"length": 65}, "dataset.options.length: expected a whole number from 1 to 64, given 65."),
    ({"length": True, "noise": "x"}, "dataset.options.length: expected a whole number from 1 to 64, given True."),
    ({"noise": float("nan")}, "dataset.options.noise: expected a number from 0 to 1, given nan."),
    ({"lenght": 3}, "dataset.options.lenght: unknown key; did you mean 'length'?"),
    ({"qqq": 3}, "dataset.options.qqq: unknown key; known are length, noise."),
]


def test_a_wrong_option_is_named_in_one_line(host: PluginHost, write_plugin: Any) -> None:
    write_plugin(GOOD)
    for given, sentence in WRONG_OPTIONS:
        assert str(refusal_of(partial(host.options, "named", given))) == sentence


def test_options_are_completed(host: PluginHost, write_plugin: Any) -> None:
    write_plugin(GOOD)
    assert host.options("named", {"length": 3}) == {"length": 3, "noise": 0.5}
    assert host.options("copy_task", {})["num_symbols"] == 10


def test_a_finite_split_is_drawn_whole_in_chunks_with_its_alignments(host: PluginHost, write_plugin: Any) -> None:
    write_plugin(GOOD)
    chunks = list(host.pairs("named", {"length": 4}, 0, "train"))
    assert len(chunks) >= 3 and max(map(len, chunks)) <= 1000 and sum(map(len, chunks)) == 2500
    pair = chunks[0][0]
    assert len(pair.source) == 4 and pair.target == pair.source[::-1] and pair.alignment == [(0, 1), (2, 3)]
    assert len(drawn(host, "named", limit=7)) == 7


def test_endless_data_comes_in_shards_that_do_not_depend_on_each_other(host: PluginHost, write_plugin: Any) -> None:
    write_plugin(ENDLESS)
    shard = drawn(host, "named", shard=3)
    assert len(shard) == SHARD_SIZE
    assert drawn(host, "named", shard=3, limit=5) == shard[:5]
    assert drawn(host, "named", shard=4, limit=5) != shard[:5]
    assert drawn(host, "named", shard=3, seed=1, limit=5) != shard[:5]


def test_pairs_are_the_same_in_every_process(folder: Path, write_plugin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    write_plugin(GOOD)
    results = []
    for hash_seed in ("1", "2"):
        monkeypatch.setenv("PYTHONHASHSEED", hash_seed)
        with PluginHost([folder]) as host:
            results.append([drawn(host, "named"), drawn(host, "copy_task", "valid")])
    assert results[0] == results[1]


def test_two_streams_can_be_drawn_at_once_and_left_unfinished(host: PluginHost, write_plugin: Any) -> None:
    write_plugin(ENDLESS)
    first, second = host.pairs("named", {}, 0, "train"), host.pairs("copy_task", {}, 0, "train")
    assert next(first) != next(second)
    first.close()
    assert len(next(second)) == 1000
    second.close()
    assert host.limits("named", {}) == {}


# body, words of what is said, and of the line that is named
WRONG_PAIRS: list[tuple[str, str, str | None]] = [
    ("def pairs(self, split, rng):\n    yield Pair('a', 'b')\n    1 / 0", "ZeroDivisionError: division", "1 / 0"),
    ("def pairs(self, split, rng):\n    yield Pair('a', 'b')\n    yield 1, 2", "Pair 2 is (1, 2)", "yield 1"),
    ("def pairs(self, split, rng):\n    yield Pair('a', 7)", "Pair 1 is Pair(source='a', target=7", "7)"),
    ("def pairs(self, split, rng):\n    yield Pair('a', '\\ud800')", "Pair 1 cannot be written as UTF-8", "ud800"),
    ("def pairs(self, split, rng):\n    yield Pair('a', 'b', [1, 2])", "Pair 1 has alignment [1, 2]", "[1, 2]"),
    ("def pairs(self, split, rng):\n    yield Pair('a', 'b', [(0, -1)])", "Pair 1 has alignment [(0, -1)]", "-1"),
    ("def pairs(self, split, rng):\n    pass", "pairs() returned None", "def pairs"),
    ("def pairs(self, split, rng):\n    sys.exit(3)\n    yield", "SystemExit: 3", "sys.exit(3)"),
    (
        "def pairs(self, split, rng):\n    class Odd(Exception):\n        __str__ = None\n    raise Odd",
        *("failed: Odd (", "raise Odd"),
    ),
    ("def pairs(self, split, rng):\n    os._exit(3)\n    yield", "ended its process (exit code 3)", None),
    ("def pairs(self, split, rng):\n    ctypes.string_at(0)\n    yield", "crashed (SIGSEGV)", "string_at"),
    ("def pairs(self, split, rng):\n    while True: pass\n    yield", "gave no answer within", "while True"),
    ("def pairs(self, split, rng):\n    yield from ()", "gives no pairs for its train split", None),
]  # fmt: skip


def test_what_goes_wrong_in_pairs_is_told_with_its_line_and_the_host_goes_on(
    host: PluginHost, write_plugin: Any
) -> None:
    names = [f"case_{number}" for number in range(len(WRONG_PAIRS))]
    paths = [write_plugin(body, name=name) for name, (body, _, _) in zip(names, WRONG_PAIRS, strict=True)]
    for name, path, (body, words, blamed) in zip(names, paths, WRONG_PAIRS, strict=True):
        caught = refusal_of(partial(drawn, host, name))
        assert isinstance(caught, PluginError), body
        assert f"'{name}'" in caught.sentence and words in caught.sentence, body
        assert seconds_waited(caught.sentence) in (None, *range(2, 60))
        place = f"({path}, line {line_of(path, blamed)})" if blamed else f"({path})"
        assert place in caught.sentence, body
        assert len(drawn(host, "copy_task", "valid")) == 1000, body


# body, and words of what is said
NOT_LOADED = [
    ("1 / 0", "ZeroDivisionError: division by zero"),
    ("def pairs(self, split rng)", "SyntaxError"),
    ("sys.exit(1)", "SystemExit: 1"),
    ("os._exit(1)", "ended its process (exit code 1)"),
    ("ctypes.string_at(0)", "crashed (SIGSEGV)"),
    ("import no_such_module", "No module named 'no_such_module'"),
    ("time.sleep(1000)", "gave no answer within"),
    ("pass", "does not define pairs"),
    ("tokenizer = 'words'\ndef pairs(self, split, rng): yield", "tokenizer 'words'"),
    ("name = 'Has Spaces'\ndef pairs(self, split, rng): yield", "needs a name of lower-case letters"),
    ("api_version = '1'", "has api_version '1', expected the number of a version"),
    ("api_version = 99", "was made for version 99 of core.plugin, and this Headlight has version 1: use a newer"),
    ("from core.plugin import Later", "cannot import name 'Later' from 'core.plugin'"),
    ("from core.plugin import Later", "this Headlight has version 1 of it"),
    ("options_class = type('Bad', (Options,), {'n': option(0, ge=1)})", "PydanticUserError"),
]  # fmt: skip


def test_a_plugin_that_cannot_be_loaded_is_a_row(folder: Path, write_plugin: Any) -> None:
    names = [f"case_{number}" for number in range(len(NOT_LOADED))]
    paths = [write_plugin(body, name=name) for name, (body, _) in zip(names, NOT_LOADED, strict=True)]
    write_plugin("def pairs(self, split, rng): yield")
    with PluginHost([folder], describe_timeout=3.0) as host:
        for name, path, (body, words) in zip(names, paths, NOT_LOADED, strict=True):
            error = info_of(host, name).error
            assert error is not None and words in error and str(path) in error, body
            assert seconds_waited(error) in (None, *range(3, 60))
            caught = refusal_of(partial(drawn, host, name))
            assert isinstance(caught, PluginError) and caught.sentence == error, body
        assert info_of(host, "copy_task").error is None
        assert info_of(host, "named").error is None  # listed after all of them


def test_a_file_without_a_plugin_class_is_a_row(host: PluginHost, folder: Path) -> None:
    (folder / "empty.py").touch()
    (folder / "number.py").write_text("PLUGIN = 3")
    assert "does not define PLUGIN" in str(info_of(host, "empty").error)
    assert "PLUGIN is 3" in str(info_of(host, "number").error)


def test_a_folder_may_be_named_from_a_home(write_plugin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write_plugin(GOOD)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(file.parent))
    monkeypatch.setenv("HEADLIGHT_PLUGINS", "~")
    with PluginHost() as host:
        assert info_of(host, "named").origin == str(file)


def test_a_folder_that_cannot_be_looked_for_is_a_row() -> None:
    with PluginHost([Path("x" * 300)]) as host:
        assert "it cannot be read (File name too long)" in str(info_of(host, "x" * 300).error)
        assert info_of(host, "copy_task").error is None


def test_a_missing_plugin_and_a_missing_folder_are_named(
    tmp_path: Path, write_plugin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_plugin(GOOD)
    monkeypatch.setenv("HEADLIGHT_PLUGINS", str(file))
    with PluginHost([tmp_path / "nowhere"]) as host:
        assert "no such folder" in str(info_of(host, "nowhere").error)
        with pytest.raises(PluginError, match=r"no dataset plugin 'copy_tusk'.*copy_task") as caught:
            host.options("copy_tusk", {})
    assert f" {tmp_path / 'nowhere'}: there is no such folder. {file}: it is a file, expected a folder. " in str(
        caught.value
    )
    assert str(caught.value).endswith(ELSEWHERE)


def test_of_two_plugins_with_one_name_neither_wins(host: PluginHost, write_plugin: Any) -> None:
    files = [write_plugin(GOOD, file="one.py"), write_plugin(GOOD, file="two.py")]
    assert [info.name for info in host.plugins()].count("named") == 2
    with pytest.raises(PluginError) as caught:
        host.options("named", {})
    assert all(str(path) in caught.value.sentence for path in files)


def test_a_plugin_that_came_with_headlight_gives_way_to_ones_own(host: PluginHost, write_plugin: Any) -> None:
    own = write_plugin(GOOD, name="reverse")
    rows = {info.origin: info for info in host.plugins() if info.name == "reverse"}
    assert rows.pop(str(own)).error is None
    (built_in,) = rows.values()
    assert built_in.error == f"{own} has the name 'reverse' too, and is used in its place."
    assert [source.path for source in host.sources_of("reverse")] == [str(own)]
    assert host.options("reverse", {"length": 4}) == {"length": 4, "noise": 0.5}


def test_a_broken_file_keeps_its_own_error_beside_a_plugin_of_its_name(host: PluginHost, folder: Path) -> None:
    path = folder / "copy_task.py"
    path.write_text("this is no Python\n")
    errors = {info.origin: str(info.error) for info in host.plugins() if info.name == "copy_task"}
    assert "SyntaxError" in errors.pop(str(path))
    assert len(errors) == 1
    assert list(errors.values()) == [
        f"{path} has the name 'copy_task' too, and cannot be used itself: mend it, or move it away."
    ]
    with pytest.raises(PluginError, match="SyntaxError"):  # what is to be mended
        host.info("copy_task")


def test_folders_of_the_environment_and_of_the_user_are_searched(
    folder: Path, write_plugin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    users = Path(platformdirs.user_data_dir("headlight")) / "plugins"
    users.mkdir(parents=True)
    write_plugin(GOOD)
    write_plugin(GOOD, name="of_user").rename(users / "of_user.py")
    monkeypatch.setenv("HEADLIGHT_PLUGINS", str(folder))
    with PluginHost() as host:
        assert {"named", "of_user", "copy_task"} <= {info.name for info in host.plugins() if info.error is None}


def test_a_folder_named_in_two_places_is_searched_once(
    folder: Path, tmp_path: Path, write_plugin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "others"
    other.mkdir()
    write_plugin(GOOD, name="other").rename(other / "other.py")
    write_plugin(GOOD)
    monkeypatch.setenv("HEADLIGHT_PLUGINS", os.pathsep.join([str(folder), str(other)]))
    with PluginHost([folder]) as host:
        names = [info.name for info in host.plugins() if info.error is None]
    assert names.count("named") == names.count("other") == 1


@pytest.mark.parametrize("named", ["their_package:PLUGIN", "their_package"])
def test_entry_points_are_found_and_a_broken_one_is_a_row(
    tmp_path: Path, write_plugin: Any, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    write_plugin(GOOD, name="packaged").rename(tmp_path / "their_package.py")
    metadata = tmp_path / "their_package-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: their_package\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        f"[headlight.datasets]\npackaged = {named}\nbroken = no_such_package:PLUGIN\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with PluginHost() as host:
        info = info_of(host, "packaged")
        assert (info.origin, info.package, info.version) == (
            *(named, "their_package 1.0", f"their_package 1.0 · API {API_VERSION}"),
        )
        assert len(drawn(host, "packaged", "valid")) == 10
        broken = info_of(host, "broken")
        assert "no_such_package" in str(broken.error) and broken.version == "their_package 1.0"


def test_printing_reading_and_changing_the_process_does_no_harm(host: PluginHost, write_plugin: Any) -> None:
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
    before = drawn(host, "copy_task", limit=10)
    first = drawn(host, "named")
    assert drawn(host, "named") == first
    assert drawn(host, "copy_task", limit=10) == before


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere memory has no bound")
def test_memory_is_bounded_and_the_system_would_end_the_plugin_first(host: PluginHost, write_plugin: Any) -> None:
    write_plugin("""
        def pairs(self, split, rng):
            import resource
            yield Pair(open("/proc/self/oom_score_adj").read().strip(), "b")
            yield Pair(str(resource.getrlimit(resource.RLIMIT_DATA)[0]), "b")
    """)
    score, limit = [int(pair.source) for pair in drawn(host, "named")]
    assert score == 1000 and 0 < limit <= os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


def test_a_slow_plugin_is_not_a_hanging_one(host: PluginHost, write_plugin: Any) -> None:
    write_plugin("""
        def pairs(self, split, rng):
            for number in range(25):
                time.sleep(0.1)
                yield Pair(str(number), "b")
    """)
    chunks = list(host.pairs("named", {}, 0, "train"))
    assert len(chunks) > 1 and sum(map(len, chunks)) == 25


def test_endless_held_out_data_is_refused(host: PluginHost, write_plugin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    write_plugin(ENDLESS)
    monkeypatch.setitem(host_module.MAX_PAIRS, "valid", 3000)
    with pytest.raises(PluginError, match=r"does not end its valid split.* with endless = True"):
        drawn(host, "named", "valid")


def test_an_endless_train_split_that_ends_is_refused(host: PluginHost, write_plugin: Any) -> None:
    write_plugin("endless = True" + GOOD)
    with pytest.raises(PluginError, match="ended after 2,500 pairs"):
        drawn(host, "named")


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


# body, and the method that it breaks
WRONG_ANSWERS = [
    ("def symbols(self): return ['a'], 7", "symbols"),
    ("def symbols(self): return 'abc'", "symbols"),
    ("def limits(self): return {'a': 'b'}", "limits"),
    ("def examples(self): return 'one text'", "examples"),
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
        given = ([Pair("x", "y")], ["y"]) if call == "metrics" else ()
        caught = refusal_of(partial(getattr(host, call), name, {}, *given))
        assert isinstance(caught, PluginError) and f"{call}() returned" in caught.sentence, body
        assert caught.sentence.endswith(f"({path}, line {line_of(path, f'def {call}')})."), body


def test_a_limit_that_is_not_finite_is_refused_and_a_metric_is_not(host: PluginHost, write_plugin: Any) -> None:
    """A validation that cannot be said in numbers happens once in a run; a limit is kept with every run."""
    numbers = {"case_0": "inf", "case_1": "-inf", "case_2": "nan", "case_3": "inf", "case_4": "-inf"}
    written = {name: f'float("{number}")' for name, number in numbers.items()}
    written |= {"case_3": "10**400", "case_4": "-(10**400)"}  # larger than any float
    paths = {name: write_plugin(f'''{GOOD}
def limits(self): return {{"valid/loss": 0.5, "valid/own": {number}}}
def metrics(self, pairs, hypotheses): return {{"own": {number}}}
''', name=name) for name, number in written.items()}  # fmt: skip
    for name, number in numbers.items():
        caught = refusal_of(partial(host.limits, name, {}))
        sentence = f"Plugin '{name}' failed: limits() gives 'valid/own' as {number}; expected a finite number"
        assert isinstance(caught, PluginError), number
        assert caught.sentence == f"{sentence} ({paths[name]}, line {line_of(paths[name], 'def limits')})."
        assert "Leave it out where it is not known, or choose another dataset." in str(caught)
        assert repr(host.metrics(name, {}, [Pair("x", "y")], ["y"])["own"]) == number


def test_forget_ends_the_process_and_reads_edited_files_anew(host: PluginHost, write_plugin: Any) -> None:
    write_plugin(GOOD)
    assert len(drawn(host, "named", "valid")) == 10
    assert host._process is not None
    process = host._process._process
    host.forget()
    assert process.poll() is not None
    write_plugin(GOOD.replace("else 10", "else 20"))
    assert len(drawn(host, "named", "valid")) == 20


def test_a_process_that_had_to_be_started_again_draws_by_the_code_that_was_listed(
    host: PluginHost, write_plugin: Any
) -> None:
    code = GOOD + "\ndef examples(self):\n    import os; os._exit(3)\n"
    write_plugin(code)
    before = drawn(host, "named", "valid")
    with pytest.raises(PluginError, match="ended its process"):
        host.examples("named", {})
    assert drawn(host, "named", "valid") == before
    with pytest.raises(PluginError, match="ended its process"):
        host.examples("named", {})
    write_plugin(code.replace("word[::-1]", "word"))
    with pytest.raises(PluginError, match="its code was changed since it was read, and its process had to be started"):
        drawn(host, "named", "valid")
    host.forget()
    assert drawn(host, "named", "valid") != before


def test_close_does_not_wait_for_a_plugin_that_hangs(folder: Path, tmp_path: Path, write_plugin: Any) -> None:
    reached = tmp_path / "reached"
    write_plugin(f"def pairs(self, split, rng):\n    open({str(reached)!r}, 'w')\n    while True: pass\n    yield")
    host = PluginHost([folder], pairs_timeout=NEVER)
    host.plugins()
    errors: list[Exception] = []

    def draw() -> None:
        try:
            drawn(host, "named")
        except PluginError as error:
            errors.append(error)

    thread = threading.Thread(target=draw)
    thread.start()
    while not reached.exists():
        time.sleep(0.01)
    host.close()
    thread.join()
    assert len(errors) == 1


def test_what_is_asked_of_a_closed_host_starts_no_process(host: PluginHost) -> None:
    host.plugins()
    host.close()
    for ask in (host.plugins, partial(host.limits, "copy_task", {}), host.moved_to):
        with pytest.raises(PluginError, match="has been ended"):
            ask()
    assert host._process is None


def test_plugins_are_listed_beside_the_caller_and_close_waits_for_nothing_left(folder: Path) -> None:
    for seconds in (0.0, 0.1, 1.0):  # before, while and after they are listed
        with PluginHost([folder]) as host:
            host.warm_up()
            time.sleep(seconds)
    with PluginHost([folder]) as host:
        host.warm_up()
        assert "copy_task" in [info.name for info in host.plugins()]


def test_chunks_asked_for_ahead_come_to_the_stream_that_asked(host: PluginHost) -> None:
    """Two streams take turns, one is left half-way, other questions come between: all pairs are as without.

    Not all chunks: a busy machine sends what it has drawn after half a second.
    """
    whole = [drawn(host, "copy_task", seed=seed, limit=8000) for seed in (1, 2)]
    streams = [host.pairs("copy_task", {}, seed, "train", limit=8000) for seed in (1, 2)]
    taken: list[list[Pair]] = [[], []]
    for _ in range(5):
        for stream, pairs in zip(streams, taken, strict=True):
            pairs.extend(next(stream))
            assert host.examples("copy_task", {})
    streams[0].close()  # with the sixth chunk on its way
    taken[1].extend(chain.from_iterable(streams[1]))
    assert taken == [whole[0][: len(taken[0])], whole[1]] and 0 < len(taken[0]) < 8000 == len(whole[1])
    assert drawn(host, "copy_task", seed=1, limit=8000) == whole[0]


def test_a_stream_left_after_its_host_was_closed_starts_no_process(folder: Path) -> None:
    host = PluginHost([folder])
    stream = host.pairs("copy_task", {}, 0, "train", limit=3000)
    next(stream)
    host.close()
    stream.close()
    assert host._process is None


def test_code_is_that_which_was_loaded(folder: Path, write_plugin: Any) -> None:
    write_plugin(GOOD)
    with PluginHost([folder]) as host:
        loaded = host.code("named")
        write_plugin(GOOD + "# edited")
        assert host.code("named") == loaded
        host.forget()
        assert host.code("named") != loaded


FAILS_LATE = """
def pairs(self, split, rng):
    for number in range(1500):
        yield Pair(str(number), "x")
    raise ValueError("no more")
"""


def test_what_fails_ahead_is_told_at_once_and_ends_nobody_elses_stream(folder: Path, write_plugin: Any) -> None:
    write_plugin(FAILS_LATE)
    with PluginHost([folder], pairs_timeout=NEVER) as host:
        other = host.pairs("copy_task", {}, 0, "train", limit=3000)
        taken = next(other)
        with pytest.raises(PluginError, match="'named' failed: ValueError: no more"):
            drawn(host, "named")
        left_early = host.pairs("named", {}, 0, "train")
        next(left_early)
        left_early.close()  # with the failure on its way
        assert len(taken) + sum(map(len, other)) == 3000


def test_in_a_hurry_a_plugin_that_hangs_is_given_a_moment_and_one_that_works_is_not_disturbed(
    folder: Path, write_plugin: Any
) -> None:
    write_plugin("def pairs(self, split, rng):\n    time.sleep(1000)\n    yield")
    with PluginHost([folder]) as host:
        host.plugins()
        timer = threading.Timer(0.3, host.in_a_hurry.set)
        timer.start()
        for _ in range(2):  # the answer waited for when the hurry begins, and one asked for while it lasts
            with pytest.raises(PluginError, match="'named' gave no answer") as caught:
                drawn(host, "named")
            assert seconds_waited(caught.value.sentence) in range(2, 30)  # 30 s is as long as an answer may take
            timer.join()
            host.in_a_hurry.clear()
            host.moved_to()  # a new process has as long as it takes to start
            host.in_a_hurry.set()
        assert len(drawn(host, "copy_task", "valid")) == 1000


def test_a_plugin_not_waited_for_in_a_hurry_is_not_listed_as_broken(
    folder: Path, tmp_path: Path, write_plugin: Any
) -> None:
    ready = tmp_path / "ready"
    write_plugin(f"while not os.path.exists({str(ready)!r}): time.sleep(0.01)\n{GOOD}")
    with PluginHost([folder]) as host:
        host.moved_to()  # starts it
        host.in_a_hurry.set()
        with pytest.raises(PluginError, match="'named' gave no answer"):
            host.plugins()
        host.in_a_hurry.clear()
        ready.touch()
        assert [info.error for info in host.plugins() if info.name == "named"] == [None]


def test_a_plugin_that_closes_every_file_is_ended(host: PluginHost, write_plugin: Any) -> None:
    write_plugin("def pairs(self, split, rng):\n    os.closerange(3, 100)\n    while True: pass\n    yield")
    with pytest.raises(PluginError, match="'named'"):
        drawn(host, "named")
    assert len(drawn(host, "copy_task", "valid")) == 1000


ENDS_WHILE_SENDING = """
def pairs(self, split, rng):
    import io, __main__
    send = __main__._Channel.send
    def send_a_part(channel, *answer):
        pipe, channel._outgoing = channel._outgoing, io.BytesIO()
        send(channel, *answer)
        pipe.write(channel._outgoing.getvalue()[:{}])
        pipe.flush()
        os._exit(3)
    __main__._Channel.send = send_a_part
    yield Pair("a", "b")
"""


@pytest.mark.parametrize("end", [10, -3])  # within the answer's line, and within the pairs behind it
def test_a_plugin_that_ends_its_process_while_pairs_are_sent_is_told(
    host: PluginHost, write_plugin: Any, end: int
) -> None:
    write_plugin(ENDS_WHILE_SENDING.format(end))
    with pytest.raises(PluginError, match=r"'named' ended its process \(exit code 3\)"):
        drawn(host, "named")
    assert len(drawn(host, "copy_task", "valid")) == 1000


def test_a_broken_method_of_a_package_is_told_at_its_own_line(
    tmp_path: Path, write_plugin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "their_module.py"
    write_plugin(GOOD + "def limits(self):\n    import json\n    return json.loads('{')", name="packaged").rename(path)
    metadata = tmp_path / "their_module-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: their_module\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[headlight.datasets]\npackaged = their_module:PLUGIN\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with PluginHost() as host, pytest.raises(PluginError) as caught:
        host.limits("packaged", {})
    assert f"({path}, line {line_of(path, 'json.loads')})" in caught.value.sentence


def test_what_a_plugin_has_started_ends_with_it(host: PluginHost, write_plugin: Any) -> None:
    write_plugin("""
        def pairs(self, split, rng):
            import subprocess
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
            yield Pair(str(child.pid), "b")
    """)
    child = int(drawn(host, "named")[0].source)
    host.close()
    deadline = time.monotonic() + 60
    while is_alive(child):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_process_that_has_ended_by_itself_is_forgotten_where_its_group_may_not_be_signalled(
    host: PluginHost, write_plugin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on macOS."""
    write_plugin(GOOD)
    host.plugins()
    ended = host._process
    assert ended is not None
    os.kill(ended._process.pid, signal.SIGKILL)

    def refuse(*_: int) -> None:
        raise PermissionError

    with monkeypatch.context() as patch:
        patch.setattr(os, "killpg", refuse)
        host.forget()
    assert "copy_task" in {info.name for info in host.plugins()}


def test_what_a_plugin_has_set_free_is_not_waited_for(host: PluginHost, write_plugin: Any) -> None:
    """In a session of its own it outlives the process, and holds the pipe of what is printed."""
    write_plugin("""
        def pairs(self, split, rng):
            import subprocess
            command = [sys.executable, "-c", "import time; time.sleep(1000)"]
            child = subprocess.Popen(command, start_new_session=True)
            yield Pair(str(child.pid), "b")
    """)
    child = int(drawn(host, "named")[0].source)
    try:
        host.forget()
        assert is_alive(child) and len(drawn(host, "copy_task", "valid")) == 1000
    finally:
        os.kill(child, signal.SIGKILL)


def test_a_host_whose_parent_is_gone_ends_even_while_a_plugin_hangs(folder: Path, write_plugin: Any) -> None:
    write_plugin("def pairs(self, split, rng):\n    print(os.getpid(), flush=True)\n    while True: pass\n    yield")
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(folder)], stdout=subprocess.PIPE, text=True, env={**os.environ}
    )
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 60
    while is_alive(pid):
        assert time.monotonic() < deadline
        time.sleep(0.01)


PARENT = """
import sys
from pathlib import Path
from core.plugins_host.host import PluginHost
host = PluginHost([Path(sys.argv[1])])
host.plugins()
print(host._process._process.pid, flush=True)
next(host.pairs("named", {}, 0, "train"))
"""


def test_two_threads_may_draw_at_the_same_time(host: PluginHost) -> None:
    results: list[list[Pair]] = []
    threads = [threading.Thread(target=lambda: results.append(drawn(host, "copy_task"))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results[0] == results[1] and len(results[0]) == SHARD_SIZE


def test_neither_side_imports_torch_qt_or_numpy() -> None:
    code = (
        "import sys, core.plugins_host.process, core.plugins_host.host;"
        "print({'torch', 'numpy', 'PySide6'} & set(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


def test_the_random_state_of_the_application_is_left_alone(host: PluginHost) -> None:
    state = random.getstate()
    drawn(host, "copy_task", limit=10)
    assert random.getstate() == state


@pytest.mark.parametrize("answer", ["-1", "1.0", "True", "None"])
def test_what_no_number_of_pairs_can_be_is_told_as_they_are_drawn(
    host: PluginHost, write_plugin: Any, answer: str
) -> None:
    path = write_plugin(f"{GOOD}\ndef left_out(self, split): return {answer}\n")
    with pytest.raises(PluginError) as caught:
        drawn(host, "named")
    wrong = f"left_out() returned {answer}, expected a whole number of pairs"
    assert caught.value.sentence == f"Plugin 'named' failed: {wrong} ({path}, line {line_of(path, 'def left_out')})."
