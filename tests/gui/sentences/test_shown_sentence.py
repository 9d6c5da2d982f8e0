"""Which sentence of which probe is shown."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from core.events import ProbeDone, RunStarted
from core.history import History
from core.probes import Probe
from gui.sentences.selection import Selection
from gui.sentences.shown_sentence import NothingShown, ShownSentence, shown_sentence
from tests.core.examples import run_folder
from tests.gui.builders import sentence

OLD, NEW = sentence("ich will"), sentence("du willst")


def shown(history: History, step: int, wanted: str = "du willst") -> tuple[int, str] | str:
    """Step and source of the shown sentence, or the reason why none is shown."""
    selection = Selection()
    selection.choose(sentence=wanted)
    found = shown_sentence(selection, history, step)
    return (found.step, found.sentence.source) if isinstance(found, ShownSentence) else found.reason


def test_the_chosen_sentence_is_shown_from_the_newest_earlier_probe() -> None:
    history = History()
    for step in (0, 8):
        history.apply(ProbeDone(probe=Probe(step=step, sentences=(OLD, NEW))))
    assert shown(history, 7) == (0, "du willst")
    assert shown(history, 8) == (8, "du willst")
    assert shown(history, 8, "of another run") == (8, "ich will")


def test_before_the_first_probe_nothing_is_shown() -> None:
    assert shown_sentence(Selection(), History(), 3) == NothingShown()


def test_a_damaged_probe_is_named_and_no_other_shown_instead(tmp_path: Path) -> None:
    folder = run_folder(tmp_path)
    for step in (0, 8):
        folder.write_probe(Probe(step=step, sentences=(OLD, NEW)))
    (damaged,) = (folder.path / "probes").glob("*0.safetensors")
    damaged.write_bytes(b"none")
    history = History.read(folder)
    assert str(damaged) in shown(history, 3)
    assert shown(history, 8) == (8, "du willst")
    (newest,) = (folder.path / "probes").glob("*8.safetensors")
    newest.write_bytes(b"none")
    assert str(newest) in shown(History.read(folder), 8)


def test_a_sentence_added_later_is_never_replaced_by_another(tmp_path: Path) -> None:
    history, folder = History(), run_folder(tmp_path)
    for step in (4, 8):
        folder.write_snapshot(step, {"weights": np.zeros(2)})
    history.apply(RunStarted(run=folder.path, step=9))
    for step in (0, 4, 6, 8):
        history.apply(ProbeDone(probe=Probe(step=step, sentences=(OLD,))))
    history.apply(ProbeDone(probe=Probe(step=9, sentences=(OLD, NEW))))
    assert shown(history, 9) == (9, "du willst")
    assert shown(history, 8) == "“du willst” was added later: it is being computed for step 8, and will appear here."
    assert "being computed for step 4," in shown(history, 7)
    assert "no weights are kept at or before step 3" in shown(history, 3)
    assert shown(history, 7, "ich will") == (6, "ich will")
    for step in (8, 4):
        history.apply(ProbeDone(probe=Probe(step=step, sentences=(OLD, NEW))))
    assert shown(history, 8) == (8, "du willst")
    assert shown(history, 7) == (4, "du willst")  # at the nearest kept weights before
