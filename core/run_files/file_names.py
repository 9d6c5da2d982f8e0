"""The names of a run's files, except those of its steps. Files with other names in its folder are the user's."""

from __future__ import annotations

import re
from collections.abc import Iterable

STATE, CONFIG, ENVIRONMENT, VOCABULARY = "run.json", "config.yaml", "environment.json", "vocabulary.json"
DOCUMENTS = (STATE, CONFIG, ENVIRONMENT, VOCABULARY, "src.model", "tgt.model")
METRICS, LOG, LABEL = "metrics.jsonl", "log.txt", "label.json"
ALL_FILES = (*DOCUMENTS, METRICS, LOG, LABEL)


def any_of(names: Iterable[str]) -> str:
    """A regular expression that matches any of these names."""
    return "|".join(map(re.escape, names))
