"""Loading torch in a process of Headlight's own, in four fifths of the time."""

from __future__ import annotations

import sys
from types import ModuleType

TRACING = "torch._meta_registrations"
"""How operations act on tensors that have a shape and no values, and all of `torch._refs` and `torch._decomp` with it.

Only torch's tracers and compilers ask for it, and Headlight uses none of them (0.27 of 1.37 s of processor time).
"""


def leave_out_tracing() -> None:
    """Called by entry points alone: whoever imports `core` may want to trace. Where torch is loaded it stays whole."""
    sys.modules.setdefault(TRACING, ModuleType(TRACING))
