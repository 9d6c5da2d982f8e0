"""`translate`: translates texts with a run's weights."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple, TextIO, TypeVar

from tqdm import tqdm

from core.answers.translation import Translation
from core.cli.engine_client import TerminalClient
from core.cli.open_run import open_run, open_run_request, require_not_a_corpus_file
from core.cli.output import print_json
from core.cli.stdin_lines import StdinLines, stdin_is_file
from core.cli.terminal_progress import texts_bar
from core.cli.text_files import output_file, read_lines, require_not_an_input, source_name
from core.errors import UserError
from core.requests import FindUnreadable, Translate
from core.user_input.quoting import format_value

_CHUNK_SIZE = 256
_LIST_KEYS = ("unknown", "n_best", "tokens", "probabilities")  # keys of a record, with empty lists for an empty text

Item = TypeVar("Item")


def translate(arguments: Namespace) -> int:
    """Translate texts from the arguments, a file or standard input; one output a line, in the order of the texts.

    An empty line has an empty output, so that the lines of texts and outputs correspond.
    """
    request = open_run_request(arguments.run, arguments, "translate")
    texts = _texts(arguments)
    if arguments.output is not None:
        require_not_a_corpus_file(arguments.output, "--output", request)
    with TerminalClient(arguments.plugins_dir) as client:
        prepared = open_run(client, request)  # before the output file is touched
        if arguments.n_best is not None:
            _require_beam(arguments.n_best, prepared.config.decoding.beam_size)
        if isinstance(texts, StdinLines):
            _translate_stdin(texts, client, arguments)
            return 0
        if (unreadable := _first_unreadable(texts, client, arguments)) is not None:
            raise unreadable.error  # before any is translated, which may take hours
        output_context = nullcontext(sys.stdout) if arguments.output is None else output_file(arguments.output)
        with output_context as output, texts_bar(len(texts), shown=arguments.output is not None) as bar:
            for num_texts in _translate(texts, client, output, arguments):
                bar.update(num_texts)
    return 0


def _translate_stdin(texts: StdinLines, client: TerminalClient, arguments: Namespace) -> None:
    """Translate lines in batches of those that have arrived meanwhile: fast input is translated as fast as a file.

    Those before one that cannot be translated are answered, whether they have arrived in the same batch or earlier.
    """
    num_earlier = 0
    for lines in texts.batches(client):
        unreadable = _first_unreadable(lines, client, arguments, num_earlier)
        readable = lines if unreadable is None else lines[: unreadable.text_index]
        for num_texts in _translate(readable, client, sys.stdout, arguments, num_earlier):
            num_earlier += num_texts
        if unreadable is not None:
            raise unreadable.error


def _translate(
    texts: Sequence[str], client: TerminalClient, output: TextIO, arguments: Namespace, num_earlier: int = 0
) -> Iterator[int]:
    """Print the outputs, and yield the number of texts in each chunk; `num_earlier` is the number of earlier texts."""
    for start, chunk in _chunks(texts):  # in chunks, so that the first outputs of a long file appear soon
        answers = client.ask(_request(chunk, arguments))
        client.show_pending_notes()
        translations = iter(answers)
        for number, text in enumerate(chunk, start=num_earlier + start + 1):
            if text.strip():
                translation = next(translations)
                _warn(translation, _message_prefix(number, arguments))
                _print_translation(number, translation, output, arguments)
            else:
                _print_empty(text, output, arguments)
        yield len(chunk)


def _texts(arguments: Namespace) -> list[str] | StdinLines:
    given = [_decode_argument(text) for text in arguments.text]
    if given and arguments.input is not None:
        raise UserError("translate: expected texts or --input FILE, given both.")
    if arguments.output is not None and not given:
        _require_not_its_own_input(arguments.output, arguments.input)
    for number, text in enumerate(given, start=1):
        if not text.strip():
            raise UserError(f"translate: text {number} of {len(given)} is empty; expected something to translate.")
    if not given and arguments.input is None and sys.stdin.isatty():
        print("Type texts to translate, one a line; Ctrl-D ends them.", file=sys.stderr)
    if given:
        return given
    if arguments.input is None and arguments.output is None and not stdin_is_file():
        return StdinLines()
    return read_lines(arguments.input)


def _require_not_its_own_input(output: Path, path: Path | None) -> None:
    read, name = (sys.stdin.fileno(), "standard input") if path is None else (path, "--input")
    require_not_an_input(output, "--output", [read], f"the file of {name}")


def _decode_argument(text: str) -> str:
    """An argument decoded as UTF-8, like standard input, under any locale: Python decodes arguments by the locale.

    Text that is not UTF-8 is refused later, by the translator.
    """
    try:
        return os.fsencode(text).decode()
    except UnicodeError:
        return text


def _chunks(items: Sequence[Item]) -> Iterator[tuple[int, Sequence[Item]]]:
    """Yield the items in chunks, each with the index of its first item."""
    for start in range(0, len(items), _CHUNK_SIZE):
        yield start, items[start : start + _CHUNK_SIZE]


class _Unreadable(NamedTuple):
    """A text that cannot be translated: its index, and the error that says why."""

    text_index: int
    error: UserError


def _first_unreadable(
    texts: Sequence[str], client: TerminalClient, arguments: Namespace, num_earlier: int = 0
) -> _Unreadable | None:
    """The first text that cannot be translated; `num_earlier` is the number of earlier texts."""
    non_empty = [(index, text) for index, text in enumerate(texts) if text.strip()]
    for _, chunk in _chunks(non_empty):
        unreadable = client.ask(FindUnreadable(texts=tuple(text for _, text in chunk)))
        if unreadable is not None:
            index_in_chunk, reason = unreadable
            index, _ = chunk[index_in_chunk]
            return _Unreadable(index, UserError(f"{_message_prefix(num_earlier + index + 1, arguments)}{reason}"))
    return None


def _require_beam(wanted: int, beam_size: int) -> None:
    """Raise UserError for more outputs than the beam's size."""
    if not 1 <= wanted <= beam_size:
        advice = "Set a larger --beam-size." if wanted > beam_size else "Say how many outputs of each text to print."
        raise UserError(f"--n-best {wanted}: expected 1 to {beam_size}, the beam's size.", advice)


