"""Convert dates as people write them to ISO 8601: `the 3rd of March 1998` and `3.3.98` become 1998-03-03."""

import random
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import count, takewhile
from string import Formatter
from typing import Literal

from core.plugin import DatasetPlugin, Options, Pair, Split, option, split_of

HELD_OUT = 1000

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
UNITS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
ORDINALS = (
    *(*UNITS, "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth"),
    *("eighteenth", "nineteenth", "twentieth", *(f"twenty-{unit}" for unit in UNITS), "thirtieth", "thirty-first"),
)
SUFFIXES = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}

WITH_NAMES = (
    "{weekday}, {day} {month} {year}",  # Tuesday, 3 March 1998
    "{weekday}, {month} {day}, {year}",  # Tuesday, March 3, 1998
    "{wkd}, {day} {mon} {year}",  # Tue, 3 Mar 1998
    "the {nth} of {month} {year}",  # the 3rd of March 1998
    "the {ordinal} of {month} {year}",  # the third of March 1998
    "{month} {nth}, {year}",  # March 3rd, 1998
    "{month} {day}, {year}",  # March 3, 1998
    "{day} {month} {year}",  # 3 March 1998
    "{day} {mon} {yy}",  # 3 Mar 98
    "{dd}-{mon}-{year}",  # 03-Mar-1998
)
WITH_NUMBERS = (
    "{day}.{m}.{yy}",  # 3.3.98: with dots the day comes first
    "{day}.{m}.{year}",  # 3.3.1998
    "{dd}.{mm}.{year}",  # 03.03.1998
    "{m}/{day}/{year}",  # 3/3/1998: with slashes the month comes first
    "{mm}/{dd}/{yy}",  # 03/03/98
    "{year}/{mm}/{dd}",  # 1998/03/03
)
FORMATS = {"all": WITH_NAMES + WITH_NUMBERS, "names": WITH_NAMES, "numbers": WITH_NUMBERS}
SPANS = {"year": range(4), "month": range(5, 7), "day": range(8, 10), "": range(0)}
"""The places of each part in 1998-03-03."""


class DatesOptions(Options):
    formats: Literal["all", "names", "numbers"] = option("all", help="Months as names, as numbers, or both kinds.")
    first_year: int = option(1950, ge=1000, le=9999, help="The earliest year.")
    last_year: int = option(2049, ge=1000, le=9999, help="The latest year; at most 99 later, so that 98 is clear.")

    def check(self) -> None:
        if not 0 <= self.last_year - self.first_year < 100:
            raise ValueError(f"{self.first_year} to {self.last_year} is not a span of 1 to 100 years")


class Dates(DatasetPlugin[DatesOptions]):
    """Write a date as ISO 8601. The train split is endless; a fifth of all days are held out, in every format.

    With dots the day comes first (3.12.98); with slashes the month (12/3/98), or the year (1998/12/03).

    What to look for in the trained preset (one layer; figures are shares of a row):

    - cross: the last digit of year, month and day attends to its source, 0.82 to 0.94 in every head. The first two
      digits of the year, which `98` does not contain, attend to theirs with 0.1 to 0.44.
    - cross, rows of a month given by name: its first three letters, 0.53 to 0.70. `Jan`, `Jun` and `Jul` need all
      three, and no month needs more. The weekday carries no information, and gets a tenth.
    - encoder self: in dates of digits only, one head puts 0.58 of a digit's row on dots, and 0.09 on slashes. Only dots
      and slashes tell day and month apart.
    """

    name = "dates"
    title = "Dates to ISO"
    tokenizer = "characters"
    endless = True

    def pairs(self, split: Split, rng: random.Random) -> Iterator[Pair]:
        days = [day for day in self._days() if split_of(day.isoformat()) == split]
        for _ in count() if split == "train" else range(HELD_OUT):
            yield in_format(rng.choice(days), rng.choice(FORMATS[self.options.formats]))

    def _days(self) -> Iterator[date]:
        first, last = date(self.options.first_year, 1, 1), date(self.options.last_year, 12, 31)
        return (first + timedelta(days) for days in range((last - first).days + 1))

    def examples(self) -> list[str]:
        """Offer a day in every format."""
        day = date(self.options.last_year, 7, 4)
        return [in_format(day, template).source for template in FORMATS[self.options.formats]]


def in_format(day: date, template: str) -> Pair:
    """Write a day in one format, aligning characters with the digits that they give."""
    fields = fields_of(day)
    source, alignment = "", list[tuple[int, int]]()
    for literal, name, _, _ in Formatter().parse(template):
        source += literal
        if name is not None:
            text, part = fields[name]
            alignment += [(len(source) + at, position) for at, position in links(text, SPANS[part])]
            source += text
    return Pair(source, day.isoformat(), alignment=alignment)


def fields_of(day: date) -> dict[str, tuple[str, str]]:
    """Return each field of a format: its text, and the part of the date that it gives."""
    weekday, month = WEEKDAYS[day.weekday()], MONTHS[day.month - 1]
    return {
        "weekday": (weekday, ""),
        "wkd": (weekday[:3], ""),
        "day": (str(day.day), "day"),
        "dd": (f"{day.day:02}", "day"),
        "nth": (f"{day.day}{SUFFIXES.get(day.day, 'th')}", "day"),
        "ordinal": (ORDINALS[day.day - 1], "day"),
        "m": (str(day.month), "month"),
        "mm": (f"{day.month:02}", "month"),
        "month": (month, "month"),
        "mon": (month[:3], "month"),
        "year": (f"{day.year:04}", "year"),
        "yy": (f"{day.year % 100:02}", "year"),
    }


def links(text: str, span: range) -> list[tuple[int, int]]:
    """Align a field with its digits in the target: digit with digit, or every letter of a name with all of them.

    Where the target has more digits, the additional ones are aligned with the first: the 0 of `03`, the 19 of `98`.
    """
    num_digits = len("".join(takewhile(str.isdigit, text)))
    if not num_digits:
        return [(at, position) for at in range(len(text)) for position in span]
    missing = len(span) - num_digits
    return [(max(rank - missing, 0), position) for rank, position in enumerate(span)]


PLUGIN = Dates
