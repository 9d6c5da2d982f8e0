"""The grammar of the command line: verbs, their arguments and their help."""

from __future__ import annotations

import sys
from argparse import (
    Action,
    ArgumentError,
    ArgumentParser,
    ArgumentTypeError,
    Namespace,
    RawDescriptionHelpFormatter,
    _ActionsContainer,
    _SubParsersAction,
)
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from core.home_paths import expand_home
from core.version import version

_DESCRIPTION = """Train an encoder-decoder Transformer and watch it learn.

Without a verb the window opens. With one, everything happens in the terminal."""
_EPILOG = """examples:
  headlight train copy_task
  headlight train toy_german_english --set training.max_steps=500
  headlight translate RUN "ich möchte ein Bier"
"""
_RUN = "a run's folder, or its name in the runs folder"
_DATASET_OPTIONS = "name the folder of a corpus that was moved (dataset.options.folder=FOLDER), or other pairs to score"
_Verbs: TypeAlias = "_SubParsersAction[ArgumentParser]"


class _Parser(ArgumentParser):
    """Reports errors in one line instead of repeating the usage."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=RawDescriptionHelpFormatter, **options)

    def error(self, message: str) -> NoReturn:
        end = "" if message.endswith("?") else "."
        self.exit(2, f"{self.prog}: {message}{end} `{self.prog} --help` shows what there is.\n")

    def _check_value(self, action: Action, value: Any) -> None:
        """Suggest the nearest valid verb or choice; if none is near, argparse lists all."""
        choices = action.choices or ()
        if value not in choices and (close := get_close_matches(str(value), choices, n=1)):
            raise ArgumentError(action, f"invalid choice: {value!r}; did you mean {close[0]}?")
        super()._check_value(action, value)

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help and version as results: argparse would ignore that they cannot be written."""
        if file is sys.stdout:
            print(message, end="", flush=True)
        else:
            super()._print_message(message, file)


def parse(argv: Sequence[str]) -> Namespace:
    """Parse the arguments; `verb` names the verb. Raises SystemExit after printing help, the version or an error."""
    parser = _make_parser()
    arguments, unparsed = parser.parse_known_args(argv)
    if arguments.verb == "translate":  # argparse does not parse texts that follow an option
        arguments.text += _positional_texts(unparsed)
        unparsed = [word for word in _before_double_dash(unparsed) if word.startswith("-")]
    if unparsed:
        parser.prog += f" {arguments.verb}"  # so that the error points to the verb's help
        parser.error(f"unknown: {' '.join(unparsed)}")
    return arguments


def _positional_texts(words: list[str]) -> list[str]:
    before = _before_double_dash(words)
    return [word for word in before if not word.startswith("-")] + words[len(before) + 1 :]


def _before_double_dash(words: list[str]) -> list[str]:
    return words[: words.index("--")] if "--" in words else words


def _make_parser() -> ArgumentParser:
    parser = _Parser(prog="headlight", description=_DESCRIPTION, epilog=_EPILOG)
    parser.add_argument("--version", action="version", version=f"headlight {version()}")
    verbs = _add_verbs(parser)
    _add_train(verbs)
    _add_evaluate(verbs)
    _add_translate(verbs)
    _add_runs(_add_verbs(verbs.add_parser("runs", help="list, show, compare or delete runs")))
    _add_plugins(_add_verbs(verbs.add_parser("plugins", help="list or check dataset plugins, or write a new one")))
    _add_presets(_add_verbs(verbs.add_parser("presets", help="list or show the presets")))
    _add_export(verbs)
    return parser


def _add_verbs(parser: ArgumentParser) -> _Verbs:
    return parser.add_subparsers(title="verbs", metavar="VERB", required=True, parser_class=_Parser)


def _add_verb(verbs: _Verbs, name: str, help_text: str) -> ArgumentParser:
    """Add a verb: `runs list` is added as `list` to the verbs of `runs`."""
    verb = verbs.add_parser(name.split()[-1], help=help_text)
    verb.set_defaults(verb=name)
    return verb


