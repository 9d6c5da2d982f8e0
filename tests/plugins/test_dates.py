"""Dates: formats as people write them, most parsed back by the standard library, no day in two splits."""

import random
from datetime import date, datetime
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.plugin import Pair, Split, split_of
from plugins.dates import FORMATS, PLUGIN, DatesOptions, in_format

SPLITS: tuple[Split, ...] = ("train", "valid", "test")

# One day in every format, deliberately written out again here, and the `strptime` pattern that parses it.
WRITTEN = {
    "Tuesday, 3 March 1998": "%A, %d %B %Y",
    "Tuesday, March 3, 1998": "%A, %B %d, %Y",
    "Tue, 3 Mar 1998": "%a, %d %b %Y",
    "the 3rd of March 1998": "the %drd of %B %Y",
    "the third of March 1998": "the third of %B %Y",
    "March 3rd, 1998": "%B %drd, %Y",
    "March 3, 1998": "%B %d, %Y",
    "3 March 1998": "%d %B %Y",
    "3 Mar 98": "%d %b %y",
    "03-Mar-1998": "%d-%b-%Y",
    "3.3.98": "%d.%m.%y",
    "3.3.1998": "%d.%m.%Y",
    "03.03.1998": "%d.%m.%Y",
    "3/3/1998": "%m/%d/%Y",
    "03/03/98": "%m/%d/%y",
    "1998/03/03": "%Y/%m/%d",
}
TEMPLATES = dict(zip(FORMATS["all"], WRITTEN.values(), strict=True))


def drawn(split: Split, limit: int | None = None, seed: int = 0, **options: int | str) -> list[Pair]:
    return list(islice(PLUGIN(DatesOptions.model_validate(options)).pairs(split, random.Random(seed)), limit))


def test_one_day_is_written_in_every_format() -> None:
    assert [in_format(date(1998, 3, 3), template).source for template in FORMATS["all"]] == list(WRITTEN)


@pytest.mark.parametrize("template", [t for t in FORMATS["all"] if "{nth}" not in t and "{ordinal}" not in t])
@given(day=st.dates(date(1969, 1, 1), date(2068, 12, 31)))  # the years that %y stands for
def test_the_standard_library_parses_each_format(template: str, day: date) -> None:
    pair = in_format(day, template)
    assert datetime.strptime(pair.source, TEMPLATES[template]).date() == day
    assert pair.target == day.isoformat()


def test_the_ordinals_of_a_month_are_right() -> None:
    days = [date(2000, 1, day) for day in range(1, 32)]
    numbers = [in_format(day, "{nth}").source for day in days]
    assert numbers[:4] + numbers[9:14] == ["1st", "2nd", "3rd", "4th", "10th", "11th", "12th", "13th", "14th"]
    assert numbers[19:25] + numbers[29:] == ["20th", "21st", "22nd", "23rd", "24th", "25th", "30th", "31st"]
    words = [in_format(day, "{ordinal}").source for day in days]
    assert len(set(words)) == 31
    for index in (3, 8, 12, 18, 20, 21, 29, 31):
        assert words[index - 1] == {
            3: "third", 8: "eighth", 12: "twelfth", 18: "eighteenth",
            20: "twentieth", 21: "twenty-first", 29: "twenty-ninth", 31: "thirty-first",
        }[index]  # fmt: skip


def test_date_alignments_equal_those_made_by_hand() -> None:
    assert aligned(date(1998, 3, 3), "{day}.{m}.{yy}") == {
        "3": "03", ".": "", "3'": "03", ".'": "", "9": "199", "8": "8",
    }  # fmt: skip
    assert aligned(date(1998, 3, 23), "{wkd}, {nth} {year}") == {
        "M": "", "o": "", "n": "", ",": "", " ": "", "2": "2", "3": "3", "r": "", "d": "", " '": "",
        "1": "1", "9": "9", "9'": "9", "8": "8",
    }  # fmt: skip
    assert aligned(date(1998, 5, 3), "{month}") == {"M": "05", "a": "05", "y": "05"}


def aligned(day: date, template: str) -> dict[str, str]:
    """Map each source character to its target characters; a second occurrence has a prime."""
    pair = in_format(day, template)
    sources_by_character: dict[str, str] = {}
    for at, character in enumerate(pair.source):
        key = character + "'" * (character in sources_by_character)
        sources_by_character[key] = "".join(pair.target[to] for source, to in pair.alignment or () if source == at)
    return sources_by_character


@pytest.mark.parametrize("formats", ["all", "names", "numbers"])
def test_no_held_out_day_is_trained_on_in_any_format(formats: str) -> None:
    train = {pair.target for pair in drawn("train", 20_000, formats=formats, first_year=2000, last_year=2002)}
    for split in SPLITS[1:]:
        held_out = drawn(split, formats=formats, first_year=2000, last_year=2002)
        assert len(held_out) == 1000
        assert train.isdisjoint(pair.target for pair in held_out)
        assert all(split_of(pair.target) == split for pair in held_out)
        assert {pair.target[:4] for pair in held_out} == {"2000", "2001", "2002"}


def test_every_source_text_stands_for_one_day() -> None:
    meanings: dict[str, str] = {}
    for pair in drawn("train", 50_000):
        assert meanings.setdefault(pair.source, pair.target) == pair.target


@pytest.mark.parametrize("years", [(1950, 2050), (2001, 2000)])
def test_years_that_two_digits_cannot_tell_apart_are_refused(years: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=f"{years[0]} to {years[1]} is not a span of 1 to 100 years"):
        DatesOptions(first_year=years[0], last_year=years[1])


@pytest.mark.parametrize("years", [(1000, 1000), (1950, 2049), (9999, 9999)])
@pytest.mark.parametrize("formats", ["all", "names", "numbers"])
def test_examples_are_days_within_the_years(years: tuple[int, int], formats: str) -> None:
    options = {"formats": formats, "first_year": years[0], "last_year": years[1]}
    plugin = PLUGIN(DatesOptions.model_validate(options))
    assert plugin.examples()
    for pair in islice(plugin.pairs("train", random.Random(0)), 100):
        assert years[0] <= int(pair.target[:4]) <= years[1]
