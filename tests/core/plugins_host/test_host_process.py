"""The host's process: how it is started, reset, closed and ended together with the plugins' child processes."""

import errno
import io
import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from core.plugin import Pair
from core.plugins_host import host_process, worker
from core.plugins_host.discovery import PluginSource
from core.plugins_host.errors import PluginError
from core.plugins_host.host import PluginHost
from core.plugins_host.split_drawing import draw_lines
from core.run_files.claiming import is_alive
from tests.core.plugins_host.helpers import ENDLESS, GOOD, LONG_TIMEOUT, draw_pairs, seconds_waited


def test_closing_a_stream_is_silent_when_its_process_is_gone(host: PluginHost, write_plugin: Any) -> None:
    write_plugin(ENDLESS)
    stream = draw_lines(host, "named", {}, 0, "train")
    assert len(next(stream)) == 1000
    assert host._process is not None
    host._process.kill()
    stream.close()  # as the garbage collector does with an abandoned stream
    assert host.limits("named", {}) == {}


class _UnreadOnWindows(io.BytesIO):
    """A closed pipe, as Windows may report it (CPython's issue 79935)."""

    def write(self, _: object) -> int:
        raise OSError(errno.EINVAL, "Invalid argument")


def test_an_ended_process_is_reported_as_one_on_windows_too(
    host: PluginHost, write_plugin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_plugin(GOOD)
    assert host.info("named").name == "named"
    assert host._process is not None
    host._process.kill()
    with host._process._requests:
        monkeypatch.setattr(host._process, "_requests", _UnreadOnWindows())
        with pytest.raises(PluginError, match=r"was killed.* \(SIGKILL\)"):
            host.examples("named", {})


def test_reset_ends_the_process_and_rereads_edited_files(host: PluginHost, write_plugin: Any) -> None:
    write_plugin(GOOD)
    assert len(draw_pairs(host, "named", "valid")) == 10
    assert host._process is not None
    process = host._process._process
    host.reset()
    assert process.poll() is not None
    write_plugin(GOOD.replace("else 10", "else 20"))
    assert len(draw_pairs(host, "named", "valid")) == 20


def test_a_restarted_process_draws_with_the_code_that_was_listed(host: PluginHost, write_plugin: Any) -> None:
    code = GOOD + "\ndef examples(self):\n    import os; os._exit(3)\n"
    write_plugin(code)
    before = draw_pairs(host, "named", "valid")
    with pytest.raises(PluginError, match="ended its process"):
        host.examples("named", {})
    assert draw_pairs(host, "named", "valid") == before
    with pytest.raises(PluginError, match="ended its process"):
        host.examples("named", {})
    write_plugin(code.replace("word[::-1]", "word"))
    with pytest.raises(
        PluginError, match="its code has changed since it was read, and its process had to be restarted"
    ):
        draw_pairs(host, "named", "valid")
    host.reset()
    assert draw_pairs(host, "named", "valid") != before


def test_close_does_not_wait_for_a_plugin_that_hangs(folder: Path, tmp_path: Path, write_plugin: Any) -> None:
    reached = tmp_path / "reached"
    write_plugin(f"def pairs(self, split, rng):\n    open({str(reached)!r}, 'w')\n    while True: pass\n    yield")
    host = PluginHost([folder], pairs_timeout=LONG_TIMEOUT)
    host.plugins()
    errors: list[Exception] = []

    def draw() -> None:
        try:
            draw_pairs(host, "named")
        except PluginError as error:
            errors.append(error)

    thread = threading.Thread(target=draw)
    thread.start()
    while not reached.exists():
        time.sleep(0.01)
    host.close()
    thread.join()
    assert len(errors) == 1


def test_a_request_to_a_closed_host_starts_no_process(host: PluginHost) -> None:
    host.plugins()
    host.close()
    for ask in (host.plugins, partial(host.limits, "copy_task", {}), host.changed_directory):
        with pytest.raises(PluginError, match="has been ended"):
            ask()
    assert host._process is None


def test_chunks_requested_ahead_reach_the_stream_that_requested_them(host: PluginHost) -> None:
    """Two streams take turns, with other requests in between, and one is abandoned: the pairs do not change.

    The sizes of chunks may differ: on a busy machine, a chunk is sent after half a second as it is.
    """
    expected = [draw_pairs(host, "copy_task", seed=seed, limit=8000) for seed in (1, 2)]
    streams = [draw_lines(host, "copy_task", {}, seed, "train", limit=8000) for seed in (1, 2)]
    drawn: list[list[Pair]] = [[], []]
    for _ in range(5):
        for stream, pairs in zip(streams, drawn, strict=True):
            pairs.extend(next(stream).pairs())
            assert host.examples("copy_task", {})
    streams[0].close()  # while the sixth chunk is being sent
    drawn[1].extend(pair for lines in streams[1] for pair in lines.pairs())
    assert drawn == [expected[0][: len(drawn[0])], expected[1]] and 0 < len(drawn[0]) < 8000 == len(expected[1])
    assert draw_pairs(host, "copy_task", seed=1, limit=8000) == expected[0]


def test_closing_a_stream_of_a_closed_host_starts_no_process(folder: Path) -> None:
    host = PluginHost([folder])
    stream = draw_lines(host, "copy_task", {}, 0, "train", limit=3000)
    next(stream)
    host.close()
    stream.close()
    assert host._process is None


def test_a_requested_stop_shortens_the_timeout_of_a_hanging_plugin_and_disturbs_no_other(
    folder: Path, write_plugin: Any
) -> None:
    write_plugin("def pairs(self, split, rng):\n    time.sleep(1000)\n    yield")
    with PluginHost([folder]) as host:
        host.plugins()
        timer = threading.Timer(0.3, host.stop_requested.set)
        timer.start()
        for _ in range(2):  # an answer awaited when the stop is requested, and one requested after it
            with pytest.raises(PluginError, match="'named' gave no answer") as exc_info:
                draw_pairs(host, "named")
            assert seconds_waited(exc_info.value.sentence) in range(2, 30)  # 30 s is the usual timeout
            timer.join()
            host.stop_requested.clear()
            host.changed_directory()  # starts a new process, however long that takes
            host.stop_requested.set()
        assert len(draw_pairs(host, "copy_task", "valid")) == 1000


def test_a_plugin_not_waited_for_after_a_stop_request_is_not_listed_as_broken(
    folder: Path, tmp_path: Path, write_plugin: Any
) -> None:
    ready = tmp_path / "ready"
    write_plugin(f"while not os.path.exists({str(ready)!r}): time.sleep(0.01)\n{GOOD}")
    with PluginHost([folder]) as host:
        host.changed_directory()  # starts the process
        host.stop_requested.set()
        with pytest.raises(PluginError, match="'named' gave no answer"):
            host.plugins()
        host.stop_requested.clear()
        ready.touch()
        assert [info.error for info in host.plugins() if info.name == "named"] == [None]


def test_a_plugin_that_closes_every_file_is_ended(host: PluginHost, write_plugin: Any) -> None:
    write_plugin("def pairs(self, split, rng):\n    os.closerange(3, 100)\n    time.sleep(1000)\n    yield")
    with pytest.raises(PluginError, match="'named' closed the pipes of its process"):
        draw_pairs(host, "named")
    assert len(draw_pairs(host, "copy_task", "valid")) == 1000


def test_a_plugin_that_ends_slowly_is_reported_with_its_exit_code(host: PluginHost, write_plugin: Any) -> None:
    write_plugin(
        "def pairs(self, split, rng):\n    os.closerange(3, 100)\n    time.sleep(1.5)\n    os._exit(3)\n    yield"
    )
    with pytest.raises(PluginError, match=r"'named' ended its process \(exit code 3\)"):
        draw_pairs(host, "named")


def test_closed_requests_do_not_kill_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when the plugin above closes all files before the thread that reads the requests waits for the next again."""
    monkeypatch.setattr(worker, "_exit_with_children", lambda: pytest.fail("would kill the plugin"))
    unused_end, write_only = os.pipe()
    os.close(unused_end)
    with os.fdopen(write_only, "rb") as unreadable:
        worker._read_requests(unreadable, queue.SimpleQueue(), worker._AnswerSender(io.BytesIO()))


def test_the_line_of_a_hanging_plugin_is_reported_even_if_its_answer_is_slow(folder: Path, write_plugin: Any) -> None:
    """As on a busy machine: the plugin's other thread is scheduled only after more than a second."""
    path = write_plugin("def pairs(self, split, rng):\n    sys.setswitchinterval(1.5)\n    while True: pass\n    yield")
    line = 1 + path.read_text().splitlines().index("        while True: pass")
    with PluginHost([folder], pairs_timeout=0.5) as host, pytest.raises(PluginError, match=f"line {line}"):
        draw_pairs(host, "named")


PARTIAL_ANSWER_BODY = """
def pairs(self, split, rng):
    import io, __main__
    send = __main__._AnswerSender.send
    def send_part(sender, *answer):
        pipe, sender._outgoing = sender._outgoing, io.BytesIO()
        send(sender, *answer)
        pipe.write(sender._outgoing.getvalue()[:{}])
        pipe.flush()
        os._exit(3)
    __main__._AnswerSender.send = send_part
    yield Pair("a", "b")
"""


@pytest.mark.parametrize("end", [10, -3])  # within the answer's line, and within the pairs after it
def test_a_plugin_that_ends_its_process_while_sending_pairs_is_reported(
    host: PluginHost, write_plugin: Any, end: int
) -> None:
    write_plugin(PARTIAL_ANSWER_BODY.format(end))
    with pytest.raises(PluginError, match=r"'named' ended its process \(exit code 3\)"):
        draw_pairs(host, "named")
    assert len(draw_pairs(host, "copy_task", "valid")) == 1000


def test_the_children_of_a_plugin_end_with_it(host: PluginHost, write_plugin: Any) -> None:
    write_plugin("""
        def pairs(self, split, rng):
            import subprocess
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
            yield Pair(str(child.pid), "b")
    """)
    child = int(draw_pairs(host, "named")[0].source)
    host.close()
    deadline = time.monotonic() + 60
    while is_alive(child):
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.skipif(sys.platform == "win32", reason="it cannot fork")
def test_a_plugin_may_not_copy_its_process_but_may_use_several(host: PluginHost, write_plugin: Any) -> None:
    """Each copy would answer, too, and copy itself for the next pair."""
    write_plugin("""
        def pairs(self, split, rng):
            from multiprocessing import get_context
            with get_context("fork").Pool(2) as pool:
                lengths = pool.map(len, ["a", "bb"])
            yield Pair(str(lengths), "b")
            os.fork()
    """)
    assert draw_pairs(host, "named", limit=1)[0].source == "[1, 2]"
    with pytest.raises(PluginError, match=r"RuntimeError: os\.fork would copy .*line 18\)") as refusal:
        draw_pairs(host, "named")
    assert "Start other processes with subprocess or multiprocessing" in refusal.value.advice


def test_processes_that_cannot_import_the_plugin_are_explained(impatient_host: PluginHost, write_plugin: Any) -> None:
    """A pool that does not fork prints this again and again while it waits; waiting for a real one takes longer."""
    write_plugin("""
        def pairs(self, split, rng):
            print(f"ModuleNotFoundError: No module named {type(self).__module__!r}", flush=True)
            time.sleep(1000)
            yield
    """)
    with pytest.raises(PluginError, match=r"gave no answer within .*line 15\)") as raised:
        draw_pairs(impatient_host, "named")
    assert 'Use multiprocessing.get_context("fork"), or put what the processes run into a pack' in raised.value.advice


def test_a_plugin_that_replaces_functions_of_json_is_answered_for(host: PluginHost, write_plugin: Any) -> None:
    write_plugin("import json\njson.dumps = json.loads = None\n" + GOOD)
    assert len(draw_pairs(host, "named")) == 2500


def test_the_failed_thread_that_a_plugin_waits_for_is_named(impatient_host: PluginHost, write_plugin: Any) -> None:
    write_plugin("""
        def read(self):
            raise LookupError("no such word")
        def pairs(self, split, rng):
            import queue, threading
            threading.Thread(target=self.read).start()
            yield queue.Queue().get()
    """)
    with pytest.raises(PluginError, match=r"gave no answer within .*line 18\)") as raised:
        draw_pairs(impatient_host, "named")
    assert re.search(r"Look at LookupError: no such word \(.*line 14\), which it has printed", raised.value.advice)


def test_an_exception_that_a_plugin_handles_and_prints_is_not_one_that_nobody_sees(
    host: PluginHost, write_plugin: Any
) -> None:
    write_plugin("""
        def pairs(self, split, rng):
            import traceback
            print("One row is skipped:", file=sys.stderr)
            try:
                1 / 0
            except ZeroDivisionError:
                traceback.print_exc()
            yield Pair("a", "b")
    """)
    draw_pairs(host, "named")
    while host.num_printed_lines < 5:
        time.sleep(0.01)
    assert host.printed_exception("named") is None


def test_an_ended_process_whose_group_may_not_be_signalled_is_replaced(
    host: PluginHost, write_plugin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """macOS refuses that."""
    write_plugin(GOOD)
    host.plugins()
    ended = host._process
    assert ended is not None
    os.kill(ended._process.pid, signal.SIGKILL)

    def refuse(*_: int) -> None:
        raise PermissionError

    with monkeypatch.context() as patch:
        patch.setattr(os, "killpg", refuse)
        host.reset()
    assert "copy_task" in {info.name for info in host.plugins()}


@pytest.mark.skipif(sys.platform == "win32", reason="a process there cannot be asked by a signal")
def test_the_line_of_a_hang_in_c_code_is_named(
    impatient_host: PluginHost, write_plugin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It lets no thread of Python's answer; this one waits instead of computing, for an empty pipe."""
    monkeypatch.setattr(host_process, "LINE_SECONDS", 0.2)
    monkeypatch.setattr(host_process, "PRINTING_SECONDS", 2.0)  # for a busy machine
    write_plugin("""
        def pairs(self, split, rng):
            nothing, _ = os.pipe()
            yield Pair(str(ctypes.PyDLL(None).read(nothing, ctypes.create_string_buffer(1), 1)), "b")
    """)
    with pytest.raises(PluginError, match=r"gave no answer within \d+ s .*line 15\)"):
        draw_pairs(impatient_host, "named")


def test_a_detached_child_of_a_plugin_is_not_waited_for(host: PluginHost, write_plugin: Any) -> None:
    """In its own session, the child outlives the process and keeps the pipe of its output open."""
    write_plugin("""
        def pairs(self, split, rng):
            import subprocess
            command = [sys.executable, "-c", "import time; time.sleep(1000)"]
            child = subprocess.Popen(command, start_new_session=True)
            yield Pair(str(child.pid), "b")
    """)
    child = int(draw_pairs(host, "named")[0].source)
    try:
        host.reset()
        assert is_alive(child) and len(draw_pairs(host, "copy_task", "valid")) == 1000
    finally:
        os.kill(child, signal.SIGKILL)


IN_C_CODE = pytest.param(
    're.match("(a+)+$", "a" * 50 + "b")',  # lets no thread of Python's run
    marks=pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process that cannot notice it"),
)


@pytest.mark.parametrize("hang", ["while True: pass", IN_C_CODE])
def test_a_host_whose_parent_is_gone_ends_with_its_children_even_while_a_plugin_hangs(
    folder: Path, tmp_path: Path, write_plugin: Any, hang: str
) -> None:
    reached = tmp_path / "reached"
    write_plugin(f"""
        def pairs(self, split, rng):
            import re, subprocess
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
            yield Pair(str(child.pid), "b")
            open({str(reached)!r}, "w")
            {hang}
    """)
    parent = subprocess.Popen(
        [sys.executable, "-c", HOST_SCRIPT, str(folder)], stdout=subprocess.PIPE, text=True, env={**os.environ}
    )
    assert parent.stdout is not None
    pids = [int(parent.stdout.readline()) for _ in range(2)]
    while not reached.exists():
        time.sleep(0.01)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    _wait_until_ended(*pids)


@contextmanager
def _worker_with_child(plugin_file: Path) -> Iterator[tuple["subprocess.Popen[bytes]", int]]:
    """A host process whose pipes a test holds, and the PID of a child that its plugin has started."""
    worker, lifeline = host_process.start_worker()
    with worker, lifeline:
        assert worker.stdin is not None and worker.stdout is not None
        request = {"id": 1, "call": "describe", "source": vars(PluginSource("named", path=str(plugin_file)))}
        worker.stdin.write(json.dumps(request).encode() + b"\n")
        worker.stdin.flush()
        try:
            yield worker, int(json.loads(worker.stdout.readline())["result"]["title"])
        finally:
            with suppress(ProcessLookupError):
                os.killpg(worker.pid, signal.SIGKILL)


@pytest.fixture
def with_child(write_plugin: Any) -> Path:
    """A plugin that starts a child when it is loaded; its title is the child's PID."""
    file: Path = write_plugin("""
        import subprocess
        title = str(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"]).pid)
        def pairs(self, split, rng):
            yield Pair("a", "b")
    """)
    return file


def test_a_host_that_nobody_reads_ends_with_the_children_of_its_plugins(with_child: Path) -> None:
    """Of a parent that is killed, the pipe of the answers may break before that of the requests ends."""
    with _worker_with_child(with_child) as (worker, child):
        assert worker.stdin is not None and worker.stdout is not None
        worker.stdout.close()
        worker.stdin.write(b'{"id": 2, "call": "find", "extra_dirs": []}\n')
        worker.stdin.flush()
        _wait_until_ended(worker.pid, child)


def test_a_host_whose_parent_was_killed_while_sending_a_request_ends_with_the_children_of_its_plugins(
    with_child: Path,
) -> None:
    with _worker_with_child(with_child) as (worker, child):
        assert worker.stdin is not None
        worker.stdin.write(b'{"id": 2, "call": "met')
        worker.stdin.close()
        _wait_until_ended(worker.pid, child)


@pytest.mark.skipif(sys.platform != "linux", reason="only there the memory of plugins is limited")
def test_a_plugin_that_leaves_no_memory_for_a_request_is_reported(host: PluginHost, write_plugin: Any) -> None:
    """The request is larger than a pipe: as long as nobody reads it, sending it does not end."""
    write_plugin("""
        def pairs(self, split, rng):
            yield Pair("a", "b")
        def examples(self):
            from resource import RLIMIT_DATA, getrlimit, setrlimit
            setrlimit(RLIMIT_DATA, (1, getrlimit(RLIMIT_DATA)[1]))
            return []
    """)
    host.examples("named", {})
    with pytest.raises(PluginError, match="'named' was killed, perhaps by a system without memory left"):
        host.metrics("named", {}, [], ["word" * 10**6])
    assert len(draw_pairs(host, "copy_task", "valid")) == 1000


@pytest.mark.skipif(sys.platform == "win32", reason="it cannot stop a process")
def test_a_process_that_reads_no_request_is_given_up(
    impatient_host: PluginHost, write_plugin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_process, "LINE_SECONDS", 0.1)
    write_plugin(GOOD)
    assert impatient_host.info("named").error is None
    assert impatient_host._process is not None
    os.kill(impatient_host._process._process.pid, signal.SIGSTOP)
    with pytest.raises(PluginError, match="gave no answer within"):
        impatient_host.metrics("named", {}, [], ["word" * 10**6])


def _wait_until_ended(*pids: int) -> None:
    deadline = time.monotonic() + 60
    while alive := [pid for pid in pids if is_alive(pid)]:
        assert time.monotonic() < deadline, f"{alive} of the processes {pids} go on"
        time.sleep(0.01)


HOST_SCRIPT = """
import sys
from pathlib import Path
from core.plugins_host.host import PluginHost
from core.plugins_host.split_drawing import draw_lines
host = PluginHost([Path(sys.argv[1])])
host.plugins()
print(host._process._process.pid, flush=True)
print(next(draw_lines(host, "named", {}, 0, "train", limit=1)).pairs()[0].source, flush=True)
next(draw_lines(host, "named", {}, 0, "train"))
"""