def _add_train(verbs: _Verbs) -> None:
    train = _add_verb(verbs, "train", "train a preset or a YAML file, or continue a run")
    train.add_argument(
        "config",
        nargs="?",
        metavar="PRESET|FILE.yaml",
        help="a preset (`headlight presets list` shows them), or a file of settings",
    )
    train.add_argument("--resume", metavar="RUN", help="continue this run instead")
    _add_set(train, "override one setting, such as training.max_steps=500; may be repeated")
    train.add_argument("--run-dir", type=_path, metavar="DIR", help="the run's folder itself, new or empty")
    train.add_argument(
        "--tensorboard",
        type=_path,
        metavar="DIR",
        help="write its curves here too, as event files (the extra `tensorboard`)",
    )
    train.add_argument(
        "--seeds",
        metavar="0,1,2",
        help="train once with each of these seeds; print mean and deviation at their last steps",
    )
    _add_folders(train)
    _add_json(train, "print one object a line: every event, the last one run_finished; with --seeds, seeds_finished")


def _add_evaluate(verbs: _Verbs) -> None:
    evaluate = _add_verb(verbs, "evaluate", "measure runs on sentences they were not trained on")
    evaluate.add_argument(
        "runs", nargs="+", metavar="RUN", help=f"{_RUN}; for several runs, mean and standard deviation come last"
    )
    evaluate.add_argument("--split", choices=("valid", "test"), default="valid", help="default: valid")
    _add_set(evaluate, _DATASET_OPTIONS)
    evaluate.add_argument(
        "--predictions",
        type=_path,
        metavar="FILE.tsv",
        help="write source, reference and hypothesis of one run, separated by tabs, below a header line",
    )
    _add_decoding(evaluate)
    _add_checkpoint(evaluate)
    _add_folders(evaluate)
    _add_json(evaluate, "print one object a run; for several runs, a last one with mean and standard deviation")


def _add_translate(verbs: _Verbs) -> None:
    translate = _add_verb(verbs, "translate", "translate texts with a run's weights")
    translate.add_argument("run", metavar="RUN", help=_RUN)
    translate.add_argument(
        "text",
        nargs="*",
        default=[],  # without one, argparse calls the texts required
        metavar="TEXT",
        help="the texts to translate; if none is given, each line of standard input is translated as it arrives. A "
        "program that writes these lines must read the outputs meanwhile, or pass all texts in a file (--input)",
    )
    translate.add_argument("--input", type=_path, metavar="FILE", help="read one text a line from here")
    translate.add_argument("--output", type=_path, metavar="FILE", help="write one output a line to here")
    translate.add_argument(
        "--n-best",
        type=int,
        metavar="N",
        help="print this many outputs of each text, in columns separated by tabs: number of the text, score, output; "
        "needs a beam that wide: --beam-size N, unless the run's own is",
    )
    _add_decoding(translate)
    _add_checkpoint(translate)
    _add_folders(translate)
    _add_json(translate, "print one object a line, with every token's probability and the beam's other outputs")


def _add_runs(verbs: _Verbs) -> None:
    listing = _add_verb(verbs, "runs list", "all runs, sorted by the names of their folders")
    show = _add_verb(verbs, "runs show", "one run: state, figures, settings")
    delete = _add_verb(verbs, "runs delete", "delete runs for good, without asking; of a link to a run, only the link")
    compare = _add_verb(verbs, "runs compare", "runs side by side: settings that differ, figures at their best steps")
    for verb in (listing, show, delete, compare):
        _add_runs_dir(verb)
    show.add_argument("run", metavar="RUN", help=_RUN)
    for verb in (delete, compare):
        verb.add_argument("runs", nargs="+", metavar="RUN", help=_RUN)
    printed = compare.add_mutually_exclusive_group()
    printed.add_argument("--csv", action="store_true", help="print a table for other programs")
    compare.add_argument(
        "--paired-bootstrap",
        action="store_true",
        help="evaluate two runs; print p of each difference (Koehn 2004): sacrebleu's, in effect one-sided",
    )
    paired = compare.add_argument_group("with --paired-bootstrap")
    paired.add_argument("--split", choices=("valid", "test"), help="default: valid")
    _add_set(paired, _DATASET_OPTIONS)
    _add_decoding(paired)
    _add_checkpoint(paired)
    _add_plugins_dir(paired)
    for container in (listing, show, delete, printed):
        _add_json(container, "print one object a line")


