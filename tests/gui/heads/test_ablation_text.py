"""The texts about a head ablation follow from its figures."""

from __future__ import annotations

from dataclasses import replace
from math import log

import numpy as np
import pytest

from core.answers.head_ablation import AblationResult, HeadAblation, HeadId
from gui.heads.ablation_text import (
    describe_change,
    format_probability,
    formatted_changes,
    formatted_measurements,
    head_names,
    measurements,
)
from tests.gui.builders import feed, sentence

HEADS = (HeadId("cross", 1, 2), HeadId("encoder_self", 0, 0), HeadId("cross", 0, 0))


def ablation(before: float | None, after: float | None, *, num_heads: int = 1) -> HeadAblation:
    """An ablation with these validation losses before and after."""
    complete, without = (AblationResult(sentence=sentence(), valid_loss=loss) for loss in (before, after))
    num_valid = 0 if before is None else 64
    heads = HEADS[:num_heads]
    return HeadAblation(step=3, heads=heads, complete=complete, without=without, num_valid=num_valid)


def test_the_text_states_how_much_less_probable_the_right_token_is() -> None:
    assert describe_change(ablation(0.5, 0.5 + log(2))) == (
        "Without it the right token of the validation pairs is 50 % less probable (geometric mean)."
    )
    assert "Without them" in describe_change(ablation(0.5, 0.9, num_heads=2))
    assert "even 25 % more probable" in describe_change(ablation(0.5, 0.5 - log(1.25)))
    assert describe_change(ablation(0.5, 0.501)).startswith("The model does as well without this head")


def test_without_validation_pairs_the_text_is_about_the_reference() -> None:
    assert describe_change(ablation(None, None)).startswith(
        "The model does as well without this head: the loss of this ref"
    )
    typed = AblationResult(sentence=sentence(has_reference=False), valid_loss=None)
    assert describe_change(replace(ablation(None, None), complete=typed, without=typed)).startswith(
        "This run's pairs are not"
    )


def test_measurements_are_those_of_the_sentence() -> None:
    probability, reference, valid = measurements(AblationResult(sentence=sentence(), valid_loss=0.25))
    assert probability == pytest.approx(0.6**4)  # four tokens, <eos> included
    assert reference == pytest.approx(-log(0.6)) and valid == 0.25


def test_the_first_token_that_differs_is_named() -> None:
    one = AblationResult(sentence=sentence(), valid_loss=0.25)
    other = replace(one.sentence, free_running=feed(("i", "want", "beer", "<eos>"), 3))
    assert formatted_changes(one, one) == ["the same", "+0.00", "+0.000", "+0.000"]
    assert formatted_changes(one, AblationResult(sentence=other, valid_loss=None)) == [
        "differs from token 2",
        "+0.00",
        "+0.000",
        "",
    ]


def test_a_change_is_the_difference_of_the_rounded_figures() -> None:
    before, after = (AblationResult(sentence=sentence(), valid_loss=loss) for loss in (0.0696, 0.0844))
    assert formatted_measurements(before)[-1] == "0.070" and formatted_measurements(after)[-1] == "0.084"
    assert formatted_changes(before, after)[-1] == "+0.014"  # not 0.0148


@pytest.mark.parametrize(("before", "after", "change"), [(0.29, 0.19, "-0.10"), (0.29, 0.28, "-0.01")])
def test_a_change_of_probabilities_has_two_decimals(before: float, after: float, change: str) -> None:
    made = sentence()
    results = []
    for probability in (before, after):
        free_running = replace(made.free_running, output_probability=np.array([probability, 1, 1, 1], np.float32))
        results.append(AblationResult(sentence=replace(made, free_running=free_running), valid_loss=None))
    assert formatted_changes(*results)[1] == change


def test_a_probability_of_zero_has_a_finite_loss() -> None:
    made = sentence()
    nothing = replace(made.free_running, output_probability=np.zeros(4, np.float32))
    assert measurements(AblationResult(sentence=replace(made, free_running=nothing), valid_loss=None))[
        0
    ] == pytest.approx(0.0)


def test_heads_and_probabilities_are_formatted() -> None:
    assert head_names(HEADS[:1]) == "cross layer 2 head 3"
    assert head_names(HEADS[:2]) == "cross layer 2 head 3 and encoder self layer 1 head 1"
    assert head_names(HEADS) == "cross layer 2 head 3, encoder self layer 1 head 1 and 1 more"
    assert (format_probability(0.834), format_probability(0.0123), format_probability(1e-7)) == (
        "0.83",
        "0.012",
        "1e-07",
    )
