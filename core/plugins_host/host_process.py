"""The parent's end of one host process: starts it, sends it requests, and ends it without leaving anything behind."""

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from itertools import count
from typing import IO, Any

from core.machine.child_python import start_python
from core.plugins_host.discovery import PluginSource, source_files
from core.plugins_host.errors import printed_location
from core.plugins_host.exit_explanation import CLOSED_PIPES, ExitExplanation, explain_exit, num_oom_kills

KEPT_OUTPUT_LINES = 200
"""How many lines of what plugins print are kept to explain a crash."""
PIPE_BYTES = 2**20
LINE_SECONDS = 5.0
"""How long a live process may take to say at which line it hangs, on a machine that rarely schedules it."""
PRINTING_SECONDS = 0.5
"""How long it takes a process to print where it hangs."""
EXIT_SECONDS = 5.0
"""How long a process that has closed its pipes may take to end, and its last output to be read."""
STOPPING_SECONDS = 2.0
"""Longer than any chunk of pairs takes: a plugin that has not answered by then hangs, or is too slow to wait for."""
DRAIN_SECONDS = 1.0
"""Longer than it takes to read what a killed process left in its pipes, which is not used."""
POLL_SECONDS = 0.2
"""How often a wait checks whether the process has ended or `stop_requested` is set."""


class HostExited(Exception):
    """The process ended by itself before it answered."""

    def __init__(self, explanation: ExitExplanation, output: list[str]) -> None:
        super().__init__(explanation.reason)
        self.explanation = explanation
        self.output = output


class HostTimeout(Exception):
    """No answer in time; `location` is the plugin's file and the line that is running, "" and 0 if unknown."""

    def __init__(self, location: tuple[str, int], seconds: float, was_stopping: bool, output: list[str]) -> None:
        super().__init__(location, seconds, was_stopping)
        self.location = location
        self.output = output
        self.seconds = seconds
        self.was_stopping = was_stopping


class _StoppingTimeout(TimeoutError):
    """The wait was cut short, as `stop_requested` is set."""