def _request(texts: Sequence[str], arguments: Namespace) -> Translate:
    with_n_best = arguments.json or arguments.n_best is not None
    non_empty = tuple(text for text in texts if text.strip())
    return Translate(
        texts=non_empty,
        with_attention=arguments.json,
        with_n_best=with_n_best,
        minimum_risk=arguments.minimum_risk,
    )


def _message_prefix(number: int, arguments: Namespace) -> str:
    """The prefix that tells to which of several texts a warning or error belongs."""
    if not arguments.text:
        return f"{source_name(arguments.input)}, line {number:,}: "
    return f"text {number}: " if len(arguments.text) > 1 else ""


def _warn(translation: Translation, prefix: str) -> None:
    warnings = []
    if translation.unknown:
        warnings.append(f"not in the vocabulary: {', '.join(dict.fromkeys(map(format_value, translation.unknown)))}")
    if translation.length_note:
        warnings.append(translation.length_note)
    if not translation.finished:
        warnings.append("the output was cut at the longest length")
    for warning in warnings:
        tqdm.write(f"warning: {prefix}{warning}", file=sys.stderr)


def _print_translation(number: int, translation: Translation, output: TextIO, arguments: Namespace) -> None:
    if arguments.json:
        print_json(_record(translation, arguments.n_best), output)
    elif arguments.n_best is None:
        print(_as_line(translation.output), file=output, flush=True)
    else:
        for one in translation.n_best[: arguments.n_best]:
            print(number, f"{one.score:.4f}", _as_line(one.output), sep="\t", file=output, flush=True)


def _as_line(output: str) -> str:
    """The output on one line, even if a token is a line break, so that the lines of texts and outputs correspond."""
    return output.replace("\r", " ").replace("\n", " ")


def _print_empty(text: str, output: TextIO, arguments: Namespace) -> None:
    if arguments.json:
        print_json({"source": text, "output": "", "finished": True} | dict.fromkeys(_LIST_KEYS, ()), output)
    elif arguments.n_best is None:  # with --n-best nothing: there is no hypothesis with a score
        print(file=output, flush=True)


def _record(translation: Translation, n_best: int | None) -> dict[str, object]:
    assert translation.sentence is not None  # it was requested with attention
    free_running = translation.sentence.free_running
    return {
        "source": translation.source,
        "output": translation.output,
        "unknown": translation.unknown,
        "finished": translation.finished,
        "n_best": [vars(one) for one in translation.n_best[:n_best]],
        "tokens": free_running.tgt_output,
        "probabilities": free_running.output_probability,
    }
