"""Where Qt finds no display it ends the whole process; here with a sentence, and the status of wrong input."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication


def open_application(argv: Sequence[str]) -> QApplication:
    """The application, on the display that the environment names; where none answers, the process ends with 2."""
    said: list[str] = []

    def hear(kind: QtMsgType, _: QMessageLogContext, text: str) -> None:
        if kind == QtMsgType.QtFatalMsg:  # Qt aborts once this returns
            print(_sentence(said), file=sys.stderr, flush=True)
            os._exit(2)
        if kind == QtMsgType.QtWarningMsg:
            said.append(text)

    before = qInstallMessageHandler(hear)
    try:
        app = QApplication(argv)
    finally:
        qInstallMessageHandler(before)
    for text in said:  # as Qt would have, had nobody listened
        print(text, file=sys.stderr)
    return app


def _sentence(said: Sequence[str]) -> str:
    reasons = "; ".join(text.strip().rstrip(".") for text in said) or "Qt says no more"
    return (
        f"headlight: no window can be opened on this display ({reasons}). "
        "Train in the terminal instead: headlight train copy_task"
    )
