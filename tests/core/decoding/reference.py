"""Reference decoding of one sentence, which runs the whole model on the whole prefixes at every step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from core.data.special_tokens import BOS_ID, EOS_ID, PAD_ID
from core.decoding.hypothesis import Hypothesis, ScoredHypothesis
from core.model.transformer import Transformer


def eager_to_end(model: Transformer) -> Transformer:
    """Sharpen an untrained model's logits and raise that of `<eos>`, so that some sentences end early."""
    with torch.no_grad():
        model.output.weight *= 3.0
        if model.output.bias is not None:
            model.output.bias[EOS_ID] += 3.0
    return model


def next_logits(model: Transformer, src: list[int], prefix: list[int]) -> Tensor:
    """Logits [V] of the token after a prefix without `<bos>`; -inf for tokens that are never produced."""
    return all_next_logits(model, src, [prefix])[0]


@torch.no_grad()
def all_next_logits(model: Transformer, src: list[int], prefixes: Sequence[list[int]]) -> Tensor:
    """Likewise [N, V] of N prefixes of the same length."""
    ids = torch.tensor([src] * len(prefixes))
    tgt_input = torch.tensor([[BOS_ID, *prefix] for prefix in prefixes])
    logits = model(ids, tgt_input, torch.ones_like(ids).bool(), torch.ones_like(tgt_input).bool())[:, -1]
    logits[:, [PAD_ID, BOS_ID]] = -torch.inf
    return logits


def greedy_without_cache(model: Transformer, src: list[int], max_length: int, prefix: Sequence[int] = ()) -> Hypothesis:
    """Greedy decoding after the given prefix."""
    tokens: list[int] = []
    while len(tokens) < max_length:
        best = prefix[len(tokens)] if len(tokens) < len(prefix) else int(next_logits(model, src, tokens).argmax())
        if best == EOS_ID:
            return Hypothesis(tokens, True)
        tokens.append(best)
    return Hypothesis(tokens, False)


def beam_without_cache(
    model: Transformer, src: list[int], beam_size: int, length_penalty: float, max_length: int
) -> list[ScoredHypothesis]:
    """All hypotheses of the beam: finished ones by descending score, then those that were cut off."""
    finished: list[ScoredHypothesis] = []
    beam: list[tuple[list[int], float]] = []
    for length, beam in enumerate(beam_states(model, src, beam_size, max_length), 1):
        penalty = ((5 + length) / 6) ** length_penalty
        finished += [ScoredHypothesis(ids[:-1], True, total / penalty) for ids, total in beam if ids[-1] == EOS_ID]
    finished.sort(key=lambda one: -one.score)
    return finished + [ScoredHypothesis(ids, False, total / penalty) for ids, total in beam if ids[-1] != EOS_ID]


def beam_states(
    model: Transformer, src: list[int], beam_size: int, max_length: int
) -> Iterator[list[tuple[list[int], float]]]:
    """Yield the hypotheses of the beam at each step with their log-probabilities, until the beam is empty.

    A finished hypothesis leaves the beam, which then has one place less.
    """
    live: list[tuple[list[int], float]] = [([], 0.0)]
    num_places = beam_size
    for _ in range(max_length):
        if not live:
            return
        logits = all_next_logits(model, src, [tokens for tokens, _ in live])
        continued = [
            ([*tokens, id], sum_so_far + log_probability)
            for (tokens, sum_so_far), log_probabilities in zip(live, logits.log_softmax(-1).tolist(), strict=True)
            for id, log_probability in enumerate(log_probabilities)
            if id not in (PAD_ID, BOS_ID)
        ]
        continued.sort(key=lambda one: -one[1])
        best = continued[:num_places]
        yield best
        live = [one for one in best if one[0][-1] != EOS_ID]
        num_places -= len(best) - len(live)


def every_output(model: Transformer, src: list[int], max_length: int) -> list[tuple[list[int], float]]:
    """All finished outputs of at most max_length tokens, including `<eos>`, with their log-probabilities."""
    found: list[tuple[list[int], float]] = []
    prefixes: list[tuple[list[int], float]] = [([], 0.0)]
    for _ in range(max_length):
        longer: list[tuple[list[int], float]] = []
        logits = all_next_logits(model, src, [tokens for tokens, _ in prefixes])
        for (tokens, total), log_probabilities in zip(prefixes, logits.log_softmax(-1).tolist(), strict=True):
            for id, log_probability in enumerate(log_probabilities):
                if id == EOS_ID:
                    found.append((tokens, total + log_probability))
                elif id > EOS_ID:
                    longer.append(([*tokens, id], total + log_probability))
        prefixes = longer
    return found


def best_first(outputs: list[tuple[list[int], float]], length_penalty: float) -> list[ScoredHypothesis]:
    """Finished outputs with their scores, in descending order."""
    scored = [
        ScoredHypothesis(tokens, True, total / ((6 + len(tokens)) / 6) ** length_penalty) for tokens, total in outputs
    ]
    return sorted(scored, key=lambda one: -one.score)
