"""The line of figures below the window."""

import pytest

from core import time_left
from core.events import Progress, StateChanged
from gui.frame.status_bar import rough_time
from gui.main_window import MainWindow


def test_a_stage_is_shown_with_its_share_and_the_time_left(
    empty_window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge, label = empty_window.context.bridge, empty_window.status_bar.stage_label
    bridge.repeat([StateChanged(state="preparing", step=0)])
    shown = []
    for second, done, total in ((0.0, 0, 5000), (10.0, 1000, 5000), (11.0, 1100, None)):
        monkeypatch.setattr(time_left, "monotonic", lambda second=second: second)
        bridge.repeat([Progress(stage="drawing train pairs", done=done, total=total)])
        shown.append(label.text())
    assert shown == ["Drawing train pairs 0 %", "Drawing train pairs 20 % · 40 s left", "Drawing train pairs 1,100"]
    bridge.repeat([StateChanged(state="empty", step=0)])
    assert label.isHidden()


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0 s"), (89, "89 s"), (200, "3 min"), (9000, "2.5 h")])
def test_times_are_no_more_exact_than_they_are_known(seconds: float, text: str) -> None:
    assert rough_time(seconds) == text
