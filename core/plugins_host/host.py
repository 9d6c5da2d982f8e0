"""The application's side of the plugins: lists them, asks them questions and streams pairs, in another process."""

import contextlib
import threading
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from core.plugin import Pair
from core.plugins_host.common_mistakes import remedy_for
from core.plugins_host.discovery import PluginSource
from core.plugins_host.errors import (
    NOT_FOUND_ADVICE,
    CallAbandoned,
    NoSuchPlugin,
    PluginError,
    PrintedException,
    error_from_record,
    plugin_error,
    printed_exception,
    printed_location,
)
from core.plugins_host.host_process import HostExited, HostProcess, HostTimeout, files_asked
from core.plugins_host.misspelled_members import Misspelled
from core.plugins_host.pair_lines import PairLines
from core.plugins_host.plugin_info import PluginInfo, is_built_in, with_name_collisions
from core.plugins_host.written_files import WrittenFile
from core.text_form import TextForm

START_SECONDS = 60.0
_POLL_SECONDS = 0.05

Message = dict[str, Any]


class PluginHost:
    """Owns at most one host process: started when first needed, kept running, replaced when it ends or hangs.

    Methods may be called from any thread and wait for each other. After `close()` no process is started again.
    """

    def __init__(
        self,
        extra_dirs: Sequence[Path] = (),
        *,
        only: PluginSource | None = None,
        hash_seed: int | None = None,
        describe_timeout: float = 10.0,
        pairs_timeout: float = 30.0,
    ) -> None:
        """`only` is the single plugin to list, wherever it is; `hash_seed` is the host process's PYTHONHASHSEED."""
        self.stop_requested = threading.Event()
        """Set this while the user wants to stop: answers are then awaited for a moment only."""
        self._only = only
        self._hash_seed = hash_seed
        self.extra_dirs = [Path(folder).absolute() for folder in extra_dirs]  # besides the usual folders
        self._describe_timeout = describe_timeout
        self._pairs_timeout = pairs_timeout
        self._lock = threading.RLock()
        self._process: HostProcess | None = None
        self._started_in: str | None = None
        self._warm_up_thread: threading.Thread | None = None
        self._is_resetting = False
        self._is_closed = False
        self._rows: list[tuple[PluginSource, PluginInfo]] = []
        self._code_hashes: dict[str, str] = {}  # code hashes by origin: a restarted process must find the same code
        self._streams = count(1)

    def __enter__(self) -> "PluginHost":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def warm_up(self) -> None:
        """Start the process and list the plugins in a thread, so that the first caller waits less."""
        self._warm_up_thread = threading.Thread(target=self._list_plugins, name="listing plugins")
        self._warm_up_thread.start()

    def _list_plugins(self) -> None:
        with contextlib.suppress(Exception):  # the next call raises the same
            self.plugins()

    def close(self) -> None:
        """End the host process for good: waiting and later calls raise PluginError."""
        self._is_closed = True
        self.reset()

    def reset(self) -> None:
        """End the host process and forget the list of plugins: the next call reads the plugin files again.

        Waiting calls raise PluginError.
        """
        self._is_resetting = True  # a thread that is listing plugins asks for no more of them
        self._kill()
        while self._warm_up_thread is not None and self._warm_up_thread.is_alive():
            self._kill()
            self._warm_up_thread.join(_POLL_SECONDS)
        while not self._lock.acquire(timeout=_POLL_SECONDS):
            self._kill()  # also a process that was just being started
        try:
            self._rows = []
            self._code_hashes.clear()
            self._end_process()
        finally:
            self._is_resetting = False
            self._lock.release()

    def _kill(self) -> None:
        process = self._process
        if process is not None:
            process.kill()

    def plugins(self) -> list[PluginInfo]:
        """List all plugins; those that cannot be used have an `error`."""
        with self._lock:
            if not self._rows:
                sources = self._sources()
                infos = with_name_collisions([self._describe(source) for source in sources])
                self._rows = list(zip(sources, infos, strict=True))
            return [info for _, info in self._rows]

    def _sources(self) -> list[PluginSource]:
        if self._only is not None:
            return [self._only]
        request = {"call": "find", "extra_dirs": list(map(str, self.extra_dirs))}
        return [PluginSource(**found) for found in self._ask("plugins", request, START_SECONDS)]

    def info(self, name: str) -> PluginInfo:
        """Return the description of a usable plugin. Raises NoSuchPlugin or PluginError."""
        with self._lock:
            return self._row(name)[1]

    def sources_of(self, name: str) -> list[PluginSource]:
        """Return the source of the usable plugin of this name; if there is none, the sources of all that have it.

        Raises NoSuchPlugin.
        """
        with self._lock:
            return [source for source, _ in self._rows_of(name)]

    def load(self, source: PluginSource) -> PluginInfo:
        """Load and describe one plugin. Raises PluginError if it cannot be used."""
        request = {"call": "describe", "source": vars(source)}
        described = self._ask(source.label, request, self._describe_timeout)
        self._code_hashes[source.origin] = described.pop("code")
        described["tokenizer"] = tuple(described["tokenizer"])
        return PluginInfo(**described, origin=source.origin, package=source.package)

    def options(self, name: str, given: dict[str, Any], *, accepted: bool = False) -> dict[str, Any]:
        """Validate options and return all of them, those not given at their defaults.

        To be called before any other method is given these options: only here does the plugin's `check` run, and not
        even here for options that were `accepted` when a run began. Raises UserError naming the first wrong option,
        what was expected and what was given.
        """
        return dict(self._call("options", name, options=given, accepted=accepted))

    def stream(
        self,
        name: str,
        options: dict[str, Any],
        *,
        split: str,
        rng_seed: int,
        limit: int | None,
        accepted: bool = False,
    ) -> Iterator[PairLines]:
        """Draw with an rng of this seed, in chunks; a fast plugin works at most one chunk ahead.

        The last chunk is empty: only its `left_out` counts all pairs that were left out.
        """
        stream = next(self._streams)
        arguments = {"split": split, "rng_seed": rng_seed, "limit": limit, "accepted": accepted}
        self._call("open", name, options=options, stream=stream, **arguments)
        process, next_id = self._process, None
        try:
            while True:
                sent_id, next_id = next_id, None  # an error, too, answers the request
                chunk, next_id = self._next_chunk(name, stream, process, sent_id)
                yield chunk
                if not chunk:
                    break
        finally:
            with self._lock:
                if next_id is not None:
                    self._ask_ignoring_errors("next", name, stream, process, next_id)
                self._ask_ignoring_errors("close", name, stream, process)

    def symbols(self, name: str, options: dict[str, Any]) -> tuple[list[str], list[str]] | None:
        """Return the source and the target tokens of an endless plugin; None if it does not list them."""
        symbols = self._call("symbols", name, options=options)
        return None if symbols is None else (symbols[0], symbols[1])

    def limits(self, name: str, options: dict[str, Any]) -> dict[str, float]:
        """Return the best possible values of metrics, as far as the plugin knows them."""
        return dict(self._call("limits", name, options=options))

    def text_form(self, name: str, options: dict[str, Any]) -> TextForm:
        """Return the form that the plugin's sources have."""
        return TextForm.from_json(self._call("text_form", name, options=options))

    def metrics(
        self, name: str, options: dict[str, Any], pairs: Sequence[Pair], hypotheses: Sequence[str]
    ) -> dict[str, float]:
        """Return the plugin's own metrics of these hypotheses."""
        arguments = {"pairs": list(pairs), "hypotheses": list(hypotheses)}
        return dict(self._call("metrics", name, options=options, **arguments))

    def method_warning(self, name: str, options: dict[str, Any], method: str, sentence: str) -> str:
        """The sentence about a flaw in an answer that is accepted all the same, with the method's file and line."""
        file, line = self._call("defined_at", name, options=options, method=method)
        return plugin_error(name, sentence, file, line, "").sentence

    def option_at(self, name: str, option: str) -> str:
        """Return the file and line that declare an option, as text."""
        file, line = self._call("option_at", name, option=option)
        return f"{file}, line {line}"

    def misspelled_members(self, name: str) -> list[Misspelled]:
        """Return the plugin's members that are probably meant to be others."""
        return [Misspelled(*fields) for fields in self._call("misspelled", name)]

    def examples(self, name: str, options: dict[str, Any]) -> list[str]:
        """Return source texts to offer for translation."""
        return list(self._call("examples", name, options=options))

    def files(self, name: str, options: dict[str, Any]) -> list[str]:
        """Return the user's files that the pairs are read from."""
        return list(self._call("files", name, options=options))

    def code_hash(self, name: str) -> str:
        """Return the hash of the plugin's code, as it was when the process loaded it."""
        return str(self._call("code", name))

    def changed_directory(self) -> str | None:
        """Return the host process's working directory if a plugin has changed it; otherwise None."""
        with self._lock:
            folder = str(self._ask("plugins", {"call": "folder"}, self._pairs_timeout))
            return folder if folder != self._started_in else None

    def written_beside(self, name: str) -> list[WrittenFile]:
        """Return the files that the plugin has written into its own folder in the present host process."""
        return [WrittenFile(*fields) for fields in self._call("written_beside", name)]

    def printed_exception(self, name: str) -> PrintedException | None:
        """Return the last exception that a thread or process of the plugin's has printed, if any is still kept."""
        return printed_exception(self._kept_output, files_asked({"source": vars(self.sources_of(name)[0])}))

    @property
    def num_printed_lines(self) -> int:
        """How many lines plugins have printed in the present host process."""
        return self._process.num_output_lines if self._process is not None else 0

    @property
    def num_printed_bytes(self) -> int:
        """How many bytes plugins have printed in the present host process."""
        return self._process.num_output_bytes if self._process is not None else 0

    @property
    def last_printed_line(self) -> str:
        """The last line that plugins have printed in the present host process, or the end of a long one; "" if none."""
        return next(reversed(self._kept_output), "")

    @property
    def _kept_output(self) -> list[str]:
        return self._process.kept_output if self._process is not None else []

    def _describe(self, source: PluginSource) -> PluginInfo:
        try:
            return self.load(source)
        except CallAbandoned:
            raise  # instead of listing the plugin as broken from now on
        except PluginError as error:
            name = error.plugin or source.label
            return PluginInfo(name, name, "", source.origin, error=error.for_author, package=source.package)

    def _row(self, name: str) -> tuple[PluginSource, PluginInfo]:
        """Return the source and the description of a usable plugin."""
        row = self._rows_of(name)[0]
        if row[1].error is not None:
            raise PluginError(row[1].error, "Fix that, or choose another dataset.")
        return row

    def _rows_of(self, name: str) -> list[tuple[PluginSource, PluginInfo]]:
        """Return the usable plugin of this name; if there is none, the users' plugins, or else Headlight's own."""
        self.plugins()
        rows = [row for row in self._rows if row[1].name == name]
        if not rows:
            raise self._no_such_plugin(name)
        usable = [row for row in rows if row[1].error is None]
        return usable or [row for row in rows if not is_built_in(row[1])] or rows

    def _no_such_plugin(self, name: str) -> NoSuchPlugin:
        """The error for an unknown name. It names folders that could not be searched, the likely cause."""
        folders = [f" {source.path}: {source.problem}." for source, _ in self._rows if source.problem]
        known = ", ".join(sorted({info.name for _, info in self._rows if info.error is None}))
        return NoSuchPlugin(
            f"There is no dataset plugin {name!r}.{''.join(folders)}", f"Known are: {known}. {NOT_FOUND_ADVICE}"
        )

    def _call(self, call: str, name: str, **arguments: Any) -> Any:
        """Make one of the worker's calls about a usable plugin, most of which need its options."""
        with self._lock:
            return self._ask(name, self._request(call, name, **arguments), self._pairs_timeout)

    def _next_chunk(
        self, name: str, stream: int, process: HostProcess | None, sent_id: int | None
    ) -> tuple[PairLines, int | None]:
        """Wait for a chunk, and request the one after it; `sent_id` and the returned number are ids."""
        with self._lock:
            if self._process is not process or process is None:
                raise PluginError(f"Drawing pairs from {name!r} was interrupted: the plugin process was replaced.")
            request = self._request("next", name, stream=stream)
            chunk = PairLines(**self._ask(name, request, self._pairs_timeout, sent_id))
            return chunk, process.send(request) if chunk.is_fast else None

    def _request(self, call: str, name: str, **arguments: Any) -> Message:
        source = self._row(name)[0]
        return {"call": call, "source": vars(source), "code": self._code_hashes[source.origin], **arguments}

    def _ask_ignoring_errors(
        self, call: str, name: str, stream: int, process: HostProcess | None, sent_id: int | None = None
    ) -> None:
        """Ask about a stream that is no longer needed, ignoring errors: if the process has ended, so has the stream."""
        with contextlib.suppress(PluginError):
            if self._process is process and process is not None:
                self._ask(name, self._request(call, name, stream=stream), self._pairs_timeout, sent_id)

    def _ask(self, name: str, request: Message, time_limit: float, sent_id: int | None = None) -> Any:
        """Ask the host process, starting it if there is none, and turn failures into UserErrors."""
        with self._lock:
            self._require_open()
            if self._process is None:
                self._process = HostProcess(self.stop_requested, self._hash_seed)
            try:
                if self._started_in is None:  # its start must not count as the plugin's time
                    self._started_in = self._process.ask({"call": "folder"}, START_SECONDS)["result"]
                answer = self._process.ask(request, time_limit, sent_id)
            except HostTimeout as timeout:
                self._end_process()
                sentence = f"gave no answer within {timeout.seconds:.0f} s"
                kind = CallAbandoned if timeout.was_stopping else PluginError
                remedy = _remedy_for_hanging(timeout.output, files_asked(request))
                raise plugin_error(name, sentence, *timeout.location, remedy, kind) from None
            except HostExited as exited:
                self._end_process()
                self._require_open()
                location = printed_location(exited.output, files_asked(request))
                raise plugin_error(name, exited.explanation.reason, *location, exited.explanation.remedy) from None
            if "error" in answer:
                if answer["error"]["kind"] == "memory":
                    self._end_process()  # it may never release the memory
                raise error_from_record(name, answer["error"])
            return answer["result"]

    def _require_open(self) -> None:
        if self._is_resetting or self._is_closed:
            raise PluginError("The plugins' process has been ended.")

    def _end_process(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = self._started_in = None


def _remedy_for_hanging(output: list[str], files: list[str]) -> str:
    """What to do about a plugin that hangs: it may wait for a thread or process of its own that has failed."""
    if known := next(filter(None, map(remedy_for, output)), ""):
        return known
    printed = printed_exception(output, files)
    return f"Look at {printed}, which it has printed" if printed and printed.line else "Let it answer without waiting"
