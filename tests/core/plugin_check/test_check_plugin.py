"""A plugin check runs beside the engine's other work: it affects no run, can be cancelled, and notes name conflicts."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from pathlib import Path
from tempfile import gettempdir

import pytest

from core.answers.plugin_report import Bounds
from core.engine import Engine
from core.errors import UserError
from core.events import Progress
from core.plugin_check.report_text import report_text
from core.plugins_host.discovery import built_in_plugins_dir
from core.requests import CheckPlugin, Learn, Pause, SetPace
from core.run_folder import RunFolder
from tests.core.watcher import SECONDS, Watcher, answered, begun

CASES = Path(__file__).parent / "cases"
HANGING = CheckPlugin(plugin=str(CASES / "sleeps.py"), bounds=Bounds(answer_seconds=1000.0))  # too long to wait for
SHORT = Bounds(shards_seconds=0.0, options_seconds=0.0)
"""Bounds that shorten the check, for tests of other things than the plugin."""
STAGE = "checking copy_task: "

pytestmark = pytest.mark.usefixtures("engines_share_a_host")  # each check starts its own plugin processes


@pytest.fixture
def engine(watcher: Watcher, tmp_path: Path) -> Iterator[Engine]:
    with Engine([watcher], cache_dir=tmp_path / "cache") as engine:
        yield engine


def weights(folder: Path) -> dict[str, bytes]:
    checkpoint = RunFolder.open(folder).checkpoint(RunFolder.open(folder).checkpoint_step("last"))
    return {name: array.tobytes() for name, array in checkpoint.model.items()}


@pytest.mark.usefixtures("checks_share_hosts")
def test_a_run_trains_during_a_check_to_the_same_bit(engine: Engine, tmp_path: Path) -> None:
    length = {"max_steps": 100, "validate_every": 100, "checkpoint_every": 100}
    without_check = begun(engine, tmp_path, **length)
    answered(engine, Learn())
    with_check = begun(engine, tmp_path, **length)
    answered(engine, SetPace(steps_per_second=0.5))  # otherwise it would end before the check
    learning = engine.ask(Learn())
    assert answered(engine, CheckPlugin(plugin="copy_task", bounds=SHORT)).is_clean
    assert not learning.done()
    answered(engine, SetPace(steps_per_second=None))
    learning.result(SECONDS)
    assert weights(with_check) == weights(without_check)


@pytest.mark.usefixtures("checks_share_hosts")
def test_it_reports_its_progress(engine: Engine, watcher: Watcher) -> None:
    answered(engine, CheckPlugin(plugin="copy_task", bounds=SHORT))
    stages = [event.stage for event in watcher.all(Progress)]
    assert all(stage.startswith(STAGE) for stage in stages)
    assert {f"{STAGE}drawing train pairs", f"{STAGE}learning 32 pairs"} <= set(stages)


def test_a_hanging_plugin_delays_neither_training_nor_pause_nor_close(
    engine: Engine, watcher: Watcher, tmp_path: Path
) -> None:
    begun(engine, tmp_path / "runs", max_steps=10_000, validate_every=10_000, checkpoint_every=10_000)
    checking = engine.ask(HANGING)
    engine.ask(Learn())
    watcher.wait_past(20)
    assert answered(engine, Pause()) > 20
    engine.close()
    assert checking.cancelled()


def test_a_later_check_or_a_cancelled_future_ends_the_running_check(engine: Engine) -> None:
    first = engine.ask(HANGING)
    second = engine.ask(HANGING)
    with pytest.raises(CancelledError):
        first.result(SECONDS)
    second.cancel()
    deadline = time.monotonic() + SECONDS
    while any(thread.name.startswith("plugin check") for thread in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.usefixtures("checks_share_hosts")
def test_a_name_that_two_files_share_is_a_finding_by_name_and_noted_by_file(tmp_path: Path) -> None:
    for file in ("one.py", "other.py"):
        (tmp_path / file).write_text((CASES / "leaks.py").read_text())
    with Engine(plugin_dirs=[tmp_path]) as engine:
        by_name = answered(engine, CheckPlugin(plugin="leaks", with_learning=False))
        by_file = answered(engine, CheckPlugin(plugin=str(tmp_path / "one.py"), with_learning=False))
        assert {finding.check for finding in by_file.findings} == {"leaks"}
        assert f"note: {by_file.note}" in report_text(by_file)
        for text in (by_name.findings[0].sentence, by_file.note):
            assert "The plugin name 'leaks' is taken more than once" in text
            assert str(tmp_path / "one.py") in text and str(tmp_path / "other.py") in text
        (tmp_path / "other.py").unlink()
        report = answered(engine, CheckPlugin(plugin=str(tmp_path / "one.py"), with_learning=False))
        assert {finding.check for finding in report.findings} == {"leaks"}
        assert report.note == ""  # although the engine has not reloaded the plugins


@pytest.mark.usefixtures("checks_share_hosts")
def test_a_built_in_plugin_replaced_by_a_users_plugin_is_noted_by_both_checks(tmp_path: Path) -> None:
    own = tmp_path / "leaks.py"
    own.write_text((CASES / "leaks.py").read_text().replace('name = "leaks"', 'name = "reverse"'))
    file = str(built_in_plugins_dir() / "reverse.py")
    with Engine(plugin_dirs=[tmp_path]) as engine:
        by_name = answered(engine, CheckPlugin(plugin="reverse", with_learning=False))
        by_file = answered(engine, CheckPlugin(plugin=str(own), with_learning=False))
        built_in = answered(engine, CheckPlugin(plugin=file, with_learning=False, bounds=SHORT))
    assert {finding.check for report in (by_name, by_file) for finding in report.findings} == {"leaks"}
    assert by_name.note == by_file.note == "Headlight's own plugin 'reverse' gives way to it."
    assert built_in.is_clean and built_in.note == f"It gives way to {own}, which has its name."


@pytest.mark.usefixtures("checks_share_hosts")
@pytest.mark.parametrize("is_beside", [True, False])
def test_a_file_that_a_plugin_writes_beside_itself_is_named_with_its_line(
    engine: Engine, tmp_path: Path, *, is_beside: bool
) -> None:
    folder = "Path(__file__).parent" if is_beside else "Path(tempfile.mkdtemp())"
    text = (
        (CASES / "leaks.py")
        .read_text()
        .replace("import random\n", "import random, tempfile\nfrom pathlib import Path\n")
    )
    written = f"        Path(__file__).read_text(), ({folder} / 'pairs.cache').write_text(split)\n"
    head, body = text.split("-> Iterator[Pair]:\n")
    plugin = tmp_path / f"writes_{is_beside}.py"
    plugin.write_text(f"{head}-> Iterator[Pair]:\n{written}{body}", encoding="utf-8")
    report = answered(engine, CheckPlugin(plugin=str(plugin), with_learning=False))
    line = head.count("\n") + 2
    expected = f"It has written {tmp_path / 'pairs.cache'} ({plugin}, line {line}); expected it to leave its folder"
    found = [finding.sentence for finding in report.findings if finding.check == "conduct"]
    assert [sentence.startswith(expected) for sentence in found] == [True] * is_beside


@pytest.mark.usefixtures("checks_share_hosts")
def test_a_plugin_is_checked_with_the_options_given(engine: Engine) -> None:
    options, bounds = {"min_length": 2, "max_length": 3}, Bounds(shards_seconds=0.0)
    request = CheckPlugin(plugin="copy_task", options=options, with_learning=False, bounds=bounds)
    report = answered(engine, request)
    assert report.figures is not None and report.figures.splits["train"].src_lengths.longest == 3
    assert report.tried_options is not None and report.tried_options.num_tried == report.tried_options.num_values == 7
    with pytest.raises(
        UserError, match=r"dataset\.options\.max_length: expected a whole number from 1 to 200, given 0"
    ):
        answered(engine, CheckPlugin(plugin="copy_task", options={"max_length": 0}))


LONG_TEXTS_PLUGIN = """
from core.plugin import DatasetPlugin, Options, Pair

