"""What chosen runs wrote for the same sentences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtWidgets import QWidget

from core.events import ValidatedSentence
from core.history import History
from gui.panels.runs.run_translations import RunTranslations
from gui.runs.comparison import ComparedRun, Comparison
from gui.theme import Theme
from tests.gui.tables import row_texts

CURVE = np.arange(1.0, 9.0), np.ones(8)


def run(letter: str, *outputs: str) -> ComparedRun:
    """A run that wrote these outputs, or was not validated."""
    validated = tuple(
        ValidatedSentence(
            source=str(number), reference="–", hypothesis=output, tokens=(output,), probability=(1.0,), rank=(0,)
        )
        for number, output in enumerate(outputs)
    )
    return ComparedRun(letter, "run", CURVE, CURVE, None, 800 if outputs else None, validated)


def test_a_dash_that_a_model_writes_is_an_output(stage: Callable[[QWidget, int, int], None], theme: Theme) -> None:
    panel = RunTranslations(theme)
    stage(panel, 1000, 400)
    runs = run("A", "–", "–"), run("B", "–", "no"), run("C")
    panel.show_comparison(Comparison(runs, (), (("", "A", "B", "C"),)))
    panel.show_step(History(), 0)
    assert "they differ in 1 of 2 sentences" in panel.title_label.text()
    assert [row_texts(panel.table, row) for row in (0, 1)] == [
        ["1", "–", "✓ –", "✗ no", "–"],
        ["0", "–", "✓ –", "✓ –", "–"],
    ]
