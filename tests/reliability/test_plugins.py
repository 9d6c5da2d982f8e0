"""Promise 8: a faulty plugin is named with its line, its process is replaced, and the application continues.

Each method alone: tests/core/plugins_host; the messages of `plugins check`: tests/core/plugin_check.
"""

from __future__ import annotations

import math
import os
import random
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pytestqt.qtbot import QtBot

from core.config import RunConfig
from core.engine import Engine
from core.errors import UserError
from core.events import RunFinished
from core.requests import Learn, OpenRun, Prepare, Start, Stop
from core.run_folder import RunFolder
from gui.main_window import MainWindow
from tests.core.watcher import Watcher, answered, tiny_config
from tests.gui.conftest import WAIT_MS
from tests.reliability.cases import Cases

TEMPLATE = """
import ctypes, os, random, sys, time
from core.plugin import DatasetPlugin, Options, Pair, option
{top}
class BadOptions(Options):
    length: int = option(3)
{options}
class Bad(DatasetPlugin[BadOptions]):
    name = "bad"
    title = "Bad"
    tokenizer = "characters"
{body}
PLUGIN = Bad
"""
PAIRS = "def pairs(self, split, rng):\n    for number in range(50):\n        {first}\n        yield Pair('ab', 'ba')"


class Fault(NamedTuple):
    """A faulty plugin: its code for the module, options and class; the message expected, and the line named."""

    message: str
    body: str = PAIRS.format(first="pass")
    faulty_line: str = ""
    top: str = ""
    options: str = ""


def in_pairs(line: str, message: str, faulty_line: str = "", **more: str) -> Fault:
    return Fault(message, PAIRS.format(first=line), faulty_line or line, **more)


PLUGIN_FAULTS = {
    "raises at import": Fault("ZeroDivisionError", top="1 / 0", faulty_line="1 / 0"),
    "raises in options": Fault("KeyError", options="    def check(self): {}['x']", faulty_line="{}['x']"),
    "raises at item 7": in_pairs("if number == 7: raise ValueError('no seventh')", "no seventh"),
    "wrong types": Fault("Pair 1 is 7", "def pairs(self, split, rng):\n    yield 7", "yield 7"),
    "no pairs": Fault("gives no pairs", "def pairs(self, split, rng):\n    return []"),
    "sys.exit": in_pairs("sys.exit(0)", "SystemExit"),
    "os._exit": in_pairs("os._exit(0)", "ended its process (exit code 0)", "def nowhere"),
    "segmentation fault": in_pairs("ctypes.string_at(0)", "crashed (SIGSEGV)"),
    "allocates 10 GB": in_pairs("KEPT.extend(bytes(10**8) for _ in range(100))", "MemoryError", top="KEPT = []"),
    "exits at import": Fault("SystemExit", top="sys.exit(1)", faulty_line="sys.exit(1)"),
    "segmentation fault at import": Fault("crashed", top="ctypes.string_at(0)", faulty_line="ctypes.string_at(0)"),
}  # fmt: skip
SLOW_FAULTS = {
    "endless where it must end": Fault(
        "does not end its valid split",
        "endless = True\ndef pairs(self, split, rng):\n    while True: yield Pair('a', 'b')",
    ),
    "never answers": in_pairs("time.sleep(10**6)", "gave no answer within"),
}
QUICK_FAULTS = ("raises at item 7", "raises in options", "segmentation fault", "sys.exit", "allocates 10 GB")
HARMLESS_LINES = {
    "prints a million lines": "if number == 0: print('x\\n' * 1_000_000)",
    "changes folder": "os.chdir('/'); os.environ['HOME'] = '/'; os.umask(0o777)",
    "changes the random state": "random.seed(7); rng.seed(7)",
    "takes the streams": "os.write(1, b'{\"id\": 1}\\n'); sys.stdin.close(); sys.stdout = None",
}


def write(folder: Path, fault: Fault) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / "bad.py"
    body = textwrap.indent(fault.body, "    ")
    path.write_text(TEMPLATE.format(top=fault.top, options=fault.options, body=body), encoding="utf-8")
    return path


def with_plugin(name: str, options: dict[str, int] | None = None, **training: Any) -> RunConfig:
    config = tiny_config(**training)
    dataset = config.dataset.model_copy(update={"plugin": name, "options": options or {}})
    return config.model_copy(update={"dataset": dataset})


