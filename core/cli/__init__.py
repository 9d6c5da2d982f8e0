"""The command line: parses the arguments, runs the verb, and turns every error into one line and an exit code.

Exit codes: 0 done; 1 a bug in Headlight; 2 bad input; 3 the run stopped for a reason of its own; 128 + n ended by
signal n. Each verb is imported when it is called: `--help` and `--version` must answer at once, without torch.
"""

from __future__ import annotations

import errno
import signal
import sys
import time
import traceback
from argparse import Namespace
from collections.abc import Callable, Sequence
from importlib import import_module

from platformdirs import user_log_path

from core.cli.one_line import one_line
from core.cli.parser import parse
from core.cli.streams import (
    NobodyReads,
    fall_silent,
    perhaps_unread,
    progress_perhaps_unread,
    results_told,
    speak_utf8,
)
from core.cli.unread import Unread, heeding_signals
from core.errors import UserError
from core.machine.resource_errors import no_more_files, too_little_memory
from core.machine.signals import Interrupted, ends_by
from core.torchrun import require_one_process, tell_torchrun

OK, FAULT, BAD_INPUT = 0, 1, 2
_OF_THE_PATH = (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG)


# verb -> module and function, imported when it is called
VERBS = {
    "train": ("core.cli.train", "train"),
    "evaluate": ("core.cli.evaluate", "evaluate"),
    "translate": ("core.cli.translate", "translate"),
    "runs list": ("core.cli.runs", "list_all"),
    "runs show": ("core.cli.runs", "show"),
    "runs compare": ("core.cli.compare", "compare"),
    "runs delete": ("core.cli.runs", "delete"),
    "export": ("core.cli.export", "export"),
    "presets list": ("core.cli.presets", "list_presets"),
    "presets show": ("core.cli.presets", "show_preset"),
    "plugins list": ("core.cli.plugins", "list_plugins"),
    "plugins new": ("core.cli.plugins", "new_plugin"),
    "plugins check": ("core.cli.plugins", "check_plugin"),
}


def main(argv: Sequence[str]) -> int:
    """Run one verb and return the exit code. No exception escapes, and no traceback reaches the user."""
    for stream in (sys.stdout, sys.stderr):
        speak_utf8(stream)
    sys.stdout, sys.stderr = map(heeding_signals, (sys.stdout, sys.stderr))
    try:
        with progress_perhaps_unread(), results_told():
            code = _run(argv)
    except UserError as error:
        return _complain(error, BAD_INPUT)
    except Interrupted as interrupted:
        return _end_by(interrupted.number, interrupted)
    except KeyboardInterrupt:
        ends_by(signal.SIGINT)
        return _end_by(signal.SIGINT, "interrupted.")
    except SystemExit as exit:  # argparse has printed the message
        return int(exit.code or OK)
    except Unread as unread:
        return _end_by(unread.signal, f"ended by {unread.signal.name}.")
    except NobodyReads:
        fall_silent(sys.stdout)
        return OK
    except Exception as error:
        sentence = _of_the_system(error)
        return _complain(_fault(error), FAULT) if sentence is None else _complain(sentence, BAD_INPUT)
    return code


def _of_the_system(error: Exception) -> str | None:
    """The sentence for an error of the system: a lack of memory or files, an unusable path, no working directory.

    None for any other error, such as a Python interpreter that cannot be started.
    """
    if lacking := too_little_memory(error) or no_more_files(error):
        return str(lacking)
    if not isinstance(error, OSError):
        return None
    if error.errno == errno.ENOENT and error.filename is None:  # only for the working directory
        return "the current folder was removed. Go to one that exists."
    if error.errno in _OF_THE_PATH and error.filename not in (None, sys.executable):
        return f"{error.filename}: {error.strerror}. Name another place, or one that you may read and write."
    return None


def _run(argv: Sequence[str]) -> int:
    arguments = parse(argv)
    if arguments.verb != "train":  # every process would do all the work and print it
        require_one_process(f"`{arguments.verb}`", "Start it without torchrun.")
    module, function = VERBS[arguments.verb]
    verb: Callable[[Namespace], int] = getattr(import_module(module), function)
    try:
        return verb(arguments)
    except UserError as error:
        from core.cli.where_set import with_place  # it imports pydantic and yaml, which --help need not wait for

        raise with_place(error, arguments) from error


def _end_by(number: int, note: object) -> int:
    with perhaps_unread(sys.stdout):
        sys.stdout.flush()  # the reader may be gone
    return _complain(note, 128 + number)


def _complain(what: object, code: int) -> int:
    sentence = one_line(f"headlight: {' '.join(str(what).splitlines())}")
    tell_torchrun(sentence)
    with perhaps_unread(sys.stderr):
        print(sentence, file=sys.stderr)
    return code


def _fault(error: Exception) -> str:
    """Write the traceback to a log file; returns the sentence that says where."""
    log = user_log_path("headlight", appauthor=False) / "faults.log"
    entry = f"{time.strftime('%Y-%m-%d %H:%M:%S')} {' '.join(sys.argv)}\n{traceback.format_exc()}\n"
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(entry)
    except OSError:
        return f"a fault of ours ({type(error).__name__}: {error}); it could not be written to {log}."
    return f"a fault of ours ({type(error).__name__}: {error}). Please report it with {log}"
