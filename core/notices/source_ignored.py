"""The source is ignored: every cross-attention head reads evenly from everywhere, and no sentence comes out right."""

from __future__ import annotations

from core.notices.attention_flatness import entropy
from core.notices.experiments import stabler_start
from core.notices.notice import Rule
from core.notices.run_at_step import RunAtStep
from core.per_cent import per_cent

EVEN_ENTROPY = 0.99
"""A head whose entropy is at least this share of the highest reads evenly. Untrained heads have up to 0.997; after a
tenth of a teaching preset's steps its sharpest head is below 0.64. A deep post-norm model that has not found the source
stays above 0.997 (`classic_phonetic`)."""

_MAX_SHARE_RIGHT = 0.05
"""Share of right sentences. Some tasks can be done by reading evenly: `classic_three_sentences` does at 0.994."""


def _check(run: RunAtStep) -> str | None:
    right = run.metric("exact_match")
    if right is not None and right > _MAX_SHARE_RIGHT:
        return None
    fed = [one.by_reference or one.free_running for one in run.probe().sentences]
    evenness = entropy([feed.cross for feed in fed])
    if evenness is None or evenness.min() < EVEN_ENTROPY:
        return None
    return (
        f"all {evenness.size} cross-attention heads read evenly from the whole source: "
        f"the entropy of each is at least {per_cent(evenness.min(), 1)} of the highest"
    )


RULE = Rule(
    kind="source_ignored",
    title="the source is ignored",
    trigger="probe",
    meaning="Usually the model is deep, without pre-norm or warm-up, and first learned which targets are common.",
    check=_check,
    experiment=stabler_start,
)
