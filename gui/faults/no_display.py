"""Ends the process with a clear message and status 2 if Qt finds no display; Qt itself would abort it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication


def open_application(argv: Sequence[str]) -> QApplication:
    """Open the application on the display that the environment names; exit with status 2 if none answers."""
    warnings: list[str] = []

    def handle_message(kind: QtMsgType, _: QMessageLogContext, text: str) -> None:
        if kind == QtMsgType.QtFatalMsg:  # Qt aborts once this returns
            print(_sentence(warnings), file=sys.stderr, flush=True)
            os._exit(2)
        if kind == QtMsgType.QtWarningMsg:
            warnings.append(text)

    before = qInstallMessageHandler(handle_message)
    try:
        app = QApplication(argv)
    finally:
        qInstallMessageHandler(before)
    for text in warnings:  # as Qt would have without our handler
        print(text, file=sys.stderr)
    return app


def _sentence(warnings: Sequence[str]) -> str:
    reasons = "; ".join(text.strip().rstrip(".") for text in warnings) or "Qt gives no reason"
    return (
        f"headlight: no window can be opened on this display ({reasons}). "
        "Train in the terminal instead: headlight train copy_task"
    )
