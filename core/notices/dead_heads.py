"""Dead heads: they read exactly evenly, at each position of each sentence, while others have learned to look."""

from __future__ import annotations

import numpy as np

from core.notices.attention_flatness import peak
from core.notices.experiments import fewer_heads
from core.notices.notice import Rule
from core.notices.run_at_step import RunAtStep
from core.probes import Attention, Probe

DEAD_PEAK = 1.05
"""The largest weight of a dead head, in multiples of an even share. A head without queries and keys has 1.00, in
float16 up to 1.001; the flattest head of a teaching preset at any step has 1.26, of the deep `classic_three_sentences`
1.09. A head that reads evenly gets no gradient and stays as it is."""

_MAX_NAMED = 3


def _check(run: RunAtStep) -> str | None:
    dead, num_heads = _dead_heads(run.probe())
    if not dead or len(dead) == num_heads:  # if all are dead, nothing has been learned, which the other rules say
        return None
    more = f" and {len(dead) - _MAX_NAMED} more" if len(dead) > _MAX_NAMED else ""
    names = ", ".join(dead[:_MAX_NAMED]) + more
    read = "reads" if len(dead) == 1 else "read"
    return f"{len(dead)} of {num_heads} heads {read} evenly from every token, whatever the sentence: {names}"


def _dead_heads(probe: Probe) -> tuple[list[str], int]:
    """The names of the dead heads, layers and heads counted from 1, and the number of all heads."""
    fed = [one.by_reference or one.free_running for one in probe.sentences]
    kinds: dict[str, tuple[list[Attention], bool]] = {
        "encoder self": ([one.encoder_self for one in probe.sentences], False),
        "decoder self": ([feed.decoder_self for feed in fed], True),
        "cross": ([feed.cross for feed in fed], False),
    }
    names, num_heads = [], 0
    for kind, (maps, causal) in kinds.items():
        peaks = peak(maps, causal=causal)
        if peaks is not None:
            num_heads += peaks.size
            names += [f"{kind} {layer + 1} head {head + 1}" for layer, head in np.argwhere(peaks < DEAD_PEAK).tolist()]
    return names, num_heads


RULE = Rule(
    kind="dead_heads",
    title="dead heads",
    trigger="probe",
    meaning="Usually their queries and keys went to zero, where no gradient brings them back: they only average.",
    check=_check,
    experiment=fewer_heads,
)
