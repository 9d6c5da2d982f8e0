"""`evaluate` and `translate`: what a run's weights can do."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from tqdm import tqdm

from core.cli_engine import Conversation
from core.cli_opening import opening_of
from core.cli_output import print_json
from core.errors import UserError
from core.events import Event
from core.requests import Evaluate, Evaluation, Translate, Translation
from core.strict_yaml import shown
from core.terminal import texts_bar

_METRICS = ("loss", "perplexity", "token_accuracy", "exact_match", "token_error_rate", "bleu", "chrf")
_TEXTS_AT_ONCE = 256


def evaluate(arguments: Namespace) -> int:
    """Measure a checkpoint on a split and print the figures."""
    opening = opening_of(arguments.run, arguments.runs_dir, arguments.checkpoint)
    with Conversation(_ignore, arguments.plugins_dir) as engine:
        engine.ask(opening)
        evaluation = engine.ask(Evaluate(split=arguments.split))
    if arguments.predictions is not None:
        _write_predictions(arguments.predictions, evaluation)
    record = _record(evaluation)
    if arguments.json:
        print_json(record)
        return 0
    for name, value in (record | record.pop("metrics")).items():
        print(f"{name} {value:.6g}" if isinstance(value, float) else f"{name} {value}")
    return 0


def translate(arguments: Namespace) -> int:
    """Translate texts given, from a file or from standard input; one output a line."""
    changes = [("decoding.beam_size", arguments.beam_size), ("decoding.length_penalty", arguments.length_penalty)]
    texts = _texts(arguments)
    given = tuple((key, value) for key, value in changes if value is not None)
    opening = opening_of(arguments.run, arguments.runs_dir, arguments.checkpoint, given)
    with Conversation(_ignore, arguments.plugins_dir) as engine:
        engine.ask(opening)  # before the output's file is touched
        with _output(arguments.output) as output, texts_bar(len(texts), shown=arguments.output is not None) as bar:
            for start in range(0, len(texts), _TEXTS_AT_ONCE):  # so that the first outputs of a long file appear soon
                chunk = tuple(texts[start : start + _TEXTS_AT_ONCE])
                request = Translate(texts=chunk, with_attention=arguments.json, with_n_best=arguments.json)
                for translation in engine.ask(request):
                    _warn(translation)
                    _print_translation(translation, output, json=arguments.json)
                bar.update(len(chunk))
    return 0


def _ignore(event: Event) -> None:
    """Nothing of what happens on the way is shown."""


def _record(evaluation: Evaluation) -> dict[str, Any]:
    return {
        "run": str(evaluation.run),
        "split": evaluation.split,
        "checkpoint": evaluation.checkpoint,
        "sentences": evaluation.sentences,
        **{name: evaluation.metrics[name] for name in _METRICS},
        "bleu_signature": evaluation.bleu_signature,
        "chrf_signature": evaluation.chrf_signature,
        "tokenized_bleu": evaluation.tokenized_bleu,
        "tokenized_bleu_signature": evaluation.tokenized_bleu_signature,
        "metrics": evaluation.plugin_metrics,
        "seconds": evaluation.seconds,
    }


def _write_predictions(path: Path, evaluation: Evaluation) -> None:
    rows = [("source", "reference", "hypothesis"), *evaluation.predictions]
    lines = ["\t".join(" ".join(cell.split()) for cell in row) for row in rows]  # no cell may hold a tab or line break
    try:
        path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror}).") from error


def _texts(arguments: Namespace) -> list[str]:
    if arguments.text and arguments.input is not None:
        raise UserError("translate: expected texts or --input FILE, given both.")
    texts: list[str] = arguments.text or _lines(arguments.input)
    for number, text in enumerate(texts, start=1):
        if not text.strip():
            raise UserError(f"translate: text {number} of {len(texts)} is empty; expected something to translate.")
    return texts


def _lines(path: Path | None) -> list[str]:
    """The lines of a file, or of standard input. Only a line feed ends one: U+2028 and the like stand inside texts."""
    name = "standard input" if path is None else str(path)
    try:
        data = sys.stdin.buffer.read() if path is None else path.read_bytes()
        lines = data.decode("utf-8-sig").replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError as error:
        raise UserError(f"{name}: byte {error.start} is not UTF-8; expected one text a line.") from None
    except OSError as error:
        raise UserError(f"{name}: cannot be read ({error.strerror}).") from None
    return lines if lines[-1] else lines[:-1]


@contextmanager
def _output(path: Path | None) -> Iterator[TextIO]:
    if path is None:
        yield sys.stdout
        return
    try:
        file = path.open("w", encoding="utf-8", newline="\n")
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror}).") from error
    with file:
        yield file


def _warn(translation: Translation) -> None:
    if translation.unknown:
        unknown = ", ".join(dict.fromkeys(map(shown, translation.unknown)))
        tqdm.write(f"warning: not in the vocabulary: {unknown}", file=sys.stderr)
    if not translation.finished:
        tqdm.write("warning: the output was cut at the longest length", file=sys.stderr)


def _print_translation(translation: Translation, output: TextIO, *, json: bool) -> None:
    if not json:
        print(translation.output, file=output, flush=True)
        return
    assert translation.sentence is not None  # asked for with attention
    fed = translation.sentence.free_running
    print_json(
        {
            "source": translation.source,
            "output": translation.output,
            "unknown": translation.unknown,
            "finished": translation.finished,
            "n_best": [vars(one) for one in translation.n_best],
            "tokens": fed.tgt_output,
            "probabilities": fed.output_probability,
        },
        output,
    )