class HostProcess:
    """One running `core.plugins_host.worker`. Not thread-safe: one request at a time."""

    def __init__(self, stop_requested: threading.Event, hash_seed: int | None) -> None:
        """While `stop_requested` is set, answers are awaited for STOPPING_SECONDS only.

        `hash_seed` fixes the hashes of texts, which otherwise differ between processes.
        """
        self._stop_requested = stop_requested
        self._oom_kills_before = num_oom_kills()
        self._process, self._lifeline = start_worker(hash_seed)
        assert self._process.stdin and self._process.stdout and self._process.stderr
        _enlarge_buffer(self._process.stdout)
        self._requests: IO[bytes] = self._process.stdin
        self._unsent: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._early_answers: dict[int, dict[str, Any]] = {}  # answers that arrived before they were awaited
        self._output: deque[str] = deque(maxlen=KEPT_OUTPUT_LINES)
        self.num_output_lines = self.num_output_bytes = 0
        self._ids = count(1)
        self._threads = [
            threading.Thread(target=self._read_answers, args=(self._process.stdout,), daemon=True),
            threading.Thread(target=self._read_output, args=(self._process.stderr,), daemon=True),
            threading.Thread(target=self._write_requests, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def ask(self, request: dict[str, Any], time_limit: float, sent_id: int | None = None) -> dict[str, Any]:
        """Send one request, unless it was sent already with the id `sent_id`, and wait for its answer.

        Raises HostExited or HostTimeout. The process is of no use then: close it.
        """
        started = time.monotonic()
        try:
            return self._wait_for(self.send(request) if sent_id is None else sent_id, time_limit)
        except EOFError:
            raise self._exit_error() from None
        except TimeoutError as timeout:
            seconds = time.monotonic() - started
            location = self._current_location(files_asked(request))
            was_stopping = isinstance(timeout, _StoppingTimeout)
            raise HostTimeout(location, seconds, was_stopping, self.kept_output) from None

    def send(self, request: dict[str, Any]) -> int:
        """Send a request and return its id: the process works on it while the caller is busy."""
        request_id = next(self._ids)
        self._unsent.put(json.dumps({"id": request_id, **request}).encode() + b"\n")
        return request_id

    def _write_requests(self) -> None:
        """Write what was sent, in a thread of its own: a process that is stopped, or in C code that lets none of its
        other threads run, may not read as much as a pipe holds for long.
        """
        with contextlib.suppress(OSError):  # the process has ended, which `_wait_for` notices
            while request := self._unsent.get():
                self._requests.write(request)
                self._requests.flush()
        with contextlib.suppress(OSError):  # what is left in the buffer cannot be written
            self._requests.close()

    def _wait_for(self, request_id: int, time_limit: float) -> dict[str, Any]:
        """Count only the seconds spent waiting: if the machine was suspended, so was the process."""
        if request_id in self._early_answers:
            return self._early_answers.pop(request_id)
        waited = waited_while_stopping = 0.0
        while True:
            seconds = min(POLL_SECONDS, max(0.0, time_limit - waited))
            try:
                answer = self._answers.get(timeout=seconds)
            except queue.Empty:
                # A child of the plugin may keep the pipe open after the process has ended.
                if self._process.poll() is not None and self._answers.empty():
                    raise EOFError from None
                waited += seconds
                waited_while_stopping += seconds if self._stop_requested.is_set() else 0.0
                if waited >= time_limit:
                    raise TimeoutError from None
                if waited_while_stopping >= STOPPING_SECONDS:
                    raise _StoppingTimeout from None
                continue
            if not answer:
                raise EOFError
            if answer["id"] == request_id:
                return answer
            self._early_answers[answer["id"]] = answer

    def _current_location(self, files: list[str]) -> tuple[str, int]:
        try:
            answer = self._wait_for(self.send({"call": "current_line", "files": files}), LINE_SECONDS)
            file, line = answer["result"]
            return (file, line) if line else printed_location([], files)
        except EOFError:
            return printed_location([], files)
        except TimeoutError:
            return printed_location(self._print_traceback(), files)

    def _print_traceback(self) -> list[str]:
        """Where a plugin is whose C code, such as a search by regular expression, lets no other thread answer."""
        if sys.platform == "win32":
            return []
        num_before = self.num_output_lines
        self._process.send_signal(signal.SIGUSR1)
        time.sleep(PRINTING_SECONDS)
        num_printed = self.num_output_lines - num_before
        return self.kept_output[-num_printed:] if num_printed else []

    def _exit_error(self) -> HostExited:
        try:
            code = self._process.wait(EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            return HostExited(CLOSED_PIPES, self.kept_output)
        self._threads[1].join(EXIT_SECONDS)
        return HostExited(explain_exit(code, self.kept_output, self._oom_kills_before), self.kept_output)

    def _read_answers(self, pipe: IO[bytes]) -> None:
        with pipe:
            for line in pipe:
                if not line.endswith(b"\n"):  # cut off: the process ended while sending it
                    break
                answer = json.loads(line)
                if "lines" in answer:
                    lines = pipe.read(answer["lines"])
                    if len(lines) < answer["lines"]:
                        break
                    answer["result"]["lines"] = lines
                self._answers.put(answer)
        self._answers.put({})

    def _read_output(self, pipe: IO[bytes]) -> None:
        with pipe:
            while line := pipe.readline(4096):
                self._output.append(line.decode(errors="replace").rstrip())
                self.num_output_lines += line.endswith(b"\n")  # one longer than 4,096 bytes comes in pieces
                self.num_output_bytes += len(line)

    @property
    def kept_output(self) -> list[str]:
        """The last lines that plugins have printed, `KEPT_OUTPUT_LINES` at most; of a long one, its pieces."""
        return list(self._output)

    def kill(self) -> None:
        """Kill the process and its process group, which may hold children of plugins. Callable from any thread."""
        if hasattr(os, "killpg"):
            # macOS refuses to signal a group whose processes have all ended but were not waited for.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()

    def close(self) -> None:
        """Kill the process; return when it is gone, and all its children but those that a plugin has detached.

        A detached child may hold a pipe open for ever: the thread that reads or writes it goes on until then.
        """
        self.kill()
        self._process.wait()
        self._unsent.put(b"")
        for thread in self._threads:
            thread.join(DRAIN_SECONDS)
        self._lifeline.close()


def start_worker(hash_seed: int | None = None) -> tuple["subprocess.Popen[bytes]", IO[bytes]]:
    """Start the process. On Linux it ends when the file returned with it is closed, or this process ends."""
    inherited, lifeline = map(os.fdopen, os.pipe(), ("rb", "wb"))
    with inherited, contextlib.ExitStack() as on_failure:
        on_failure.callback(lifeline.close)
        process = start_python(
            # -P: import nothing from the current folder
            [sys.executable, "-P", "-m", "core.plugins_host.worker", str(inherited.fileno())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            variables={} if hash_seed is None else {"PYTHONHASHSEED": str(hash_seed)},
            inherited=[inherited.fileno()],
        )
        on_failure.pop_all()
    return process, lifeline


def files_asked(request: dict[str, Any]) -> list[str]:
    """The files of the plugin that a request is about, more than one if it is installed; none if it is about all."""
    return source_files(PluginSource(**request["source"])) if "source" in request else []


def _enlarge_buffer(pipe: IO[bytes]) -> None:
    """Make room for a chunk of pairs in the pipe, so that sending it does not block, if the system allows it."""
    if sys.platform == "linux":
        import fcntl

        with contextlib.suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
