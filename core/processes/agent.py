"""`python -m core.processes.agent`: torchrun, loaded in half the time, since its own process computes nothing."""

from __future__ import annotations

from core.machine.garbage import imported_for_good
from core.machine.loading_torch import leave_out_tracing


def main() -> None:
    leave_out_tracing()
    with imported_for_good():
        from torch.distributed import run
    run.main()


if __name__ == "__main__":
    main()
