"""The command line of a benchmark that runs all its parts, or those that are named."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from collections.abc import Callable, Collection, Iterable


def chosen_names(doc: str | None, what: str, known: Iterable[str]) -> list[str]:
    """The names on the command line, or all that are `known`. For an unknown name, prints what there is, and exits."""
    parser = ArgumentParser(description=doc, formatter_class=RawDescriptionHelpFormatter)
    add_names(parser, what, known)
    names: list[str] = parser.parse_args().names
    return names


def add_names(parser: ArgumentParser, what: str, known: Iterable[str]) -> None:
    """Add the argument `names`, for a benchmark that has options too."""
    known = list(known)
    help_text = f"{', '.join(known)}; default: all"
    parser.add_argument("names", nargs="*", type=one_of(known), default=known, metavar=what, help=help_text)


def one_of(known: Collection[str]) -> Callable[[str], str]:
    """The type of an argument that is one of these names."""

    def known_name(name: str) -> str:
        if name not in known:
            raise ArgumentTypeError(f"{name}; choose from {', '.join(known)}")
        return name

    return known_name
