"""A training step on this machine's GPU: against the GPU's peak, and against other implementations.

`python -m benchmarks.gpu [SIZE ...]` times steps of the product's own trainer in bfloat16, in turns with the textbook
and with `nn.Transformer` under torch's autocast, and prints:

- a step's milliseconds, several steps at a time, as in a run (the median of the turns);
- how long the GPU computes in a step (its kernels, by torch's profiler, once), and how long the processor takes to
  launch it (the least of three);
- the floating-point operations of the matrix products a second, and their share of the rate of one large product;
- how many times as long the others take (medians and quartiles).
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import torch
from torch.profiler import ProfilerActivity, profile

from benchmarks.chosen_names import chosen_names
from benchmarks.speed import limit
from benchmarks.speed.data import prepare, train_batches
from benchmarks.speed.ours import OURS, make_trainer
from benchmarks.speed.rival import Rival
from benchmarks.speed.rivals import NN_TRANSFORMER, TEXTBOOK
from benchmarks.speed.rounds import Contender, Entry, Seconds, fastest, ratio, spread, take_turns
from benchmarks.speed.sizes import MEDIUM, SMALL, Size
from benchmarks.speed.textbook import Textbook
from benchmarks.speed.torch_transformer import TorchTransformer
from benchmarks.speed.training_step import training
from core.training.probe_steps import is_probe_step
from core.training.trainer import Trainer

COPY_TASK = Size(
    name="copy_task", num_layers=1, d_model=64, d_ff=256, num_heads=4, vocab_size=14, batch_size=32, length=11
)
MULTI30K = Size(
    name="multi30k_en_de",
    num_layers=4,
    d_model=128,
    d_ff=256,
    num_heads=4,
    vocab_size=10_000,
    batch_size=512,
    length=16,
)
# The base model of Vaswani et al. 2017, table 3, and about their 25,000 source and 25,000 target tokens (section 5.1).
BASE = Size(
    name="base", num_layers=6, d_model=512, d_ff=2048, num_heads=8, vocab_size=37_000, batch_size=896, length=28
)
SIZES = {size.name: size for size in (COPY_TASK, SMALL, MULTI30K, MEDIUM, BASE)}
GPU = torch.device("cuda")
STEPS, ROUNDS = 10, 7  # in a turn, and turns
PEAK_ROWS = 8192

_HEADING = (
    f"{'':16}{'ms':>8}{'kernels':>9}{'launching':>11}{'tokens/s':>12}{'TFLOP/s':>9}{'of peak':>9}"
    f"   {TEXTBOOK:20}{NN_TRANSFORMER}"
)


class Measured(NamedTuple):
    """Of one size."""

    seconds: Seconds  # of STEPS steps
    kernel_seconds: float  # of a step
    launch_seconds: float

    def line(self, size: Size, peak: float) -> str:
        """The row of the table."""
        ours, *others = fastest(self.seconds).values()
        step = spread(self.seconds[ours]).median / STEPS
        rate = limit.operations(limit.of_training_step(size)) / step
        ratios = (ratio(self.seconds, other, ours) for other in others)
        return (
            f"{size.name:16}{1000 * step:8.2f}{1000 * self.kernel_seconds:9.2f}{1000 * self.launch_seconds:11.2f}"
            f"{size.batch_size * size.length / step:12,.0f}{rate / 1e12:9.1f}{rate / peak:9.1%}   "
            + "".join(f"{f'{one.median:.2f} ({one.low:.2f}–{one.high:.2f})':20}" for one in ratios)
        ).rstrip()


def measure(size: Size, folder: Path) -> Measured:
    """Time ours and the others in turns; the trainer is profiled after that."""
    data = prepare(size, folder)
    trainer = make_trainer(size, data, folder / "run", device=GPU.type, precision="bfloat16")
    batches = [batch.to(GPU) for batch in train_batches(data, size)]
    rivals: dict[str, Rival] = {TEXTBOOK: Textbook(size), NN_TRANSFORMER: TorchTransformer(size)}
    steps = _trainer_steps(trainer)
    everyone = {Entry(OURS): Contender(partial(_finished, steps), before=partial(_skip_probes, trainer, steps))}
    for name, rival in rivals.items():
        step = _repeated(training(rival.to(GPU), batches, "bfloat16"))
        everyone[Entry(name)] = Contender(partial(_finished, step))
    seconds = take_turns(everyone, rounds=ROUNDS, warm_up=3)
    launch_seconds = min(_launched(trainer, steps) for _ in range(3))
    _skip_probes(trainer, steps)
    with profile(activities=[ProfilerActivity.CUDA], acc_events=True) as profiled:
        _finished(steps)
    kernels = sum(event.self_device_time_total for event in profiled.key_averages()) / 1e6
    trainer.close()
    return Measured(seconds, kernels / STEPS, launch_seconds)


def _trainer_steps(trainer: Trainer) -> Callable[[], None]:
    run = trainer.run()

    def take() -> None:
        wanted = trainer.step + STEPS
        while trainer.step < wanted:
            next(run)

    return take


def _repeated(step: Callable[[], None]) -> Callable[[], None]:
    def take() -> None:
        for _ in range(STEPS):
            step()

    return take


def _skip_probes(trainer: Trainer, steps: Callable[[], None]) -> None:
    """Train until no probe is due in the next steps."""
    probe_every = int(trainer.config.training.probe_every)
    while any(is_probe_step(trainer.step + later, probe_every) for later in range(STEPS + 1)):
        steps()


def _finished(steps: Callable[[], None]) -> None:
    steps()
    torch.cuda.synchronize()


def _launched(trainer: Trainer, steps: Callable[[], None]) -> float:
    """Seconds until a step is launched, whenever the GPU will have done it."""
    _skip_probes(trainer, steps)
    torch.cuda.synchronize()
    started = time.perf_counter()
    steps()
    return (time.perf_counter() - started) / STEPS


def peak_rate() -> float:
    """Floating-point operations a second in one large product in bfloat16."""
    a, b = (torch.randn(PEAK_ROWS, PEAK_ROWS, device=GPU, dtype=torch.bfloat16) for _ in range(2))

    def product() -> None:
        for _ in range(STEPS):
            torch.mm(a, b)
        torch.cuda.synchronize()

    seconds = take_turns({Entry("product"): Contender(product)}, rounds=ROUNDS)[Entry("product")]
    return 2 * PEAK_ROWS**3 * STEPS / spread(seconds).median


def report(names: Iterable[str]) -> None:
    """Print a row for each size."""
    peak = peak_rate()
    print(
        f"{torch.cuda.get_device_name()}, torch {torch.__version__}; "
        f"a product of {PEAK_ROWS:,} x {PEAK_ROWS:,} numbers in bfloat16: {peak / 1e12:.0f} TFLOP/s\n\n{_HEADING}",
        flush=True,
    )
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            print(measure(SIZES[name], Path(folder)).line(SIZES[name], peak), flush=True)


def main() -> int:
    """Measure the sizes named, or all."""
    names = chosen_names(__doc__, "SIZE", SIZES)
    if not torch.cuda.is_available():
        print("This benchmark needs a GPU that torch can use (torch.cuda.is_available() is false).")
        return 2
    report(names)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