def test_a_faulty_plugin_is_named_with_its_line_and_another_is_prepared(
    tmp_path: Path, cases: Cases, full: bool
) -> None:
    for name, fault in (
        (PLUGIN_FAULTS | SLOW_FAULTS).items() if full else ((name, PLUGIN_FAULTS[name]) for name in QUICK_FAULTS)
    ):
        with cases.trying(name):
            path = write(tmp_path / "plugins", fault)
            with Engine(plugin_dirs=[tmp_path / "plugins"], cache_dir=tmp_path / "cache") as engine:
                with pytest.raises(UserError) as exc_info:
                    answered(engine, Prepare(config=with_plugin("bad")))
                lines = path.read_text(encoding="utf-8").splitlines()
                line_numbers = [
                    number for number, line in enumerate(lines, 1) if fault.faulty_line and fault.faulty_line in line
                ]
                location = f"({path}, line {line_numbers[0]})" if line_numbers else f"({path}"
                assert "'bad'" in str(exc_info.value) and fault.message in str(exc_info.value), exc_info.value
                assert location in str(exc_info.value), exc_info.value
                assert answered(engine, Prepare(config=tiny_config())).num_parameters > 0


def test_what_a_plugin_changes_in_its_process_has_no_effect_elsewhere(tmp_path: Path, cases: Cases, full: bool) -> None:
    before = Path.cwd(), dict(os.environ), random.getstate()
    for name, line in HARMLESS_LINES.items() if full else list(HARMLESS_LINES.items())[:2]:
        with cases.trying(name):
            write(tmp_path / "plugins", in_pairs(line, ""))
            watcher = Watcher()
            with Engine([watcher], plugin_dirs=[tmp_path / "plugins"], cache_dir=tmp_path / "cache") as engine:
                answered(engine, Prepare(config=with_plugin("bad", max_steps=3)))
                answered(engine, Start(runs_dir=tmp_path / "runs"))
                answered(engine, Learn())
            assert watcher.all(RunFinished)[-1].reason == "max_steps"
            assert (Path.cwd(), dict(os.environ), random.getstate()) == before


IN_SHARD = """endless = True
def pairs(self, split, rng):
    for number in range(10_000 if split == 'train' else 20):
        if split == 'train' and number == 5_000 and os.path.exists({mark!r}):
            {line}
        yield Pair('ab', 'ba')
"""
IN_METRICS = """endless = True
def pairs(self, split, rng):
    for number in range(10_000 if split == 'train' else 20):
        yield Pair('ab', 'ba')
def metrics(self, pairs, hypotheses):
    {line}
"""
ALLOCATION = "KEPT.extend(bytes(10**8) for _ in range(100))"
# What a plugin does -> its line, and the expected message.
LINES = {
    "fails": ("raise ValueError('no more')", "no more"),
    "exits": ("sys.exit(0)", "SystemExit"),
    "crashes": ("ctypes.string_at(0)", "crashed (SIGSEGV)"),
    "allocates 10 GB": (ALLOCATION, "MemoryError"),
    "never answers": ("time.sleep(10**6)", "gave no answer within"),
}
FAILURES = [(place, what, *bad) for place in (IN_METRICS, IN_SHARD) for what, bad in LINES.items()]
FAILURES += [(IN_METRICS, "gives a text", "return {'x': 'much'}", "metrics() returned")]
QUICK_FAILURES = FAILURES[:2]
TIMEOUT_S = 90.0  # a shard that times out is drawn a second time


def write_for_a_run(folder: Path, template: str, line: str) -> tuple[Path, str]:
    """Write a plugin that runs `line` in a validation or in its second shard; return it and how its line is named."""
    body = template.format(line=line, mark=str(folder / "begun"))
    path = write(folder, Fault("", body, top="KEPT = []"))
    (folder / "begun").unlink(missing_ok=True)
    lines = path.read_text(encoding="utf-8").splitlines()
    (number,) = (number for number, text in enumerate(lines, 1) if line in text)
    return path, f"({path}, line {number})"


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_a_plugin_that_fails_during_a_run_pauses_it_without_losing_steps(
    tmp_path: Path, cases: Cases, full: bool
) -> None:
    config = with_plugin("bad", max_steps=20_000, validate_every=10, batch_size=64, probe_every=10_000)
    for template, failure, line, message in FAILURES if full else QUICK_FAILURES:
        name = f"{failure} in {'metrics' if template is IN_METRICS else 'a shard'}"
        with cases.trying(name):
            path, location = write_for_a_run(tmp_path / "plugins", template, line)
            watcher = Watcher()
            with Engine([watcher], plugin_dirs=[path.parent], cache_dir=tmp_path / "cache") as engine:
                answered(engine, Prepare(config=config))
                run = answered(engine, Start(runs_dir=tmp_path / "runs"))
                (path.parent / "begun").touch()
                with pytest.raises(UserError) as exc_info:
                    engine.ask(Learn()).result(TIMEOUT_S)
                assert "'bad'" in str(exc_info.value) and message in str(exc_info.value), exc_info.value
                if failure == "gives a text":  # the method is named instead of the line
                    location = f"({path}, line "
                assert location in str(exc_info.value), exc_info.value
                finished = watcher.all(RunFinished)[-1]
                assert finished.reason == "plugin" and watcher.states()[-1] == "paused", finished
                answered(engine, Prepare(config=tiny_config()))
            folder = RunFolder.open(run)
            assert folder.state.reason == "plugin" and "'bad'" in (run / "log.txt").read_text(encoding="utf-8")
            assert folder.checkpoint_step("last") == finished.step == folder.last_trained_step()
            assert finished.step == (10 if template is IN_METRICS else 157), finished  # 10,000 pairs are 157 steps


