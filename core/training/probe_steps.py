"""At which steps the model is probed: densely where it learns fastest, then evenly."""


def is_probe_step(step: int, probe_every: int) -> bool:
    """0 1 2 3 5 8 13 ... until the next gap would reach probe_every, from then on its multiples."""
    here, ahead = 0, 1
    while ahead - here < probe_every:
        if step <= here:
            return step == here
        here, ahead = _next(here, ahead)
    return step == here or (step > here and step % probe_every == 0)


def _next(here: int, ahead: int) -> tuple[int, int]:
    """Fibonacci's numbers from 0 1 2 on: each is the sum of the two before it."""
    return ahead, max(2, here + ahead)
