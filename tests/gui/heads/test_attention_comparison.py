"""The difference between the attention of two steps or runs, and when it cannot be computed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.errors import UserError
from core.probes import ProbedSentence
from core.run_folder import RunFolder
from gui.heads.attention_comparison import read_probe, why_not_comparable
from gui.heads.head_picture import chosen_head, chosen_picture
from gui.runs.rows import example_path
from gui.sentences.selection import Selection
from gui.sentences.shown_sentence import ShownSentence
from tests.gui.builders import attention, feed, sentence


def moved_on() -> ProbedSentence:
    """The same sentence at another step: every cross-attention head reads one token further to the right."""
    made = sentence()
    assert made.by_reference is not None
    return replace(made, by_reference=replace(made.by_reference, cross=np.roll(made.by_reference.cross, 1, axis=-1)))


def test_a_difference_is_computed_cell_by_cell() -> None:
    selection, mine, other = Selection(), sentence(), moved_on()
    picture = chosen_picture(ShownSentence(mine, 300, other=ShownSentence(other, 100)), selection)
    assert mine.by_reference is not None and other.by_reference is not None
    expected = mine.by_reference.cross[1, 0].astype(np.float64) - other.by_reference.cross[1, 0].astype(np.float64)
    np.testing.assert_allclose(picture.weights, expected, atol=1e-6)
    assert picture.baseline == "step 100" and picture.rows == chosen_head(mine, selection).rows


@pytest.mark.parametrize("pooled", ["mean", "max"])
def test_the_heads_of_a_layer_can_be_pooled(pooled: str) -> None:
    selection, mine, other = Selection(), sentence(), moved_on()
    selection.choose(layer=0, pooled=pooled)
    assert mine.by_reference is not None and other.by_reference is not None
    pool = np.mean if pooled == "mean" else np.max
    expected, taken = (pool(one.cross[0].astype(np.float64), axis=0) for one in (mine.by_reference, other.by_reference))
    np.testing.assert_allclose(chosen_head(mine, selection).weights, expected, atol=1e-6)
    difference = chosen_picture(ShownSentence(mine, 3, other=ShownSentence(other, 1, "b")), selection)
    np.testing.assert_allclose(difference.weights, expected - taken, atol=1e-6)
    assert difference.baseline == "the other run"
    selection.choose(head=1)
    assert selection.chosen.pooled == ""


def test_only_attention_over_the_same_tokens_is_comparable() -> None:
    selection, mine = Selection(), sentence()
    assert why_not_comparable(mine, moved_on(), selection) == ""
    assert "different tokens" in why_not_comparable(mine, replace(mine, src_tokens=("ich", "w", "<eos>")), selection)
    typed = replace(mine, by_reference=None)
    assert "choose another sentence" in why_not_comparable(mine, typed, selection)
    selection.choose(free_running=True)
    different = replace(mine, free_running=feed(("i", "will", "want", "<eos>"), 3))
    assert "choose “teacher-forced”" in why_not_comparable(mine, different, selection)
    assert "choose another sentence" in why_not_comparable(typed, different, selection)
    selection.choose(kind="encoder_self")  # for which the choice of a feed is disabled
    assert "choose another kind, then “teacher-forced”" in why_not_comparable(mine, different, selection)


def test_models_of_different_shapes_are_not_comparable() -> None:
    mine = sentence()
    larger = replace(
        mine,
        encoder_self=attention(3, 2, 3, 3),
        by_reference=feed(("i", "want", "<eos>"), 3, heads=2),
        free_running=feed(("i", "do", "want", "<eos>"), 3, heads=2),
    )
    assert why_not_comparable(mine, larger, Selection()) == (
        "The other run has 3 + 2 layers of 2 heads, this one 2 + 2 layers of 4 heads: choose a run with the same "
        "number."
    )

    one_head = replace(
        larger,
        encoder_self=attention(3, 1, 3, 3),
        by_reference=None,
        free_running=feed(("i", "do", "want", "<eos>"), 3, heads=1),
    )
    assert why_not_comparable(mine, one_head, Selection()).startswith("The other run has 3 + 2 layers of 1 head, ")


def test_another_runs_probe_is_the_newest_at_or_before_the_step() -> None:
    steps = RunFolder.open(example_path()).probe_steps()
    assert read_probe(example_path(), steps[2] + 1 if steps[2] + 1 < steps[3] else steps[2]).step == steps[2]
    with pytest.raises(UserError, match="has no probe"):
        read_probe(example_path(), steps[0] - 1)
