"""The tree of a beam search, compared with the reference step by step and with the outputs of the fast search."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from core.answers.beam_tree import BeamTree
from core.config import DecodingConfig, ModelConfig
from core.data.prepared_data import PreparedData
from core.decoding.search_beam import search_beam
from core.decoding.translate import translate
from core.errors import UserError
from core.model.transformer import Transformer
from core.requests import SearchBeam, Translate
from tests.core.decoding.reference import beam_states, eager_to_end
from tests.core.training.small_runs import MODEL

TEXT = "a b c d"
MAX_LENGTH = 7
SEEDS_OF_LONG_OUTPUTS = (28, 61, 86)  # also of greedy decoding; most of these models write nothing


def model_of(data: PreparedData, seed: int) -> Transformer:
    torch.manual_seed(seed)
    vocabularies = len(data.src_vocabulary), len(data.tgt_vocabulary)
    config = ModelConfig.model_validate(MODEL)
    return eager_to_end(Transformer(config, *vocabularies, max_positions=data.max_src_length).eval().double())


def tree_of(model: Transformer, data: PreparedData, beam_size: int) -> BeamTree:
    request = SearchBeam(source=TEXT, beam_size=beam_size, length_penalty=0.6)
    return search_beam(model, data, request, max_length=MAX_LENGTH, step=9)


def tokens_to(tree: BeamTree, index: int) -> list[str]:
    node = tree.nodes[index]
    return [*(tokens_to(tree, node.parent) if node.parent >= 0 else []), node.token]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("beam_size", [1, 3, 5])
def test_every_place_of_the_beam_is_that_of_the_reference(data: PreparedData, seed: int, beam_size: int) -> None:
    model = model_of(data, seed)
    tree = tree_of(model, data, beam_size)
    steps = list(beam_states(model, list(data.encode_source(TEXT)[0]), beam_size, MAX_LENGTH))
    found = [(node.position, tokens_to(tree, i), node.log_probability) for i, node in enumerate(tree.nodes)]
    expected = [
        (position, data.tgt_vocabulary.tokens_of(ids), total)
        for position, places in enumerate(steps)
        for ids, total in places
    ]
    assert [one[:2] for one in found] == [one[:2] for one in expected]
    assert [one[2] for one in found] == pytest.approx([one[2] for one in expected], abs=1e-6)


@pytest.mark.parametrize("seed", [0, 1, 19, *SEEDS_OF_LONG_OUTPUTS])
def test_the_outputs_are_those_of_the_beam_and_each_has_a_path_in_the_tree(data: PreparedData, seed: int) -> None:
    model = model_of(data, seed)
    tree, decoding = tree_of(model, data, 4), DecodingConfig(beam_size=4, length_penalty=0.6, max_length=MAX_LENGTH)
    (translation,) = translate(model, data, Translate(texts=(TEXT,), with_n_best=True), decoding=decoding, step=0)
    assert [(one.output, one.score) for one in tree.outputs] == [(one.output, one.score) for one in translation.n_best]
    (greedy,) = translate(model, data, Translate(texts=(TEXT,)), decoding=DecodingConfig(max_length=MAX_LENGTH), step=0)
    assert tree.greedy.output == greedy.output
    for one in tree.outputs:
        path = tree.path(one.tokens)
        assert len(path) == len(one.tokens)
        assert tree.nodes[path[-1]].fate == ("finished" if one.tokens[-1] == "<eos>" else "too long")


def test_each_node_has_its_fate_and_probability(data: PreparedData) -> None:
    tree = tree_of(model_of(data, 61), data, 3)
    assert {node.fate for node in tree.nodes} == {"went on", "finished", "cut", "too long"}
    parents = {node.parent for node in tree.nodes}
    for index, node in enumerate(tree.nodes):
        assert (node.fate == "went on") == (index in parents)
        assert (node.fate == "finished") == (node.token == "<eos>")
        assert (node.fate == "too long") == (node.position == MAX_LENGTH - 1 and node.token != "<eos>")
        before = tree.nodes[node.parent].log_probability if node.parent >= 0 else 0.0
        assert node.probability == pytest.approx(torch.tensor(node.log_probability - before).exp().item())
    assert tree.step == 9 and tree.source == TEXT
    assert tree.path(("nowhere",)) == ()


@pytest.mark.parametrize("seed", SEEDS_OF_LONG_OUTPUTS)
def test_every_output_begins_with_the_prefix(data: PreparedData, seed: int) -> None:
    model = model_of(data, seed)
    prefix = tuple(data.tgt_vocabulary.tokens[-2:])
    request = SearchBeam(source=TEXT, beam_size=3, length_penalty=0.6, prefix=prefix)
    tree = search_beam(model, data, request, max_length=MAX_LENGTH, step=9)
    assert {one.tokens[:2] for one in (tree.greedy, *tree.outputs)} == {prefix}
    decoding = DecodingConfig(max_length=MAX_LENGTH)
    (greedy,) = translate(model, data, Translate(texts=(TEXT,), prefix=prefix), decoding=decoding, step=0)
    assert tree.greedy.output == greedy.output
    with pytest.raises(UserError, match="cannot begin with “nowhere”"):
        search_beam(model, data, replace(request, prefix=("nowhere",)), max_length=MAX_LENGTH, step=9)


@pytest.mark.parametrize("beam_size", [1, 3, 5])
def test_the_tree_of_a_model_whose_logits_overflow_ends_at_the_first_step(data: PreparedData, beam_size: int) -> None:
    model = model_of(data, 0)
    with torch.no_grad():
        model.src_embedding.tokens.weight.fill_(torch.finfo(torch.float64).max)
    tree = tree_of(model, data, beam_size)
    assert len(tree.nodes) == len(tree.outputs) == beam_size
    assert {(node.parent, node.position) for node in tree.nodes} == {(-1, 0)}


def test_an_empty_source_text_is_refused(data: PreparedData) -> None:
    with pytest.raises(UserError, match="the text is empty"):
        search_beam(
            model_of(data, 0), data, SearchBeam(source=" ", beam_size=2, length_penalty=0.6), max_length=5, step=0
        )
