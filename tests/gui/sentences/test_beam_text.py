"""The texts about the tree of a beam search."""

from __future__ import annotations

import math
from dataclasses import replace

from core.answers.beam_tree import BeamNode, BeamOutput, BeamTree, Fate
from gui.sentences.beam_text import describe_beam, describe_node, outputs_table
from gui.sentences.divergence import NOT_A_NUMBER

A = BeamOutput(output="a b", tokens=("a", "b", "<eos>"), score=-0.5)
C = BeamOutput(output="<c>", tokens=("<c>", "<eos>"), score=-0.9)


def node(parent: int, position: int, rank: int, token: str, fate: Fate) -> BeamNode:
    return BeamNode(
        parent=parent,
        position=position,
        rank=rank,
        token=token,
        probability=0.5,
        log_probability=-0.7 * (position + 1),
        fate=fate,
    )


TREE = BeamTree(
    step=3,
    source="x",
    beam_size=2,
    length_penalty=0.6,
    nodes=(
        node(-1, 0, 0, "<c>", "went on"),
        node(-1, 0, 1, "a", "went on"),
        node(1, 1, 0, "b", "went on"),
        node(0, 1, 1, "<eos>", "finished"),
        node(2, 2, 0, "<eos>", "finished"),
    ),
    outputs=(A, C),
    greedy=C,
)


def test_the_verdict_describes_the_fate_of_the_greedy_output() -> None:
    assert describe_beam(TREE) == (
        "≠ The beam's best output scores -0.500, the greedy output -0.900. The greedy output is number 2 of the beam's."
    )
    greedy = BeamOutput(output="a d", tokens=("a", "d", "<eos>"), score=-1.0)
    assert describe_beam(replace(TREE, greedy=greedy)).endswith(
        "The greedy output fell out of the beam at token 2, “d”."
    )
    assert describe_beam(replace(TREE, greedy=A)) == "= The beam of 2 and greedy decoding write the same, score -0.500."
    diverged = replace(A, score=math.nan)
    assert describe_beam(replace(TREE, greedy=diverged, outputs=(diverged,))) == NOT_A_NUMBER


def test_an_output_that_is_certain_scores_zero_and_not_minus_zero() -> None:
    sure = replace(A, score=-0.0001)
    certain = replace(TREE, greedy=sure, outputs=(sure,), nodes=(replace(TREE.nodes[0], log_probability=-0.001),))
    texts = describe_beam(certain), describe_node(certain, 0), outputs_table(certain)
    assert "score 0.000." in texts[0] and "log-probability 0.00." in texts[1] and "-0.0" not in "".join(texts)


def test_a_hypothesis_is_read_out_with_its_fate_and_probabilities() -> None:
    assert describe_node(TREE, 2) == (
        "“a b” goes on, at place 1 of the beam: probability 0.500, of all so far log-probability -1.40."
    )
    assert describe_node(TREE, 3).startswith("“<c> <eos>” is complete, at place 2 of the beam: ")
    cut = replace(TREE, nodes=(*TREE.nodes[:2], node(1, 1, 0, "d", "cut")))
    assert describe_node(cut, 2) == (
        "“a d” is cut here, at place 1 of the beam: probability 0.500, of all so far log-probability -1.40. None of "
        "its continuations stayed in the beam."
    )


def test_a_hypothesis_of_a_diverged_model_is_read_out_as_everything_else_of_it() -> None:
    for probability in (math.nan, 0.5):  # or only those before it are not a number
        diverged = replace(TREE.nodes[0], probability=probability, log_probability=math.nan)
        assert describe_node(replace(TREE, nodes=(diverged,)), 0) == NOT_A_NUMBER


def test_outputs_are_listed_in_a_table_and_escaped() -> None:
    table = outputs_table(TREE)
    assert table.count("<tr>") == 3 and "<td>greedy</td><td>&nbsp; -0.900 &nbsp;</td><td>&lt;c&gt;</td>" in table
    diverged = outputs_table(replace(TREE, outputs=(replace(A, score=math.nan),)))
    assert "<td>beam 1</td><td>&nbsp; – &nbsp;</td><td>a b</td>" in diverged


def test_a_hypothesis_of_thousands_of_tokens_is_read_out() -> None:
    nodes = tuple(node(index - 1, index, 0, f"t{index}", "went on") for index in range(2_000))
    description = describe_node(replace(TREE, nodes=nodes), 1_999)
    assert description.startswith("“t0 t1 ") and " t1999”" in description
