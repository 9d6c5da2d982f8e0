"""What the large map shows of a sentence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gui.heads.head_picture import DIVERGED, chosen_head
from gui.sentences.selection import Selection
from tests.gui.builders import sentence


def test_cross_attention_has_source_columns_and_rows_with_predictions() -> None:
    selection = Selection()
    selection.choose(kind="cross", layer=1, head=2)
    shown = sentence("ich will")
    picture = chosen_head(shown, selection)
    assert shown.by_reference is not None
    assert picture.rows == ("<bos> → i", "i → want", "want → <eos>")
    assert picture.columns == ("ich", "will", "<eos>")
    assert picture.weights is not None and not picture.is_causal
    np.testing.assert_array_equal(picture.weights, shown.by_reference.cross[1, 2])


def test_decoder_self_attention_is_causal_and_reads_the_input_tokens() -> None:
    selection = Selection()
    selection.choose(kind="decoder_self", free_running=True)
    picture = chosen_head(sentence(), selection)
    assert picture.columns == ("<bos>", "i", "do", "want")
    assert picture.is_causal


def test_encoder_self_attention_has_the_source_as_rows_and_columns() -> None:
    selection = Selection()
    selection.choose(kind="encoder_self")
    picture = chosen_head(sentence("ich will"), selection)
    assert picture.rows == picture.columns == ("ich", "will", "<eos>")
    assert picture.row_meaning == "who reads"


def test_layer_and_head_numbers_wrap_around() -> None:
    selection, shown = Selection(), sentence()
    selection.choose(layer=-1, head=5)  # of two layers of four heads
    assert shown.by_reference is not None
    np.testing.assert_array_equal(chosen_head(shown, selection).weights, shown.by_reference.cross[1, 1])


def test_gold_alignments_appear_only_for_teacher_forced_cross_attention() -> None:
    selection, shown = Selection(), replace(sentence(), alignment=((1, 0),))  # source 1 with target 0
    assert chosen_head(shown, selection).alignment == ((0, 1),)
    selection.choose(free_running=True)
    assert chosen_head(shown, selection).alignment == ()
    selection.choose(free_running=False, kind="decoder_self")
    assert chosen_head(shown, selection).alignment == ()


def test_a_map_of_nan_says_that_the_model_diverged() -> None:
    picture = chosen_head(sentence(), Selection())
    assert picture.legend != DIVERGED
    broken = replace(picture, weights=np.full_like(picture.weights, np.nan))
    assert broken.legend == DIVERGED
