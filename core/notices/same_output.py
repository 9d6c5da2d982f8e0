"""The same output for every input: the decoder writes what is likely, whatever the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from core.notices.experiments import lower_learning_rate
from core.notices.no_rate import is_nearly_zero
from core.notices.notice import Rule
from core.notices.run_at_step import RunAtStep

SAME_OUTPUT_SHARE = 0.9
"""Share of outputs that are one and the same. The presets' models write one output for up to 27 % of the sentences in
their first tenth, and later for hardly more than have it as their reference; during a warm-up, for all."""

_MIN_SENTENCES = 8  # with fewer, nine in ten cannot be told from all
_ALIKE_ON_PURPOSE = 0.5  # share of equal references from which on equal outputs say nothing


def _check(run: RunAtStep) -> str | None:
    sentences = run.sentences()
    if len(sentences) < _MIN_SENTENCES or is_nearly_zero(run):
        return None
    if _most_common(one.reference for one in sentences)[1] > _ALIKE_ON_PURPOSE * len(sentences):
        return None
    output, count = _most_common(one.hypothesis for one in sentences)
    if count < SAME_OUTPUT_SHARE * len(sentences):
        return None
    what = f"“{output}”" if output else "nothing"
    return f"the model writes {what} for {count:,} of {len(sentences):,} validation sentences"


def _most_common(texts: Iterable[str]) -> tuple[str, int]:
    return Counter(texts).most_common(1)[0]


RULE = Rule(
    kind="same_output",
    title="the same output for every input",
    trigger="validation",
    meaning="Usually the learning rate is too high: it drove the weights to where only the most common output is left.",
    check=_check,
    experiment=lower_learning_rate,
)
