"""The tables of docs/lesson.md, made here of the example run, which follows the same sentence."""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.lesson import outputs, readings, without_heads
from core.run_folder import RunFolder
from gui.runs.rows import example_path

PAGE = Path(__file__).parents[2] / "docs" / "lesson.md"


def test_the_tables_of_the_page_can_be_made_of_a_run() -> None:
    run, page = RunFolder.open(example_path()), PAGE.read_text(encoding="utf-8").splitlines()
    sentence = run.probe(800).sentences[0]
    written, read, off = list(outputs(run, (0, 800))), list(readings(run, (800,))), list(without_heads(run))
    assert {*written[:2], *read[:2], *off[:2]} < {*page}
    assert written[3] == f"| 800 | {sentence.output} | {sentence.reference} |" and "does does … |" in written[2]
    for_cannot, for_see = read[2].split(" | ")[1:]
    assert sum(map(int, re.findall(r"\d", for_cannot))) == run.config().model.num_heads
    assert for_see == "sehen 3, netten 1 |"
    assert off[2].startswith(f"| nothing | {sentence.output} | ") and len(off) == 6
    assert all(float(row.split("|")[3]) > float(off[2].split("|")[3]) for row in off[3:])
