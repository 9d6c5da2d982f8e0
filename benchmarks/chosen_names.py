"""The command line of a benchmark that runs all its parts, or those that are named."""

from __future__ import annotations

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterable


def chosen_names(doc: str | None, what: str, known: Iterable[str]) -> list[str]:
    """The names on the command line, or all that are `known`. For an unknown name, prints what there is, and exits."""
    known = list(known)
    parser = ArgumentParser(description=doc, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar=what, help=f"{', '.join(known)}; default: all")
    names: list[str] = parser.parse_args().names
    if unknown := [name for name in names if name not in known]:
        parser.error(f"no {what} of this benchmark: {', '.join(unknown)}; choose from {', '.join(known)}")
    return names or known
