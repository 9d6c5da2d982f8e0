"""Formats a share as people read it: `58 %`."""

from __future__ import annotations


def per_cent(share: float, decimals: int = 0) -> str:
    """A share of 1 as per cent, with so many decimals: `58 %`, `99.4 %`."""
    return f"{100 * share:.{decimals}f} %"
