"""Loads torch in four fifths of the time, in processes of Headlight's own."""

from __future__ import annotations

import sys
from types import ModuleType

TRACING_MODULE = "torch._meta_registrations"
"""The module for operations on tensors that have a shape and no values; it imports all of `torch._refs` and
`torch._decomp`.

Only torch's tracers and compilers need it, and Headlight uses none of them (0.27 of 1.37 s of processor time).
"""


def stub_out_tracing() -> None:
    """Called only by entry points, since whoever imports `core` may want to trace. Does nothing if torch is loaded."""
    sys.modules.setdefault(TRACING_MODULE, ModuleType(TRACING_MODULE))