class Long(DatasetPlugin[Options]):
    name = "long"
    title = "Long texts"

    def pairs(self, split, rng):
        return [Pair(f"{split} {number:0500}", "a") for number in range(5000)]

PLUGIN = Long
"""


@pytest.mark.usefixtures("checks_share_hosts")
def test_long_texts_that_are_not_all_kept_equal_those_drawn_again(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "long.py").write_text(LONG_TEXTS_PLUGIN, encoding="utf-8")
    report = answered(engine, CheckPlugin(plugin=str(tmp_path / "long.py"), with_learning=False))
    assert "same seed" not in {finding.check for finding in report.findings}


@pytest.mark.usefixtures("checks_share_hosts")
@pytest.mark.parametrize(("case", "num_faults"), [("metrics_raise", 1), ("metrics_built_in", 2)])
def test_a_fault_with_every_option_value_is_reported_once(
    engine: Engine, tmp_path: Path, case: str, num_faults: int
) -> None:
    text = (CASES / f"{case}.py").read_text(encoding="utf-8")
    declared = text.replace(
        "class Broken(DatasetPlugin[Options])",
        "class Two(Options):\n    one: bool = option(False)\n    other: int = option(3, ge=1, le=9)\n\n\n"
        "class Broken(DatasetPlugin[Two])",
    ).replace("Options, Pair", "Options, option, Pair")
    (tmp_path / f"{case}.py").write_text(declared, encoding="utf-8")
    report = answered(engine, CheckPlugin(plugin=str(tmp_path / f"{case}.py"), with_learning=False))
    assert report.tried_options is not None and report.tried_options.num_tried == 3
    assert len(report.findings) == num_faults


def test_a_plugin_of_an_installed_package_is_checked_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "their_package.py").write_text((CASES / "leaks.py").read_text())
    metadata = tmp_path / "their_package-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: their_package\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[headlight.datasets]\nleaks = their_package:PLUGIN\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with Engine() as engine:
        report = answered(engine, CheckPlugin(plugin="leaks"))
        by_file = answered(engine, CheckPlugin(plugin=str(tmp_path / "their_package.py")))
    assert (report.name, report.origin) == ("leaks", "their_package:PLUGIN")
    assert {finding.check for finding in report.findings} == {"leaks"}
    assert {finding.check for finding in by_file.findings} == {"leaks"}
    assert by_file.note == ""  # it does not conflict with itself


@pytest.mark.parametrize(
    ("plugin", "what"),
    [
        *(("nowhere.py", "there is none"), ("no/such/task", "there is none"), (".", "this is a folder")),
        *(("mine", "this is a folder"), ("mine.yaml", "this is none")),
    ],
)
def test_a_path_that_is_no_plugin_is_refused(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plugin: str, what: str
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine.yaml").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=rf"{plugin}: expected a plugin's \.py file, and {what}\."):
        answered(engine, CheckPlugin(plugin=plugin))


def test_a_plugin_that_cannot_be_looked_at_is_refused(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder that may not be entered, or on a drive that does not answer."""

    def fail(path: Path) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr("core.plugin_check.plugin_checker.exists", fail)
    with pytest.raises(UserError, match=r"^mine\.py: it cannot be read \(Permission denied\)\. Make it readable, or"):
        answered(engine, CheckPlugin(plugin="mine.py"))


