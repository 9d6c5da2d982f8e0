"""`python -m core.processes.agent`: torchrun, loaded in half the time, since its own process computes nothing."""

from __future__ import annotations

from core.machine.garbage_collection import gc_frozen_afterwards
from core.machine.torch_import import stub_out_tracing


def main() -> None:
    stub_out_tracing()
    with gc_frozen_afterwards():
        from torch.distributed import run
    run.main()


if __name__ == "__main__":
    main()
