"""The command line: parses the arguments, runs the verb, and turns every error into one line and an exit code.

Exit codes: 0 done; 1 a bug in Headlight, or findings of `plugins check`; 2 bad input; 3 the run stopped for a reason of
its own; 128 + n ended by signal n. Each verb is imported when it is called: `--help` and `--version` must answer at
once, without torch.
"""

from __future__ import annotations

import errno
import signal
import sys
import time
import traceback
from argparse import Namespace
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from core.cli.interruptible_output import WriteInterrupted, interruptible_stream
from core.cli.one_line import one_line
from core.cli.parser import parse
from core.cli.streams import (
    OutputPipeClosed,
    discard_output,
    optional_output,
    optional_stderr,
    required_stdout,
    use_utf8,
)
from core.errors import UserError
from core.machine.resource_errors import as_shortage_error
from core.machine.signals import Interrupted, interrupted_by_signals, record_ending_signal
from core.torchrun import report_to_torchrun, require_one_process
from core.user_dirs import USER_DIRS

OK, INTERNAL_ERROR, BAD_INPUT = 0, 1, 2
_PATH_ERRNOS = (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.EIO, errno.ENOTCONN, errno.ESTALE)
"""What is wrong with a path that a person named: the last three are of a drive that no longer answers."""


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
        use_utf8(stream)
    sys.stdout, sys.stderr = map(interruptible_stream, (sys.stdout, sys.stderr))
    try:
        with optional_stderr(), required_stdout():
            code = _run(argv)
    except UserError as error:
        return _print_error(error, BAD_INPUT)
    except Interrupted as interrupted:
        return _exit_by_signal(interrupted.number, interrupted)
    except KeyboardInterrupt:
        record_ending_signal(signal.SIGINT)
        return _exit_by_signal(signal.SIGINT, "interrupted.")
    except SystemExit as exit:  # argparse has printed the message
        return int(exit.code or OK)
    except WriteInterrupted as write_interrupted:
        return _exit_by_signal(write_interrupted.signal, f"ended by {write_interrupted.signal.name}.")
    except OutputPipeClosed:
        discard_output(sys.stdout)
        return OK
    except Exception as error:
        if (sentence := _system_error(error)) is not None:
            return _print_error(sentence, BAD_INPUT)
        return _print_error(_log_internal_error(error), INTERNAL_ERROR)
    return code


def _system_error(error: Exception) -> str | None:
    """The sentence for an error of the system: a lack of memory or files, an unusable path, a folder that is missing.

    None for any other error, such as a Python interpreter that cannot be started.
    """
    if shortage := as_shortage_error(error):
        return str(shortage)
    if not isinstance(error, OSError):
        return None
    if error.errno == errno.ENOENT and error.filename is None:  # as os.getcwd raises
        with suppress(FileNotFoundError):
            Path.cwd()
            return None
        return "the current folder was removed. Go to one that exists."
    if error.errno in _PATH_ERRNOS and error.filename not in (None, sys.executable):
        return f"{error.filename}: {error.strerror}. Name another place, or one that you may read and write."
    return None


def _run(argv: Sequence[str]) -> int:
    arguments = parse(argv)
    if arguments.verb != "train":  # every process would do all the work and print it
        require_one_process(f"`{arguments.verb}`", "Start it without torchrun.")
    module, function = VERBS[arguments.verb]
    with interrupted_by_signals():
        verb: Callable[[Namespace], int] = getattr(import_module(module), function)
    try:
        return verb(arguments)
    except UserError as error:
        # imports pydantic and yaml, which --help need not wait for
        from core.cli.error_location import with_location

        raise with_location(error, arguments) from error


def _exit_by_signal(number: int, note: object) -> int:
    with optional_output(sys.stdout):
        sys.stdout.flush()  # the reader may be gone
    return _print_error(note, 128 + number)


def _print_error(error: object, code: int) -> int:
    sentence = one_line(f"headlight: {' '.join(str(error).splitlines())}")
    report_to_torchrun(sentence)
    with optional_output(sys.stderr):
        print(sentence, file=sys.stderr)
    return code


def _log_internal_error(error: Exception) -> str:
    """Write the traceback to a log file; returns the sentence that says where."""
    log = USER_DIRS.user_log_path / "faults.log"
    entry = f"{time.strftime('%Y-%m-%d %H:%M:%S')} {' '.join(sys.argv)}\n{traceback.format_exc()}\n"
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(entry)
    except OSError:
        return f"a fault of ours ({type(error).__name__}: {error}); it could not be written to {log}."
    return f"a fault of ours ({type(error).__name__}: {error}). Please report it with {log}"
