"""The command line of a benchmark that does all it knows, or what is named."""

from __future__ import annotations

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterable


def named(doc: str | None, what: str, known: Iterable[str]) -> list[str]:
    """Those of `known` that the command line names, or all. Of any other it says which there are, and ends."""
    known = list(known)
    parser = ArgumentParser(description=doc, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar=what, help=f"{', '.join(known)}; default: all")
    names: list[str] = parser.parse_args().names
    if unknown := [name for name in names if name not in known]:
        parser.error(f"no {what} of this benchmark: {', '.join(unknown)}; choose from {', '.join(known)}")
    return names or known
