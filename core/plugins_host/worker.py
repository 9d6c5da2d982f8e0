"""The host process: runs plugin code and answers one request after the other, in lines of JSON.

Pairs follow their answer as raw lines, "lines" bytes of them.

Requests arrive on the original standard input, and answers go to the original standard output. Plugins see an empty
standard input, and what they print goes to standard error. A second thread reads the requests, so that it can be asked
where a hanging plugin is, and so that the process ends when its parent does. The argument is the number of another pipe
for the latter (see `_end_with`).
"""

import faulthandler
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from json import dumps, loads  # by name: a plugin may put another function into the module
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import ValidationError

from core.plugin import ACCEPTED, DatasetPlugin, Options, Pair
from core.plugins_host import checked_calls, discovery
from core.plugins_host.declared_options import option_at
from core.plugins_host.discovery import PluginSource
from core.plugins_host.forks import refuse_forks
from core.plugins_host.misspelled_members import misspelled_members
from core.plugins_host.pair_lines import PairLines
from core.plugins_host.pair_stream import PairStream
from core.plugins_host.utf8_text import is_utf8_text
from core.plugins_host.worker_errors import WorkerError, defined_at, options_error, worker_error
from core.plugins_host.written_files import watch_writing, written_beside

Message = dict[str, Any]

MAX_BYTES = 8 * 10**9
"""The most memory that plugins get: pairs are drawn one after the other, and need not all be held."""


class Worker:
    """Answers requests, one method for each call; holds the plugins loaded so far and the open streams of pairs."""

    def __init__(self) -> None:
        self._plugins: dict[str, type[DatasetPlugin[Any]]] = {}
        self._code_hashes: dict[str, str] = {}
        self._names: dict[str, str] = {}  # by origin, also of classes that break the rules
        self._streams: dict[int, PairStream] = {}
        self._newest: tuple[object, DatasetPlugin[Any]] | None = None  # plugin and options, and the object made of them
        self._calls: dict[str, Callable[[Message], Any]] = {
            "describe": lambda request: discovery.describe(self._plugin(request)) | {"code": self._code_hash(request)},
            "code": self._code_hash,
            "options": self._all_options,
            "open": self._open_stream,
            "next": lambda request: self._streams[request["stream"]].next_chunk(),
            "close": self._close_stream,
            "symbols": lambda request: checked_calls.symbols(self._instance(request)),
            "text_form": lambda request: checked_calls.text_form(self._instance(request)),
            "limits": lambda request: checked_calls.limits(self._instance(request)),
            "metrics": self._metrics,
            "option_at": lambda request: option_at(request["option"], self._plugin(request).options_class),
            "misspelled": lambda request: list(misspelled_members(self._plugin(request))),
            "written_beside": lambda request: written_beside(discovery.source_files(request["source"])),
            "defined_at": lambda request: defined_at(self._instance(request), request["method"]),
            "files": lambda request: checked_calls.files(self._instance(request)),
            "folder": lambda request: str(Path.cwd()),
            "examples": lambda request: checked_calls.examples(self._instance(request)),
        }

    def answer(self, request: Message) -> Message:
        """Return {"result": ...} (for pairs, "pairs") or {"error": ...}; no exception escapes, not even SystemExit."""
        if request["call"] == "find":
            return {"result": [vars(source) for source in discovery.find_sources(request["extra_dirs"])]}
        source = PluginSource(**request["source"]) if "source" in request else PluginSource("")
        try:
            result = self._calls[request["call"]](request | {"source": source})
            return {"pairs": result} if isinstance(result, PairLines) else {"result": result}
        except BaseException as error:
            described = worker_error(error, source.path, discovery.source_files(source) if source.entry_point else [])
            record = described.record | {"plugin": self._names.get(source.origin, "")}
            return {"error": record | {"kind": "memory"} if isinstance(error, MemoryError) else record}

    def _plugin(self, request: Message) -> type[DatasetPlugin[Any]]:
        source: PluginSource = request["source"]
        if source.origin not in self._plugins:
            self._code_hashes[source.origin] = code = discovery.code_hash(source)
            if request.get("code") not in (None, code):
                raise WorkerError(
                    "its code has changed since it was read, and its process had to be restarted",
                    file=source.path,
                    remedy="Undo the change to go on, or Reload to begin a new run with it",
                )
            plugin = discovery.load(source)
            self._names[source.origin] = discovery.declared_name(plugin)
            discovery.require_contract(plugin)
            self._plugins[source.origin] = plugin
        return self._plugins[source.origin]

    def _code_hash(self, request: Message) -> str:
        self._plugin(request)
        return self._code_hashes[request["source"].origin]

    def _all_options(self, request: Message) -> dict[str, Any]:
        """All options as plain data. Raises WorkerError for the name of a file or folder that is not UTF-8."""
        options: dict[str, Any] = self._options(request, accepted=request["accepted"]).model_dump(mode="json")
        for key, value in options.items():
            if isinstance(value, str) and not is_utf8_text(value):
                raise WorkerError(
                    f"dataset.options.{key}: {value.encode(errors='backslashreplace').decode()} is not UTF-8, and "
                    "no settings can hold it. Rename the file or folder, or make a link to it by another name.",
                    kind="options",
                )
        return options

    def _options(self, request: Message, *, accepted: bool = True) -> Options:
        """Validate the options. They count as accepted for all calls but "options", which comes first."""
        options_class = self._plugin(request).options_class
        try:
            return options_class.model_validate(request["options"], context=ACCEPTED if accepted else None)
        except ValidationError as error:
            raise options_error(error, options_class) from None

    def _instance(self, request: Message) -> DatasetPlugin[Any]:
        """The plugin's object that answers all questions but for pairs: its `__init__` may take long."""
        key = self._plugin(request), self._options(request)
        if self._newest is None or self._newest[0] != key:
            self._newest = key, self._new_instance(request)
        return self._newest[1]

    def _new_instance(self, request: Message) -> DatasetPlugin[Any]:
        return self._plugin(request)(self._options(request))

    def _open_stream(self, request: Message) -> None:
        self._newest = None  # what it has read from files need not be in memory twice
        plugin = self._new_instance(request)  # it may count in its attributes what it leaves out of this split
        plugin.has_begun = request["accepted"]
        self._streams[request["stream"]] = PairStream(plugin, request["split"], request["rng_seed"], request["limit"])

    def _close_stream(self, request: Message) -> None:
        del self._streams[request["stream"]]

    def _metrics(self, request: Message) -> dict[str, float]:
        pairs = [Pair(*fields) for fields in request["pairs"]]
        return checked_calls.metrics(self._instance(request), pairs, request["hypotheses"])


