"""Takes a translation from a probe that already has it, which needs no request to the engine."""

from __future__ import annotations

from contextlib import suppress

from core.answers.translation import Translation
from core.errors import UserError
from core.history import History
from core.probes import ProbedSentence
from core.requests import Translate


def probed_translation(request: Translate, known: Translation | None, history: History) -> Translation | None:
    """The answer to a request for one sentence at a step, from the newest probe at or before that step.

    None if that probe lacks the sentence, or if the run does not decode greedily, as probes do. None also if the engine
    would answer with the weights of another step than the probe's: clicks in the output go on from those weights.
    `known` is the newest translation; if it is of the same text, the tokens that the vocabulary lacks are copied.
    """
    prepared = history.prepared
    if prepared is None or prepared.config.decoding.beam_size != 1 or request.step is None or request.prefix:
        return None
    known = known if known is not None and known.source == request.texts[0] else None
    with suppress(UserError):  # the panels that draw a damaged probe report it
        probe = history.probes.at(request.step)
        if probe is not None and _kept_step_at(history, request.step) in (probe.step, None):
            wanted = request.texts[0], request.references[0]
            for one in probe.sentences:
                if (one.source, one.reference) == wanted and (known or _is_read(one)):
                    return _as_translation(one, known, probe.step, prepared.longest_source)
    return None


def _kept_step_at(history: History, step: int) -> int | None:
    """The newest step at or before this one whose weights are kept; None if there is none to answer with."""
    return max((one for one in history.kept_steps if one <= step), default=None)


def _is_read(sentence: ProbedSentence) -> bool:
    """Whether the vocabulary has all of its tokens; only the engine can name those it lacks."""
    return "<unk>" not in sentence.src_tokens


def _as_translation(
    sentence: ProbedSentence, known: Translation | None, step: int, longest_trained: int | None
) -> Translation:
    return Translation(
        step=step,
        source=sentence.source,
        output=sentence.output,
        unknown=() if known is None else known.unknown,
        num_src_tokens=len(sentence.src_tokens),
        longest_trained=longest_trained,
        finished=sentence.free_running.tgt_output[-1] == "<eos>",
        n_best=(),
        sentence=sentence,
    )
