"""Normalising source texts."""

import pytest

from core.text_form import AS_IT_COMES, TextForm


@pytest.mark.parametrize(
    ("form", "text", "expected"),
    [
        (AS_IT_COMES, "U\u0308ber Ｗide", "U\u0308ber Ｗide"),
        (TextForm(lowercase=True), "U\u0308ber", "u\u0308ber"),
        (TextForm(normalisation="NFC"), "U\u0308ber", "Über"),
        (TextForm(normalisation="NFD"), "Über", "U\u0308ber"),
        (TextForm(lowercase=True, normalisation="NFKC"), "U\u0308ber Ｗide", "über wide"),
        (TextForm(lowercase=True, normalisation="NFC"), "H\u0331a", "\u1e96a"),  # H with a line below has no NFC form
        (TextForm(cuts=("characters", ";")), "ice cream\tN;PL", "i c e ␣ c r e a m N PL"),
        (TextForm(lowercase=True, cuts=("characters", "words")), "Walk\tV  PST", "w a l k v pst"),
        (TextForm(cuts=("words", ";")), "ice  cream\tN;;PL", "ice cream N PL"),
        (TextForm(cuts=("characters", ";")), "w a l k V PST", "w a l k V PST"),
        (TextForm(cuts=("characters", ";")), "walk\twalked\tV;PST", "walk\twalked\tV;PST"),
        (TextForm(cuts=("characters",)), "ice cream", "i c e ␣ c r e a m"),
        (TextForm(cuts=("characters",)), "a dog", "a ␣ d o g"),
        (TextForm(cuts=("|",)), "a b|c", "ab c"),
        (TextForm(cuts=("words",)), "a  b", "a  b"),
        (AS_IT_COMES, " a \u2028 b\t", " a \u2028 b\t"),
        (TextForm(single_spaces=True), " a \u2028 b\t", "a b"),
        (TextForm(normalisation="NFKC", single_spaces=True), "a\u00b4b", "a \u0301b"),
        (TextForm(cuts=("characters", ";"), single_spaces=True), " w  a PST ", "w a PST"),
        (TextForm(cuts=("characters", ";"), single_spaces=True), "i c\tN;PL", "i ␣ c N PL"),
    ],
)
def test_a_text_is_normalised_and_normalising_it_again_changes_nothing(
    form: TextForm, text: str, expected: str
) -> None:
    assert form.apply(text) == expected
    assert form.apply(expected) == expected


@pytest.mark.parametrize(
    ("cuts", "text", "is_accepted"),
    [
        ((), "a\tb\tc", True),
        (("words",), "a b", True),
        (("words",), "a\tb", False),
        (("words", ";"), "a\tb", True),
        (("words", ";"), "a b", True),
        (("words", ";"), "a\tb\tc", False),
    ],
)
def test_a_text_with_tabs_must_have_the_number_of_columns(cuts: tuple[str, ...], text: str, is_accepted: bool) -> None:
    assert TextForm(cuts=cuts).accepts(text) == is_accepted
