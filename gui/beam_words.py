"""What a beam search found beside greedy decoding, in words."""

from __future__ import annotations

from core.beam_tree import BeamNode, BeamTree

_FATES = {
    "went on": "goes on",
    "cut": "is cut here: its continuations found no place",
    "finished": "ends here",
    "too long": "is cut off: the longest output",
}


def said_of_beam(tree: BeamTree) -> str:
    """Whether the beam found something better, and what became of the greedy output in it."""
    best = tree.outputs[0]
    if best.tokens == tree.greedy.tokens:
        return f"= The beam of {tree.beam_size} and greedy decoding write the same, score {best.score:.3f}."
    found = f"≠ The beam's best scores {best.score:.3f}, the greedy output {tree.greedy.score:.3f}."
    return f"{found} {_said_of_greedy(tree)}"


def outputs_said(tree: BeamTree) -> str:
    """A line for each output with its score, the greedy one first."""
    named = [("greedy", tree.greedy), *((f"beam {place}", one) for place, one in enumerate(tree.outputs, 1))]
    return "\n".join(f"{name}   {one.score:.3f}   {one.output or '(nothing)'}" for name, one in named)


def said_of_node(tree: BeamTree, index: int) -> str:
    """One hypothesis and what became of it."""
    node = tree.nodes[index]
    return (
        f"“{' '.join(_tokens(tree, node))}”: “{node.token}” has {node.probability:.3f} here, all of it the "
        f"log-probability {node.log_probability:.2f}, place {node.rank + 1} in the beam; it {_FATES[node.fate]}."
    )


def _said_of_greedy(tree: BeamTree) -> str:
    path = tree.path(tree.greedy.tokens)
    if len(path) < len(tree.greedy.tokens):
        return f"The greedy output fell out of the beam at token {len(path) + 1}, “{tree.greedy.tokens[len(path)]}”."
    place = [one.tokens for one in tree.outputs].index(tree.greedy.tokens) + 1
    return f"The greedy output is number {place} of the beam's."


def _tokens(tree: BeamTree, node: BeamNode) -> list[str]:
    before = _tokens(tree, tree.nodes[node.parent]) if node.parent >= 0 else []
    return [*before, node.token]
