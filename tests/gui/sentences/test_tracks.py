"""The texts about two tracks."""

from __future__ import annotations

from gui.sentences.tokens import first_difference
from gui.sentences.tracks import (
    Track,
    describe_reference_difference,
    describe_reference_losses,
    describe_weights_difference,
    tracks_table,
)


def track(text: str, first_choices: str = "") -> Track:
    tokens = tuple(text.split())
    return Track("run", tokens, (0.5,) * len(tokens), tuple((first_choices or text).split()))


def test_the_first_difference_is_a_token_or_the_end_of_a_track() -> None:
    three = ("a", "b", "c")
    assert first_difference(three, three) is None
    assert first_difference(three, ("a", "x", "c")) == 1
    assert first_difference(("a", "b"), three) == first_difference(three, ("a", "b")) == 2


def test_the_difference_to_the_reference_is_described() -> None:
    fed = track("i want beer <eos>", "i want cake <eos>")
    assert describe_reference_difference(fed, track("i want cake <eos>")) == (
        "✗ The same up to token 2; then the reference has “beer” (0.50) and the free run “cake” (0.50). "
        "Teacher-forced, the model's first choice is right for 3 of 4 tokens."
    )
    assert describe_reference_difference(fed, track("we")).startswith(
        "✗ From the first token on the reference has “i” (0.50)"
    )
    assert describe_reference_difference(track("a"), track("a")).startswith("✓ The free run equals the reference.")
    assert "the free run nothing more" in describe_reference_difference(fed, track("i want"))


def test_the_difference_between_two_weights_is_described() -> None:
    assert describe_weights_difference(track("a b"), track("a b")) == "= Both write the same."
    assert describe_weights_difference(track("a b"), track("a c")) == (
        "≠ The same up to token 1; then above comes “b” (0.50) and below “c” (0.50)."
    )


def test_the_losses_of_two_weights_are_described() -> None:
    assert describe_reference_losses(track("a b"), track("a b", "a x")) == (
        "Teacher-forced, the loss is 0.69 nats a token above and 0.69 below; the first choice is right for 2 and 1 of "
        "2 tokens."
    )
    certain = Track("run", ("a",), (1.0,), ("a",))
    assert "the loss is 0.00 nats a token above and 0.00 below" in describe_reference_losses(certain, certain)
    impossible = Track("run", ("a",), (0.0,), ("b",))
    assert "the loss is inf nats" in describe_reference_losses(impossible, impossible)


def test_the_table_of_tracks_has_the_first_choices() -> None:
    assert tracks_table((track("a b", "a x"),)) == [
        ("place", "track", "token", "probability", "first choice"),
        (1, "run", "a", 0.5, "a"),
        (2, "run", "b", 0.5, "x"),
    ]