def _add_plugins(verbs: _Verbs) -> None:
    listing = _add_verb(verbs, "plugins list", "all dataset plugins, those that cannot be loaded with their error")
    _add_plugins_dir(listing)
    _add_json(listing, "print one object a line")
    check = _add_verb(verbs, "plugins check", "check a plugin: contract, figures, learnability")
    check.add_argument("plugin", metavar="NAME|PATH", help="a plugin's name, or its .py file wherever that is")
    _add_set(check, "check with this option")
    _add_plugins_dir(check)
    _add_json(check, "print one object")
    new = _add_verb(verbs, "plugins new", "write a working plugin to start from, and its test")
    new.add_argument("name", metavar="NAME", help="lower-case letters, digits and underscores")
    new.add_argument("--package", action="store_true", help="an installable package, in the current folder")


def _add_presets(verbs: _Verbs) -> None:
    listing = _add_verb(verbs, "presets list", "all presets with a sentence each")
    _add_json(listing, "print one object a line")
    show = _add_verb(verbs, "presets show", "a preset's YAML, to save and change")
    show.add_argument("preset", metavar="PRESET", help="`headlight presets list` shows them")
    _add_json(show, "print one object, with every setting, the defaults too")


def _add_export(verbs: _Verbs) -> None:
    export = _add_verb(verbs, "export", "write a run's weights for other programs, or the run for other people")
    export.add_argument("run", metavar="RUN", help=_RUN)
    export.add_argument(
        "--format",
        choices=("safetensors", "onnx", "headlight"),
        required=True,
        help="safetensors: weights, settings and vocabularies in a folder that translate reads, or the weights alone "
        "in a file X.safetensors; onnx: two graphs in a folder; headlight: one file, X.headlight, without the "
        "optimizer, which anyone can drop on the window and replay",
    )
    export.add_argument("--output", type=_path, required=True, metavar="PATH")
    _add_runs_dir(export)
    _add_checkpoint(export)
    _add_json(export, "print one object: what was written, of which run and checkpoint")


def _add_set(verb: _ActionsContainer, help_text: str) -> None:
    verb.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help=help_text)


def _add_decoding(verb: _ActionsContainer) -> None:
    verb.add_argument("--beam-size", type=int, metavar="N", help="hypotheses kept; 1 is greedy; default: the run's")
    verb.add_argument(
        "--length-penalty", type=float, metavar="A", help="favours longer outputs of a beam; default: the run's"
    )
    verb.add_argument(
        "--minimum-risk",
        action="store_true",
        help="of the outputs of a beam, choose the one with the fewest expected edits in tokens (minimum Bayes risk), "
        "not the one with the best score",
    )


def _add_checkpoint(verb: _ActionsContainer) -> None:
    verb.add_argument(
        "--checkpoint",
        type=_checkpoint,
        metavar="best|last|STEP",
        help="default: best; before any validation: last. "
        "Where training.average_checkpoints is set, last is the mean of the last ones",
    )


def _checkpoint(text: str) -> str:
    if text not in ("best", "last") and not (text.isascii() and text.isdigit()):
        raise ArgumentTypeError(f"expected best, last or a step, given {text!r}")
    return text


def _path(text: str) -> Path:
    """Parse a path. An empty text (from an empty shell variable) is refused: it would mean the working directory."""
    if not text:
        raise ArgumentTypeError("expected a path, given an empty text")
    return expand_home(text)  # after `--runs-dir=` the shell does not expand `~`


def _add_folders(verb: ArgumentParser) -> None:
    _add_runs_dir(verb)
    _add_plugins_dir(verb)


def _add_runs_dir(verb: ArgumentParser) -> None:
    verb.add_argument(
        "--runs-dir",
        type=_path,
        metavar="DIR",
        help="where runs are kept; default: HEADLIGHT_RUNS_DIR, or `runs` in the user's data folder",
    )


def _add_plugins_dir(verb: _ActionsContainer) -> None:
    verb.add_argument(
        "--plugins-dir",
        type=_path,
        action="append",
        default=[],
        metavar="DIR",
        help="a folder with more dataset plugins",
    )


def _add_json(verb: _ActionsContainer, help_text: str) -> None:
    verb.add_argument("--json", action="store_true", help=help_text)
