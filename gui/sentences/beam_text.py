"""Describes what a beam search found compared with greedy decoding."""

from __future__ import annotations

import math
from html import escape

from core.answers.beam_tree import BeamNode, BeamTree
from gui.sentences.divergence import NOT_A_NUMBER
from gui.sentences.tokens import figure_text, quoted

_FATES = {
    "went on": "goes on",
    "cut": "is cut here",
    "finished": "is complete",
    "too long": "has reached the longest output",
}
_WHY_CUT = " None of its continuations stayed in the beam."


def describe_beam(tree: BeamTree) -> str:
    """Whether the beam found something better, and what became of the greedy output in the beam."""
    best = tree.outputs[0]
    if math.isnan(best.score):
        return NOT_A_NUMBER
    if best.tokens == tree.greedy.tokens:
        return f"= The beam of {tree.beam_size} and greedy decoding write the same, score {best.score:z.3f}."
    found = f"≠ The beam's best output scores {best.score:z.3f}, the greedy output {tree.greedy.score:z.3f}."
    return f"{found} {_describe_greedy(tree)}"


def outputs_table(tree: BeamTree) -> str:
    """A rich-text table of the outputs and their scores, the greedy one first."""
    named = [("greedy", tree.greedy), *((f"beam {number}", one) for number, one in enumerate(tree.outputs, 1))]
    rows = "".join(
        f"<tr><td>{name}</td><td>&nbsp; {figure_text(one.score, 3)} &nbsp;</td>"
        f"<td>{escape(one.output) or '(nothing)'}</td></tr>"
        for name, one in named
    )
    return f"<table>{rows}</table>"


def describe_node(tree: BeamTree, index: int) -> str:
    """One hypothesis and what became of it."""
    node = tree.nodes[index]
    if math.isnan(node.log_probability):
        return NOT_A_NUMBER
    return (
        f"{quoted(' '.join(_tokens(tree, node)))} {_FATES[node.fate]}, at place {node.rank + 1} of the beam: "
        f"probability {node.probability:.3f}, of all so far log-probability {node.log_probability:z.2f}."
        f"{_WHY_CUT if node.fate == 'cut' else ''}"
    )


def _describe_greedy(tree: BeamTree) -> str:
    path = tree.path(tree.greedy.tokens)
    if len(path) < len(tree.greedy.tokens):
        return (
            f"The greedy output fell out of the beam at token {len(path) + 1}, {quoted(tree.greedy.tokens[len(path)])}."
        )
    number = [one.tokens for one in tree.outputs].index(tree.greedy.tokens) + 1
    return f"The greedy output is number {number} of the beam's."


def _tokens(tree: BeamTree, node: BeamNode) -> list[str]:
    tokens = [node.token]
    while node.parent >= 0:  # no recursion: an output may be longer than Python's recursion limit
        node = tree.nodes[node.parent]
        tokens.append(node.token)
    return tokens[::-1]