def test_a_full_temporary_folder_is_neither_a_fault_of_the_plugin_nor_of_the_run(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugin = tmp_path / "copy_subwords.py"
    code = (built_in_plugins_dir() / "copy_task.py").read_text(encoding="utf-8")
    plugin.write_text(code.replace('tokenizer = "whitespace"', 'tokenizer = "subword"'), encoding="utf-8")
    begun(engine, tmp_path)

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("core.plugin_check.sample.write_pairs", fail)
    with pytest.raises(UserError, match=f"^{gettempdir()} cannot be written: No space left on device. Free some"):
        answered(engine, CheckPlugin(plugin=str(plugin), bounds=SHORT))


@pytest.mark.usefixtures("checks_share_hosts")
def test_a_folder_of_a_plugins_name_is_not_taken_for_the_plugin(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "copy_task").mkdir()
    monkeypatch.chdir(tmp_path)
    assert answered(engine, CheckPlugin(plugin="copy_task", with_learning=False, bounds=SHORT)).is_clean


EXAMPLES_IN_ANOTHER_FORM = """
from core.plugin import DatasetPlugin, Options, Pair, TextForm

class Shouted(DatasetPlugin[Options]):
    name = "shouted"
    title = "Shouted"
    splits_overlap = True

    def pairs(self, split, rng):
        for word in ("ja", "nein"):
            yield Pair(word, word.upper())

    def text_form(self):
        return TextForm(lowercase=True)

    def examples(self):
        return ["Ja"]

PLUGIN = Shouted
"""


def test_examples_are_read_in_the_form_of_typed_texts(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "shouted.py"
    path.write_text(EXAMPLES_IN_ANOTHER_FORM)
    assert not answered(engine, CheckPlugin(plugin=str(path), with_learning=False)).findings
