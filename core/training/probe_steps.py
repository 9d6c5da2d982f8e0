"""At which steps the model is probed: densely where it learns fastest, then evenly."""

_DENSE_UNTIL = 13
"""A short run is probed densely until this step, however soon its even steps begin."""


def is_probe_step(step: int, probe_every: int) -> bool:
    """Whether to probe a step: at the multiples of `probe_every`, and at 1 2 3 5 8 13 ... up to the first of them."""
    is_early = step <= max(_DENSE_UNTIL, probe_every)
    return step % probe_every == 0 or (is_early and _is_fibonacci(step))


def _is_fibonacci(step: int) -> bool:
    current, following = 1, 2
    while current < step:
        current, following = following, current + following
    return current == step


def is_snapshot_step(step: int, newest: int | None, max_snapshots: int) -> bool:
    """Whether to keep the weights at a probe step; `newest` is the last one kept, and `max_snapshots` fit the budget.

    A snapshot whose step is less than 1 + 1 / max_snapshots times the newest's would soon be thinned out, and writing a
    large one is slow.
    """
    if max_snapshots == 0:
        return False
    return newest is None or newest >= step or (step + 1) >= (newest + 1) * (1 + 1 / max_snapshots)
