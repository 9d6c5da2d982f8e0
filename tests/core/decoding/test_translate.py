"""Translating texts of every kind gives an output or an error sentence, never a traceback."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from core.answers.translation import Translation
from core.config import DecodingConfig, ModelConfig
from core.data.prepared_data import PreparedData
from core.decoding.translate import translate
from core.errors import UserError
from core.model.transformer import Transformer
from core.requests import Translate
from tests.core.training.small_runs import MODEL


@pytest.fixture(scope="module")
def model(data: PreparedData) -> Transformer:
    """Untrained, with weights so large that its outputs depend on the text."""
    torch.manual_seed(8)
    vocabularies = len(data.src_vocabulary), len(data.tgt_vocabulary)
    made = Transformer(ModelConfig.model_validate(MODEL), *vocabularies, max_positions=data.max_src_length)
    with torch.no_grad():
        for weight in (one for one in made.parameters() if one.dim() > 1):
            weight.mul_(2.0)
    return made


def translated(
    model: Transformer, data: PreparedData, *texts: str, decoding: DecodingConfig | None = None, **options: Any
) -> tuple[Translation, ...]:
    request = Translate(texts=texts, **options)
    return translate(model, data, request, decoding=decoding or DecodingConfig(), step=7)


def test_texts_are_translated_in_order_with_the_step(model: Transformer, data: PreparedData) -> None:
    texts = ["a b c d", "f", "c c", "a b c d"]
    together = translated(model, data, *texts)
    assert [one.source for one in together] == texts
    assert [one.output for one in together] == [translated(model, data, t)[0].output for t in texts]
    assert {one.step for one in together} == {7} and together[0].sentence is None


def test_more_texts_than_a_batch_keep_their_order(model: Transformer, data: PreparedData) -> None:
    texts = [" ".join("abcdef"[(i + j) % 6] for j in range(1 + i % 6)) for i in range(150)]
    found = translated(model, data, *texts)
    assert [one.source for one in found] == texts
    alone = {text: translated(model, data, text)[0].output for text in set(texts)}
    assert [one.output for one in found] == [alone[text] for text in texts] and len(set(alone.values())) > 2


@pytest.mark.parametrize(
    "text", ["a 😀 b", "שלום a עולם", "a\u2028b", "<pad> <eos>", "a \x00 b", "e\u0301 e", "a" * 10_000]
)
def test_unknown_tokens_are_named_and_the_rest_is_translated(model: Transformer, data: PreparedData, text: str) -> None:
    (found,) = translated(model, data, text, with_attention=True)
    assert found.unknown == tuple(t for t in data.src_tokenizer.tokenize(text) if t not in "abcdef")
    assert isinstance(found.output, str) and found.sentence is not None
    assert found.sentence.src_tokens.count("<unk>") == len(found.unknown)


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_an_empty_text_is_refused(model: Transformer, data: PreparedData, text: str) -> None:
    with pytest.raises(UserError, match="the text is empty"):
        translated(model, data, "a b", text)


def test_a_text_beyond_the_models_positions_is_refused_with_both_lengths(
    model: Transformer, data: PreparedData
) -> None:
    with pytest.raises(UserError, match=rf"has 5,001 tokens, <eos> counted; this model reads {model.max_positions}\."):
        translated(model, data, "a " * 5000)


def test_a_text_longer_than_all_trained_on_gets_a_note(model: Transformer, data: PreparedData) -> None:
    assert data.longest_source is not None
    longest = data.longest_source - 1  # without <eos>
    (known, longer) = translated(model, data, "a " * longest, "a " * (longest + 1))
    assert known.length_note == ""
    assert longer.length_note.startswith(
        f"The text has {longest + 2} tokens, <eos> counted, and the longest source trained on {longest + 1}:"
    )


def test_a_beam_returns_its_best_output_and_all_others_with_scores(model: Transformer, data: PreparedData) -> None:
    texts, decoding = ("a b c", "f"), DecodingConfig(beam_size=4)
    found = translated(model, data, *texts, decoding=decoding, with_attention=True, with_n_best=True)
    outputs = translated(model, data, *texts, decoding=decoding)
    assert [one.output for one in found] == [one.output for one in outputs]
    for one in found:
        assert len(one.n_best) == 4 and one.n_best[0].output == one.output
        assert one.sentence is not None and one.sentence.output == one.output
        finished = [other.score for other in one.n_best if other.finished]
        assert finished == sorted(finished, reverse=True)


@pytest.mark.parametrize("beam_size", [1, 3])
def test_the_output_continues_from_a_given_prefix(model: Transformer, data: PreparedData, beam_size: int) -> None:
    decoding = DecodingConfig(beam_size=beam_size)
    (first,) = translated(model, data, "a b c", decoding=decoding, with_attention=True)
    assert first.sentence is not None and first.prefix == ()
    other = first.sentence.free_running.top_tokens[0][2]
    (prefixed,) = translated(model, data, "a b c", decoding=decoding, with_attention=True, prefix=(other,))
    assert prefixed.sentence is not None and prefixed.prefix == (other,)
    assert prefixed.sentence.free_running.tgt_output[0] == other
    assert prefixed.sentence.free_running.output_probability[0] == first.sentence.free_running.top_probability[0, 2]
    (ended,) = translated(model, data, "a b c", decoding=decoding, prefix=(other, "<eos>"))
    assert ended.output == data.tgt_tokenizer.join([other]) and ended.finished
    for token in ("zebra", "<pad>", "<bos>"):
        with pytest.raises(UserError, match=f"cannot begin with “{token}”"):
            translated(model, data, "a b c", decoding=decoding, prefix=(token,))


def test_a_reference_adds_a_teacher_forced_feed(model: Transformer, data: PreparedData) -> None:
    known, unknown = translated(model, data, "a b", "c", with_attention=True, references=("a b", None))
    assert known.sentence is not None and unknown.sentence is not None
    assert known.sentence.by_reference is not None and known.sentence.by_reference.tgt_output == ("a", "b", "<eos>")
    assert known.sentence.reference == "a b" and unknown.sentence.by_reference is None
    with pytest.raises(UserError, match="longer than this model's"):
        translated(model, data, "a", with_attention=True, references=("a " * 500,))


def test_a_score_is_the_log_probability_over_the_penalty(model: Transformer, data: PreparedData) -> None:
    decoding = DecodingConfig(beam_size=3, length_penalty=0.9)
    (found,) = translated(model, data, "a b c", decoding=decoding, with_attention=True, with_n_best=True)
    assert found.sentence is not None
    probabilities = found.sentence.free_running.output_probability
    expected = np.log(probabilities).sum() / ((5 + len(probabilities)) / 6) ** 0.9
    assert found.n_best[0].score == pytest.approx(expected, rel=1e-4)


def test_the_maximum_length_limits_the_output(model: Transformer, data: PreparedData) -> None:
    (found,) = translated(model, data, "a b c d e", decoding=DecodingConfig(max_length=2), with_attention=True)
    assert len(data.tgt_tokenizer.tokenize(found.output)) <= 2
    assert found.sentence is not None and len(found.sentence.free_running.tgt_output) <= 2
