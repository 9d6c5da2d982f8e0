"""The entry point: the window when called without arguments, otherwise a verb of the command line."""

import os
import sys

NO_DISPLAY = (
    "headlight: there is no display to open the window on (DISPLAY and WAYLAND_DISPLAY are not set). "
    "Train in the terminal instead: headlight train copy_task"
)


def has_display() -> bool:
    """Whether the environment names a display. Qt, which is not loaded yet, finds out whether it works."""
    if sys.platform != "linux":
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def open_window() -> int:
    """Run the window until it is closed; returns the exit status, 2 for lack of a display, memory or files."""
    if not has_display():
        print(NO_DISPLAY, file=sys.stderr)
        return 2
    if sys.platform == "win32":
        import torch  # noqa: F401  (fails to load there once Qt has been imported)
    from core.engine import Engine
    from core.machine.resource_errors import as_shortage_error

    try:
        with Engine() as engine:  # its plugin process starts while Qt is loaded
            from gui import app

            return app.run(sys.argv, engine)
    except Exception as error:
        if (shortage := as_shortage_error(error)) is None:
            raise
        print(f"headlight: {shortage}", file=sys.stderr)
        return 2


def main() -> int:
    """Open the window or run a verb; returns the exit status."""
    try:
        from core.machine.standard_streams import reopen_closed_streams
        from core.machine.torch_import import stub_out_tracing

        reopen_closed_streams()  # before any other file is opened
        stub_out_tracing()
        if len(sys.argv) == 1:
            return open_window()
        from core import cli

        return cli.main(sys.argv[1:])
    except KeyboardInterrupt:  # during the imports, before the code that handles it runs
        return 130


if __name__ == "__main__":
    sys.exit(main())
