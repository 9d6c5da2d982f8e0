"""A beam search for one sentence, as a tree to be drawn: frozen records of plain Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.answers.timed import TimedAnswer

Fate = Literal["went on", "cut", "finished", "too long"]


@dataclass(frozen=True, kw_only=True)
class BeamNode:
    """A hypothesis that had a place in the beam, represented by its newest token."""

    parent: int  # its index among the tree's nodes; -1 at the first token
    position: int  # of its token in the output, from 0
    rank: int  # its place in the beam; 0 is the most probable
    token: str
    probability: float  # of its token, after its parent
    log_probability: float  # of all its tokens
    fate: Fate  # "cut" if none of its continuations had a place


@dataclass(frozen=True, kw_only=True)
class BeamOutput:
    """One output; `score` is its log-probability over the length penalty."""

    output: str
    tokens: tuple[str, ...]  # `<eos>` included, if it came
    score: float


@dataclass(frozen=True, kw_only=True)
class BeamTree(TimedAnswer):
    """A beam search for one sentence, with greedy decoding for comparison, by the weights of `step`."""

    step: int
    source: str
    beam_size: int
    length_penalty: float
    nodes: tuple[BeamNode, ...]  # parents before their children, position by position, rank by rank
    outputs: tuple[BeamOutput, ...]  # the final beam, best first
    greedy: BeamOutput  # scored in the same way

    def path(self, tokens: tuple[str, ...]) -> tuple[int, ...]:
        """The indices of the nodes that an output went through, until it was cut or ended."""
        path: list[int] = []
        for token in tokens:
            parent = path[-1] if path else -1
            found = (i for i, node in enumerate(self.nodes) if node.parent == parent and node.token == token)
            node = next(found, None)
            if node is None:
                break
            path.append(node)
        return tuple(path)