def main() -> None:
    """Serve requests until the parent closes its end of the pipe."""
    incoming, outgoing = _redirect_standard_streams()
    _end_with(int(sys.argv.pop()))  # plugins see no argument
    _limit_memory()
    refuse_forks()
    watch_writing()
    faulthandler.enable()  # a crash in C prints the Python traceback
    if sys.platform != "win32":
        faulthandler.register(signal.SIGUSR1, all_threads=False)  # even while C code lets no other thread run
    sys.dont_write_bytecode = True  # an edited plugin is compiled again, and its folder stays clean
    sender = _AnswerSender(outgoing)
    requests: queue.SimpleQueue[Message] = queue.SimpleQueue()
    threading.Thread(target=_read_requests, args=(incoming, requests, sender), daemon=True).start()
    worker = Worker()
    while True:
        request = requests.get()
        sender.send(request["id"], worker.answer(request))


def _redirect_standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """Keep the two pipes for the protocol and give plugins a harmless input and output instead."""
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    devnull = os.open(os.devnull, os.O_RDONLY)
    os.dup2(devnull, 0)
    os.close(devnull)
    os.dup2(2, 1)
    return incoming, outgoing


def _end_with(lifeline: int) -> None:
    """Have Linux kill this process, and what plugins start, when the parent's end of this pipe closes.

    The thread that reads the requests cannot do it while C code, such as a search by regular expression, lets no other
    thread run.
    """
    if sys.platform == "linux":
        import fcntl

        with suppress(OSError):  # a sandbox that does not know these signals has that thread alone
            fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpid())  # the process group
            fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
            fcntl.fcntl(lifeline, fcntl.F_SETFL, os.O_ASYNC)


def _limit_memory() -> None:
    """Give plugins half of the memory, at most `MAX_BYTES`, so that a wasteful one fails alone.

    If less than that is free, Linux kills this process first, not the application.
    """
    if sys.platform == "linux":
        import resource

        with suppress(OSError):  # some sandboxes do not let /proc be written
            Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
        max_bytes = min(MAX_BYTES, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2)
        allowed = resource.getrlimit(resource.RLIMIT_DATA)[1]
        if allowed == resource.RLIM_INFINITY or max_bytes < allowed:
            resource.setrlimit(resource.RLIMIT_DATA, (max_bytes, allowed))


class _AnswerSender:
    """Sends one answer at a time, from either thread; once nobody reads them, it ends the process."""

    def __init__(self, outgoing: BinaryIO) -> None:
        self._outgoing = outgoing
        self._lock = threading.Lock()

    def send(self, request_id: int, message: Message) -> None:
        pairs = message.pop("pairs", None)
        if pairs is not None:
            header = {name: getattr(pairs, name) for name in ("num_pairs", "share_read", "left_out", "is_fast")}
            message = {"result": header, "lines": len(pairs.lines)}
        line = dumps({"id": request_id, **message}, ensure_ascii=False, separators=(",", ":"))
        with self._lock:
            try:
                # An exception's message may hold half a surrogate pair; pairs were checked for that.
                self._outgoing.write(line.encode(errors="backslashreplace") + b"\n")
                self._outgoing.write(b"" if pairs is None else pairs.lines)
                self._outgoing.flush()
            except OSError:  # a broken pipe, seen before the end of the requests is
                _exit_with_children()


def _read_requests(incoming: BinaryIO, requests: queue.SimpleQueue[Message], sender: _AnswerSender) -> None:
    main_thread = threading.main_thread().ident
    assert main_thread is not None
    try:
        with suppress(MemoryError):  # the parent would send the rest of the request for ever
            for line in incoming:
                if not line.endswith(b"\n"):  # cut off: the parent was killed while sending it
                    break
                request = loads(line)
                if request["call"] == "current_line":
                    sender.send(request["id"], {"result": _current_line(main_thread, request["files"])})
                else:
                    requests.put(request)
    except OSError:  # the plugin has closed all files: the parent sees that, and waits for the exit code
        return
    _exit_with_children()


def _exit_with_children() -> None:
    """Nobody asks any more: end this process, whose main thread a plugin may block, and what the plugin has started."""
    if sys.platform != "win32":
        with suppress(ProcessLookupError):  # started by hand, it leads no group
            os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(0)


def _current_line(thread: int, files: list[str]) -> tuple[str, int]:
    """Return which of `files` a thread is executing, and its line; "" and 0 if none."""
    frame = sys._current_frames()[thread]
    while frame is not None and frame.f_code.co_filename not in files:
        frame = frame.f_back  # type: ignore[assignment]
    return (frame.f_code.co_filename, frame.f_lineno) if frame is not None else ("", 0)


if __name__ == "__main__":
    main()