NOT_FINITE_ONCE = """
def metrics(self, pairs, hypotheses):
    if len(pairs) > 1: SEEN.append(pairs)
    return {{'x': float('{number}') if len(SEEN) == 1 else len(SEEN)}}
"""


def test_a_metric_that_is_not_finite_is_kept_as_none_and_the_run_saved(
    tmp_path: Path, cases: Cases, full: bool
) -> None:
    """The metric is the run's best_metric, and a better value saves a checkpoint."""
    for number in ("inf", "-inf", "nan") if full else ("inf",):
        with cases.trying(number):
            pairs = PAIRS.format(first="pass")
            write(tmp_path / "plugins", Fault("", pairs + NOT_FINITE_ONCE.format(number=number), top="SEEN = []"))
            with Engine(plugin_dirs=[tmp_path / "plugins"], cache_dir=tmp_path / "cache") as engine:
                config = with_plugin("bad", best_metric="valid/x", max_steps=6, validate_every=2, checkpoint_every=100)
                answered(engine, Prepare(config=config))
                run = answered(engine, Start(runs_dir=tmp_path / "runs"))
                answered(engine, Learn(steps=2))
                answered(engine, Stop())
                folder = RunFolder.open(run)
                assert (folder.checkpoint_step("last"), folder.state.best_step) == (2, None)
                answered(engine, OpenRun(run=run))
                answered(engine, Learn())
            figures = {step: metrics["valid/x"] for step, metrics in folder.validation_metrics().items()}
            assert math.isnan(figures.pop(2)) and figures == {4: 2.0, 6: 3.0}
            assert (folder.reread_state().reason, folder.state.best_value) == ("max_steps", 3.0)


@pytest.fixture
def plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of plugins that is set before the window opens, since its engine starts its own host."""
    folder = tmp_path / "plugins"
    monkeypatch.setenv("HEADLIGHT_PLUGINS", str(folder))
    return folder


def take_with_plugins(window: MainWindow, config: RunConfig) -> None:
    """Prepare a config whose plugin was added after the window opened: a restarted host finds it."""
    window.context.bridge.engine._host.reset()  # as after a crash
    window.context.workbench.replace_draft(config)


def test_the_window_names_a_crashing_plugin_and_continues(
    qtbot: QtBot, plugins: Path, window: MainWindow, wait_for_state: Callable[[str], None]
) -> None:
    path = write(plugins, PLUGIN_FAULTS["segmentation fault"])
    take_with_plugins(window, with_plugin("bad"))
    qtbot.waitUntil(window.trouble_strip.isVisible, timeout=WAIT_MS)
    assert "'bad'" in window.trouble_strip.sentence.text() and str(path) in window.trouble_strip.sentence.text()
    window.context.workbench.replace_draft(tiny_config())
    wait_for_state("ready")
    window.context.workbench.learn(3)
    wait_for_state("paused")


def test_the_window_names_a_plugin_that_crashes_during_a_run_and_continues(
    qtbot: QtBot, plugins: Path, window: MainWindow, wait_for_state: Callable[[str], None]
) -> None:
    workbench = window.context.workbench
    _, named = write_for_a_run(plugins, IN_METRICS, LINES["crashes"][0])
    take_with_plugins(window, with_plugin("bad", max_steps=100, validate_every=10))
    workbench.learn()
    qtbot.waitUntil(window.trouble_strip.isVisible, timeout=WAIT_MS)
    wait_for_state("paused")
    assert "'bad'" in window.trouble_strip.sentence.text() and named in window.trouble_strip.sentence.text()
    run, step = workbench.run, window.context.bridge.history.last_step
    workbench.replace_draft(tiny_config())
    workbench.restart()
    qtbot.waitUntil(lambda: workbench.run not in (None, run), timeout=WAIT_MS)
    wait_for_state("finished")
    assert workbench.run is not None and RunFolder.open(workbench.run).state.reason == "max_steps"
    assert run is not None and RunFolder.open(run).checkpoint_step("last") == step == 10
