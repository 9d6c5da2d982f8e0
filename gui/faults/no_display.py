"""Ends the process with a clear message and status 2 if Qt finds no display; Qt itself would abort it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication


def open_application(argv: Sequence[str]) -> QApplication:
    """Open the application on the display that the environment names; exit with status 2 if none answers."""
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
    for text in said:  # as Qt would have without our handler
        print(text, file=sys.stderr)
    return app


def _sentence(said: Sequence[str]) -> str:
    reasons = "; ".join(text.strip().rstrip(".") for text in said) or "Qt gives no reason"
    return (
        f"headlight: no window can be opened on this display ({reasons}). "
        "Train in the terminal instead: headlight train copy_task"
    )
