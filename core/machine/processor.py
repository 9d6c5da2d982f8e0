"""What torch knows about the processor."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch


def processor_name() -> str:
    """The processor's name, and the instruction set that torch uses on it."""
    return f"{_capabilities().get('cpu_name', '')} {torch.backends.cpu.get_cpu_capability()}".strip()


def has_bfloat16_products() -> bool:
    """Whether it has instructions to multiply bfloat16 matrices: AMX or AVX-512 of Intel and AMD, or ARM's."""
    return any(_capabilities().get(name, False) for name in ("amx_bf16", "avx512_bf16", "bf16", "sve_bf16"))


@cache
def uses_mkl_on_amd() -> bool:
    """Whether torch multiplies by MKL on an AMD processor."""
    has_mkl: bool = torch.backends.mkl.is_available()  # type: ignore[no-untyped-call]
    return has_mkl and "AMD" in _capabilities().get("cpu_name", "")


@cache
def mkl_skips_avx512() -> bool:
    """Whether MKL does not use AVX-512 although this processor has it, because it is not Intel's."""
    return uses_mkl_on_amd() and torch.backends.cpu.get_cpu_capability() == "AVX512"


def _capabilities() -> dict[str, Any]:
    """Empty for an older torch, which does not tell."""
    return dict(getattr(torch.cpu, "get_capabilities", dict)())
