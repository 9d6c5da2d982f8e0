"""At which steps the model is probed: densely where it learns fastest, then evenly."""


def is_probe_step(step: int, probe_every: int) -> bool:
    """Whether to probe a step: 0 1 2 3 5 8 13 ... until the next gap would reach probe_every, then its multiples."""
    here, ahead = 0, 1
    while ahead - here < probe_every:
        if step <= here:
            return step == here
        here, ahead = _next(here, ahead)
    return step == here or (step > here and step % probe_every == 0)


def _next(here: int, ahead: int) -> tuple[int, int]:
    """The Fibonacci numbers from 0 1 2 on: each is the sum of the two before it."""
    return ahead, max(2, here + ahead)


def is_snapshot_step(step: int, newest: int | None, room: int) -> bool:
    """Whether to keep the weights at a probe step, `newest` being the last kept and `room` how many fit the budget.

    A snapshot whose step is less than 1 + 1 / room times the newest's would soon be thinned out, and writing a large
    one is slow.
    """
    if room == 0:
        return False
    return newest is None or newest >= step or (step + 1) >= (newest + 1) * (1 + 1 / room)
