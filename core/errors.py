"""The exception for what a user can put right, and its kinds."""

from typing import Literal

Offer = Literal["", "another_folder", "lower_rate"]  # what the window can do about it, with one button


class UserError(Exception):
    """Something the user asked for cannot be done. Says what, where, and what to do about it.

    The command line prints `str(error)` as one line and exits 2; the window shows it in its status strip.
    """

    offer: Offer = ""
    until_prepared = False  # whether it no longer matters once something is prepared again

    def __init__(self, sentence: str, advice: str = "") -> None:
        self.sentence = sentence
        self.advice = advice
        super().__init__(f"{sentence} {advice}".strip())


class NothingPrepared(UserError):
    """A request needs data and a model that are not prepared yet."""

    until_prepared = True

    def __init__(self) -> None:
        super().__init__("Nothing is prepared yet.", "Choose a preset or open a run first.")


class RunGone(UserError):
    """The current run cannot go on: its folder is gone, or another run is in it."""

    until_prepared = True


class WorkAborted(UserError):
    """Work under way cannot go on. Listeners got a Trouble; this is for whoever asked for the work."""


class RunNotWritable(UserError):
    """A run's folder is full, read-only, gone, or may not be written; another may do."""

    offer: Offer = "another_folder"
    until_prepared = True  # the offer is for the current run
