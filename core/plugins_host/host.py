"""The application's side of the plugins: lists them, checks their options and draws their pairs, in another process."""

import contextlib
import hashlib
import threading
from collections.abc import Generator, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from core.plugin import Pair
from core.plugins_host.channel import HostEnded, HostProcess, HostSilent
from core.plugins_host.discovery import Source
from core.plugins_host.failures import (
    ELSEWHERE,
    EmptySplit,
    NoSuchPlugin,
    NotWaitedFor,
    PluginError,
    crash_line,
    failure,
    refusal,
)
from core.plugins_host.info import PluginInfo, is_built_in, with_collisions
from core.plugins_host.pair_lines import PairLines
from core.text_form import TextForm

SHARD_SIZE = 10_000
"""Pairs in one shard of endless training data."""
MAX_PAIRS = {"train": 50_000_000, "valid": 1_000_000, "test": 1_000_000}
"""A split that goes on beyond this is taken to be endless."""
ENDLESS = "Let it end, or declare endless = True if training data are made without end"
HELD_OUT_ENDLESS = "Let it end, 1,000 pairs are enough; the train split alone need not, with endless = True"
START_SECONDS = 60.0
_LOOK_SECONDS = 0.05

Message = dict[str, Any]


class PluginHost:
    """Owns at most one host process: started when first needed, kept warm, replaced when it ends or hangs.

    Every method may be called from any thread; one waits for the other. After `close()` nothing starts it again.
    """

    def __init__(
        self,
        extra_dirs: Sequence[Path] = (),
        *,
        only: Source | None = None,
        hash_seed: int | None = None,
        describe_timeout: float = 10.0,
        pairs_timeout: float = 30.0,
    ) -> None:
        """`only` is the one plugin to know, wherever it is; `hash_seed` fixes how its process hashes texts."""
        self.in_a_hurry = threading.Event()
        """Set it while somebody wants to stop: no answer is waited for more than a moment then."""
        self._only = only
        self._hash_seed = hash_seed
        self.extra_dirs = [Path(folder).absolute() for folder in extra_dirs]  # looked in besides the usual ones
        self._describe_timeout = describe_timeout
        self._pairs_timeout = pairs_timeout
        self._lock = threading.RLock()
        self._process: HostProcess | None = None
        self._started_in: str | None = None
        self._warming: threading.Thread | None = None
        self._is_ending = False
        self._is_closed = False
        self._rows: list[tuple[Source, PluginInfo]] = []
        self._codes: dict[str, str] = {}  # of what is listed, by origin: another process must find the same
        self._streams = count(1)

    def __enter__(self) -> "PluginHost":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def warm_up(self) -> None:
        """Start the process and list the plugins beside the caller, so that whoever asks first waits less."""
        self._warming = threading.Thread(target=self._list_aside, name="listing plugins")
        self._warming.start()

    def _list_aside(self) -> None:
        with contextlib.suppress(Exception):  # whoever asks next meets the same, and is told
            self.plugins()

    def close(self) -> None:
        """End the host process for good: whoever waits for its answer, or asks from now on, gets a PluginError."""
        self._is_closed = True
        self.forget()

    def forget(self) -> None:
        """End the host process and forget the list of plugins: the next call reads the plugin files anew.

        Whoever waits for an answer gets a PluginError.
        """
        self._is_ending = True  # whoever is listing plugins asks for no other
        self._kill()
        while self._warming is not None and self._warming.is_alive():
            self._kill()
            self._warming.join(_LOOK_SECONDS)
        while not self._lock.acquire(timeout=_LOOK_SECONDS):
            self._kill()  # a process that was only being started is ended too
        try:
            self._rows = []
            self._codes.clear()
            self._end_process()
        finally:
            self._is_ending = False
            self._lock.release()

    def _kill(self) -> None:
        process = self._process
        if process is not None:
            process.kill()

    def plugins(self) -> list[PluginInfo]:
        """List all plugins, those that cannot be used as rows with their error."""
        with self._lock:
            if not self._rows:
                sources = self._sources()
                infos = with_collisions([self._describe(source) for source in sources])
                self._rows = list(zip(sources, infos, strict=True))
            return [info for _, info in self._rows]

    def _sources(self) -> list[Source]:
        if self._only is not None:
            return [self._only]
        asked = {"call": "find", "extra_dirs": list(map(str, self.extra_dirs))}
        return [Source(**found) for found in self._ask("plugins", asked, START_SECONDS)]

    def info(self, name: str) -> PluginInfo:
        """Return the description of a plugin that can be used. Raises: NoSuchPlugin, PluginError."""
        with self._lock:
            return self._row(name)[1]

    def sources_of(self, name: str) -> list[Source]:
        """Return the place of the plugin of this name that is used, else all that have one.

        Raises: NoSuchPlugin.
        """
        with self._lock:
            return [source for source, _ in self._rows_of(name)]

    def load(self, source: Source) -> PluginInfo:
        """Describe one plugin. Raises: PluginError where it cannot be used."""
        request = {"call": "describe", "source": vars(source)}
        described = self._ask(source.label, request, self._describe_timeout)
        self._codes[source.origin] = described.pop("code")
        described["tokenizer"] = tuple(described["tokenizer"])
        return PluginInfo(**described, origin=source.origin, package=source.package)

    def options(self, name: str, given: dict[str, Any], *, accepted: bool = False) -> dict[str, Any]:
        """Return all options of a plugin, those not given at their defaults.

        Asked before anything else is asked with them: here alone the plugin's `check` is heard, and not of those that
        were `accepted` when a run began with them. Raises: UserError naming the first option that is wrong: expected,
        given.
        """
        return dict(self._call("options", name, given, accepted=accepted))

    def pairs(
        self, name: str, options: dict[str, Any], seed: int, split: str, shard: int = 0, limit: int | None = None
    ) -> Generator[list[Pair], None, None]:
        """Draw one split in lists of up to 1,000 pairs: what `lines` gives, read."""
        for lines in self.lines(name, options, seed, split, shard, limit):
            if lines:
                yield lines.pairs()

    def lines(
        self,
        name: str,
        options: dict[str, Any],
        seed: int,
        split: str,
        shard: int = 0,
        limit: int | None = None,
        *,
        accepted: bool = False,
    ) -> Iterator[PairLines]:
        """Draw one split, up to 1,000 pairs at a time; at most `limit` pairs, when given. The last lines are none.

        A finite split is drawn whole, from (seed, split). The train split of an endless plugin is cut in shards of
        SHARD_SIZE pairs, each from (seed, split, shard). The same arguments give the same pairs on every machine.
        `accepted` as for `options`: what is drawn is a run's that is there.
        Raises: PluginError when the plugin fails or hangs, when the split is empty or does not end.
        """
        sharded = split == "train" and self.info(name).endless
        size = SHARD_SIZE if limit is None else min(limit, SHARD_SIZE)
        rng_seed = _rng_seed(seed, split, shard) if sharded else _rng_seed(seed, split)
        most = size if sharded else limit
        drawn = 0
        for chunk in self.stream(name, options, split=split, rng_seed=rng_seed, limit=most, accepted=accepted):
            drawn += len(chunk)
            if drawn > MAX_PAIRS[split]:
                sentence = f"does not end its {split} split (stopped after {drawn:,} pairs)"
                raise self._breach(name, sentence, ENDLESS if split == "train" else HELD_OUT_ENDLESS)
            yield chunk
        if sharded and drawn < size:
            sentence = f"says endless = True, but its train split ended after {drawn:,} pairs"
            raise self._breach(name, sentence, "Remove endless = True, or never stop yielding for train")
        if drawn == 0 and limit != 0:
            sentence = f"gives no pairs for its {split} split with these options"
            raise self._breach(name, sentence, "Yield at least one pair for each of train, valid and test", EmptySplit)

    def symbols(self, name: str, options: dict[str, Any]) -> tuple[list[str], list[str]] | None:
        """Return the source and the target tokens of an endless plugin, None where it does not list them."""
        symbols = self._call("symbols", name, options)
        return None if symbols is None else (symbols[0], symbols[1])

    def limits(self, name: str, options: dict[str, Any]) -> dict[str, float]:
        """Return the best value of each metric that anyone can reach, where the plugin knows it."""
        return dict(self._call("limits", name, options))

    def text_form(self, name: str, options: dict[str, Any]) -> TextForm:
        """Return the form that the plugin's sources have."""
        return TextForm.from_json(self._call("text_form", name, options))

    def metrics(
        self, name: str, options: dict[str, Any], pairs: Sequence[Pair], hypotheses: Sequence[str]
    ) -> dict[str, float]:
        """Return the plugin's own metrics of what was written for these pairs."""
        return dict(self._call("metrics", name, options, pairs=list(pairs), hypotheses=list(hypotheses)))

    def complaint(self, name: str, options: dict[str, Any], method: str, sentence: str) -> str:
        """Put in one sentence what is wrong with an answer that is taken all the same, with the method's place."""
        file, line = self._call("defined_at", name, options, method=method)
        return failure(name, sentence, file, line, "").sentence

    def examples(self, name: str, options: dict[str, Any]) -> list[str]:
        """Return source texts to offer for translation."""
        return list(self._call("examples", name, options))

    def files(self, name: str, options: dict[str, Any]) -> list[str]:
        """Return the user's files that the pairs are read from."""
        return list(self._call("files", name, options))

    def code(self, name: str) -> str:
        """What tells the plugin's code from another's: of the file as it was when the process loaded it."""
        with self._lock:
            return str(self._ask(name, self._request("code", name), self._pairs_timeout))

    def moved_to(self) -> str | None:
        """Return the folder that a plugin has made the host process's current one; None where none did."""
        with self._lock:
            folder = str(self._ask("plugins", {"call": "folder"}, self._pairs_timeout))
            return folder if folder != self._started_in else None

    @property
    def num_printed_lines(self) -> int:
        """How many lines plugins have printed in the present host process."""
        return self._process.num_output_lines if self._process is not None else 0

    def _describe(self, source: Source) -> PluginInfo:
        try:
            return self.load(source)
        except NotWaitedFor:
            raise  # rather than be listed as broken from now on
        except PluginError as error:
            label = source.label
            return PluginInfo(label, label, "", source.origin, error=error.for_author, package=source.package)

    def _row(self, name: str) -> tuple[Source, PluginInfo]:
        """Return the source and the description of a plugin that can be used."""
        row = self._rows_of(name)[0]
        if row[1].error is not None:
            raise PluginError(row[1].error, "Fix that, or choose another dataset.")
        return row

    def _rows_of(self, name: str) -> list[tuple[Source, PluginInfo]]:
        """Return the one of a name that can be used; where none can, those of others than Headlight, or its own."""
        self.plugins()
        rows = [row for row in self._rows if row[1].name == name]
        if not rows:
            raise self._no_such(name)
        usable = [row for row in rows if row[1].error is None]
        return usable or [row for row in rows if not is_built_in(row[1])] or rows

    def _no_such(self, name: str) -> NoSuchPlugin:
        """Say what was looked through in vain: a folder that is not there is the likely cause."""
        folders = [f" {source.path}: {source.problem}." for source, _ in self._rows if source.problem]
        known = ", ".join(sorted({info.name for _, info in self._rows if info.error is None}))
        return NoSuchPlugin(
            f"There is no dataset plugin {name!r}.{''.join(folders)}", f"Known are: {known}. {ELSEWHERE}"
        )

    def _call(self, call: str, name: str, options: dict[str, Any], **arguments: Any) -> Any:
        with self._lock:
            return self._ask(name, self._request(call, name, options=options, **arguments), self._pairs_timeout)

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
        """Draw with an rng of this seed, chunk by chunk; a fast plugin is at most one ahead.

        The last chunk is empty: it alone knows how many pairs were left out.
        """
        stream = next(self._streams)
        how = {"split": split, "rng_seed": rng_seed, "limit": limit, "accepted": accepted}
        self._call("open", name, options, stream=stream, **how)
        process, ahead = self._process, None
        try:
            while True:
                sent, ahead = ahead, None  # answered by now, be it with an error
                chunk, ahead = self._next_chunk(name, stream, process, sent)
                yield chunk
                if not chunk:
                    break
        finally:
            with self._lock:
                if ahead is not None:
                    self._ask_to_end("next", name, stream, process, ahead)
                self._ask_to_end("shut", name, stream, process)

    def _next_chunk(
        self, name: str, stream: int, process: HostProcess | None, sent: int | None
    ) -> tuple[PairLines, int | None]:
        """Wait for a chunk, and ask for the one after it; `sent` and what is returned are numbers of such questions."""
        with self._lock:
            if self._process is not process or process is None:
                raise PluginError(f"Drawing pairs from {name!r} was interrupted: the plugin process was replaced.")
            request = self._request("next", name, stream=stream)
            chunk = PairLines(**self._ask(name, request, self._pairs_timeout, sent))
            return chunk, process.send_ahead(request) if chunk.is_fast else None

    def _request(self, call: str, name: str, **arguments: Any) -> Message:
        source = self._row(name)[0]
        return {"call": call, "source": vars(source), "code": self._codes[source.origin], **arguments}

    def _ask_to_end(
        self, call: str, name: str, stream: int, process: HostProcess | None, sent: int | None = None
    ) -> None:
        """Of a stream that nobody wants any more. A process ended meanwhile has none; whoever asks next is told."""
        with contextlib.suppress(PluginError):
            if self._process is process and process is not None:
                self._ask(name, self._request(call, name, stream=stream), self._pairs_timeout, sent)

    def _ask(self, name: str, request: Message, time_limit: float, sent: int | None = None) -> Any:
        """Ask the host process, starting it when there is none, and turn what goes wrong into a sentence."""
        with self._lock:
            self._require_wanted()
            if self._process is None:
                self._process = HostProcess(self.in_a_hurry, self._hash_seed)
            file = request.get("source", {}).get("path", "")
            try:
                if self._started_in is None:  # its start is not the plugin's time
                    self._started_in = self._process.ask({"call": "folder"}, START_SECONDS)["result"]
                answer = self._process.ask(request, time_limit, sent)
            except HostSilent as silent:
                self._end_process()
                sentence = f"gave no answer within {silent.seconds:.0f} s"
                kind = NotWaitedFor if silent.was_hurried else PluginError
                raise failure(name, sentence, file, silent.line, "Let it answer without waiting", kind) from None
            except HostEnded as ended:
                self._end_process()
                self._require_wanted()
                line = crash_line(ended.output, file)
                raise failure(name, ended.ending.reason, file, line, ended.ending.remedy) from None
            if "error" in answer:
                if answer["error"]["kind"] == "memory":
                    self._end_process()  # what it took may be held for ever
                raise refusal(name, answer["error"])
            return answer["result"]

    def _require_wanted(self) -> None:
        if self._is_ending or self._is_closed:
            raise PluginError("The plugins' process has been ended.")

    def _end_process(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = self._started_in = None

    def _breach(self, name: str, sentence: str, remedy: str, kind: type[PluginError] = PluginError) -> PluginError:
        with self._lock:
            return failure(name, sentence, self._row(name)[0].origin, 0, remedy, kind)


def _rng_seed(*parts: int | str) -> int:
    """Derive the seed of one rng; the same in every process and on every machine, unlike `hash`."""
    return int.from_bytes(hashlib.sha256("/".join(map(str, parts)).encode()).digest()[:8], "big")
