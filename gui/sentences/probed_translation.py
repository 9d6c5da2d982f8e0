"""A translation that a probe has made already: nobody need be asked for it, so it is there at once."""

from __future__ import annotations

from contextlib import suppress

from core.errors import UserError
from core.history import History
from core.probes import ProbedSentence
from core.requests import Translate, Translation


def probed_translation(request: Translate, known: Translation | None, history: History) -> Translation | None:
    """What is asked for, of one sentence and with the weights of a step or the nearest before, as a probe saw it.

    None where no probe has it, or it is not to be written as probes are: greedily. And where the engine would answer
    with weights of another step than the probe's: what is clicked in the output goes on from its weights.
    `known` is the newest translation; where it is of the same text, what it says of that is taken from it.
    """
    is_greedy = history.prepared is not None and history.prepared.config.decoding.beam_size == 1
    if request.step is None or request.prefix or not is_greedy:
        return None
    known = known if known is not None and known.source == request.texts[0] else None
    with suppress(UserError):  # a damaged probe is told of where pictures are drawn of it
        probe = history.probe(request.step)
        if probe is not None and _kept(history, request.step) in (probe.step, None):
            wanted = request.texts[0], request.references[0]
            found = (one for one in probe.sentences if (one.source, one.reference) == wanted)
            return next((_written(one, known, probe.step) for one in found if known or _is_read(one)), None)
    return None


def _kept(history: History, step: int) -> int | None:
    """The newest step at or before this one whose weights are kept; None where the engine has none to answer with."""
    return max((one for one in history.kept_steps if one <= step), default=None)


def _is_read(sentence: ProbedSentence) -> bool:
    """Whether all of its tokens are known; those that are not only the engine can name."""
    return "<unk>" not in sentence.src_tokens


def _written(sentence: ProbedSentence, known: Translation | None, step: int) -> Translation:
    return Translation(
        step=step,
        source=sentence.source,
        output=sentence.output,
        unknown=() if known is None else known.unknown,
        num_src_tokens=len(sentence.src_tokens),
        longest_trained=None if known is None else known.longest_trained,
        finished=sentence.free_running.tgt_output[-1] == "<eos>",
        n_best=(),
        sentence=sentence,
    )
