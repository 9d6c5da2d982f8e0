"""How the files of a run are called, but for those of its steps: what else lies in its folder is somebody's own."""

from __future__ import annotations

import re
from collections.abc import Iterable

DOCUMENTS = ("run.json", "config.yaml", "environment.json", "vocabulary.json", "src.model", "tgt.model")
METRICS, LOG, LABEL = "metrics.jsonl", "log.txt", "label.json"
ALL = (*DOCUMENTS, METRICS, LOG, LABEL)


def one_of(names: Iterable[str]) -> str:
    """A pattern of these."""
    return "|".join(map(re.escape, names))
