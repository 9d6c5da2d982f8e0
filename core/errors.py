"""The one exception for what a user can mend."""

from typing import Literal

Offer = Literal["", "another_folder", "lower_rate"]  # what the window can do about a trouble, with one button


class UserError(Exception):
    """Something the user asked for cannot be done; says what, where, and what to do about it.

    The command line prints `str(error)` as one line and exits 2; the window shows it in its strip.
    """

    offer: Offer = ""
    until_prepared = False  # whether it says nothing any more once something is prepared again

    def __init__(self, sentence: str, advice: str = "") -> None:
        self.sentence = sentence
        self.advice = advice
        super().__init__(f"{sentence} {advice}".strip())


class NothingPrepared(UserError):
    """Something was asked of data and a model that are not there yet."""

    until_prepared = True

    def __init__(self) -> None:
        super().__init__("Nothing is prepared yet.", "Choose a preset or open a run first.")


class BrokenOff(UserError):
    """Work that was under way cannot go on. Whoever watches was told by a Trouble; this tells the one who asked."""


class NotWritten(UserError):
    """A run's place is full, read-only, gone, or may not be written; another may do."""

    offer: Offer = "another_folder"
    until_prepared = True  # it is offered for the run at hand
