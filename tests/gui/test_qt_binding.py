"""PySide6 itself: 6.12.0 released one reference to True too many at every signal."""

import sys

from PySide6.QtCore import QObject, Signal


class Emitter(QObject):
    activated = Signal()


def test_emitting_a_signal_takes_no_reference_to_true() -> None:
    """Before Python 3.12, where True is not immortal, this ends the process after some minutes of drawing."""
    emitter = Emitter()
    before = sys.getrefcount(True)
    for _ in range(200):
        emitter.activated.emit()
    assert before - sys.getrefcount(True) < 20
