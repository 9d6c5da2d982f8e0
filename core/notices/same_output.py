"""The same output for every input: the decoder writes what is likely, whatever the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from core.notices.experiments import slower
from core.notices.moment import Moment
from core.notices.no_rate import is_nearly_zero
from core.notices.notice import Rule

MOST_ALIKE = 0.9
"""Share of outputs that are one and the same. The presets' models write one output for up to 27 % of the sentences in
their first tenth, and later for hardly more than have it as their reference; during a warm-up, for all."""

_FEWEST_SENTENCES = 8  # with fewer, nine in ten cannot be told from all
_ALIKE_ON_PURPOSE = 0.5  # share of equal references from which on equal outputs say nothing


def _look(moment: Moment) -> str | None:
    sentences = moment.sentences()
    if len(sentences) < _FEWEST_SENTENCES or is_nearly_zero(moment):
        return None
    if _commonest(one.reference for one in sentences)[1] > _ALIKE_ON_PURPOSE * len(sentences):
        return None
    output, count = _commonest(one.hypothesis for one in sentences)
    if count < MOST_ALIKE * len(sentences):
        return None
    what = f"“{output}”" if output else "nothing"
    return f"the model writes {what} for {count:,} of {len(sentences):,} validation sentences"


def _commonest(texts: Iterable[str]) -> tuple[str, int]:
    return Counter(texts).most_common(1)[0]


RULE = Rule(
    kind="same_output",
    title="the same output for every input",
    looks_at="validation",
    usually="Usually the learning rate is too high: it drove the weights to where only the most common output is left.",
    look=_look,
    experiment=slower,
)
