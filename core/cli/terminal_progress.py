"""Progress on standard error: what is being prepared, a bar with loss and speed, a line for each validation."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any, Never, TextIO

from tqdm import tqdm

from core.cli.one_line import one_line
from core.events import Event, Prepared, Progress, RunStarted, SettingChanged, StepsDone, Trouble, ValidationDone
from core.user_input.quoting import format_value

tqdm.monitor_interval = 0  # no monitor thread beside the engine's
tqdm.set_lock(RLock())  # its own is for several processes: on Python 3.14, making it starts one
_HIDDEN_METRICS = ("valid/perplexity", "valid/chrf")  # they say the same as valid/loss and valid/bleu
_FORMAT_WITHOUT_SPEED = "{desc}: {n_fmt} [{elapsed}]"
_FORMAT_WITHOUT_COUNT = "{desc} [{elapsed}]"
# tqdm's own, but always in steps/s: it turns slow speeds around, into "2.15s/ steps".
_FORMAT = "{l_bar}{bar}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}, {rate_noinv_fmt}{postfix}]"


class TerminalProgress:
    """A listener that shows the events of a training, or of opening a run, on the terminal.

    Until the run has begun nothing stays on the screen, so that bad input gives a single line: notes and warnings wait
    until then, or until `show_pending`.
    """

    def __init__(self) -> None:
        self._max_steps = 0
        self._pending = dict[str, bool]()  # line -> whether it was shown: several runs may give the same line
        self._description = ""
        self._stage_bar: tqdm[Never] | None = None
        self._steps_bar: tqdm[Never] | None = None

    def __call__(self, event: Event) -> None:
        """Show one event."""
        match event:
            case Progress() if self._steps_bar is None and sys.stderr.isatty():
                self._show_stage(event)
            case Prepared():
                self.close()  # what a verb shows of its own comes next
                self._description = "\n".join(
                    filter(None, [_prepared_line(event), *_left_out_lines(event), event.picked])
                )
                self._max_steps = event.config.training.max_steps
            case RunStarted():
                self._start_steps_bar(event)
            case StepsDone() if self._steps_bar is not None:
                self._advance(self._steps_bar, event)
            case ValidationDone():
                self._print(_validation_line(event))
            case SettingChanged():
                self._print(f"step {event.step}: {event.key} = {format_value(event.value)} from here on")
            case Trouble():
                self._print_or_defer(f"{event.sentence} {event.advice}".strip())

    def show_pending(self) -> None:
        """Show the lines that have waited. Call it when nothing can be refused any more."""
        for line, is_shown in self._pending.items():
            if not is_shown:
                self._print(line)
        self._pending = dict.fromkeys(self._pending, True)

    def close(self) -> None:
        """Close the bars; what is printed next starts on a line of its own."""
        for bar in (self._stage_bar, self._steps_bar):
            if bar is not None:
                bar.close()
        self._stage_bar = None

    def _show_stage(self, progress: Progress) -> None:
        if self._stage_bar is None or self._stage_bar.desc != progress.stage:
            self.close()
            self._stage_bar = tqdm(desc=progress.stage, file=sys.stderr, leave=False, unit="", unit_scale=True)
        # Unchanged while subwords are learned, say: the time shows that it goes on.
        is_unchanged = progress.done == self._stage_bar.n
        self._stage_bar.total = progress.total
        unchanged_format = _FORMAT_WITHOUT_SPEED if progress.done else _FORMAT_WITHOUT_COUNT
        self._stage_bar.bar_format = unchanged_format if is_unchanged else None
        self._stage_bar.update(progress.done - self._stage_bar.n)
        if is_unchanged:
            self._stage_bar.refresh()
        if progress.done == progress.total:
            self.close()  # what a verb shows of its own comes next

    def _start_steps_bar(self, started: RunStarted) -> None:
        self.close()
        self.show_pending()
        self._print(self._description)
        self._print(f"run {started.run}")
        if started.step >= self._max_steps:
            self._print(
                f"nothing is left to train: the run is at step {started.step:,}, and training.max_steps is "
                f"{self._max_steps:,}. To continue, set it higher: --set training.max_steps=N"
            )
        self._steps_bar = _bar(total=self._max_steps, initial=started.step, unit=" steps")

    def _advance(self, bar: tqdm[Never], done: StepsDone) -> None:
        arrays = done.arrays
        speed = arrays["train/target_tokens_per_second"][-1]
        bar.set_postfix_str(f"loss {arrays['train/loss'][-1]:.3f}, {speed:,.0f} tok/s", refresh=False)
        bar.update(len(arrays["train/loss"]))

    def _print_or_defer(self, line: str) -> None:
        if self._steps_bar is None:
            self._pending.setdefault(line, False)
        else:
            self._print(line)

    def _print(self, line: str) -> None:
        tqdm.write(line, file=sys.stderr)


@contextmanager
def texts_bar(num_texts: int, *, shown: bool) -> Iterator[tqdm[Never]]:
    """A bar with the number of texts translated and the time left. If the block raises, the bar is removed."""
    with _bar(total=num_texts, unit=" texts", disable=not shown) as bar:
        try:
            yield bar
        except BaseException:
            bar.leave = False
            raise


def _bar(**options: Any) -> tqdm[Never]:
    # few lines in a log file
    stream, interval = (sys.stderr, 0.1) if sys.stderr.isatty() else (_LineWriter(sys.stderr), 10.0)
    return tqdm(file=stream, mininterval=interval, dynamic_ncols=True, bar_format=_FORMAT, **options)


class _LineWriter:
    """Writes each state of a bar as a line of its own, for streams such as log files that cannot be overwritten."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        if state := text.strip():
            self._stream.write(f"{state}\n")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _prepared_line(prepared: Prepared) -> str:
    count = prepared.num_pairs["train"]
    pairs = "endless pairs" if count is None else "1 pair" if count == 1 else f"{count:,} pairs"
    return (
        f"{one_line(prepared.config.name)}: {prepared.num_parameters:,} parameters, "
        f"{len(prepared.src_tokens):,} source and {len(prepared.tgt_tokens):,} target tokens, "
        f"{pairs} to train on"
    )


def _left_out_lines(prepared: Prepared) -> Iterator[str]:
    """How many pairs of each split are too long for the run, and how many the plugin's options leave out."""
    dataset, drawn = prepared.config.dataset, dict(prepared.num_pairs)
    limits = f"dataset.max_src_length = {dataset.max_src_length} or dataset.max_tgt_length = {dataset.max_tgt_length}"
    for why, left_out in (
        (f"longer than {limits}", prepared.left_out),
        (f"by options of {dataset.plugin}", prepared.plugin_left_out),
    ):
        counts = [_count_text(count, drawn[split], split) for split, count in left_out.items() if count]
        if counts:
            yield f"left out, {why}: {', '.join(counts)}"
        drawn = {split: own if own is None else own + left_out.get(split, 0) for split, own in drawn.items()}


def _count_text(count: int, num_pairs: int | None, split: str) -> str:
    """`num_pairs` is the number of pairs that are not left out; None if they are endless."""
    if num_pairs is None:
        return f"{count:,} of the first shard of {split} pairs"
    return f"{count:,} of {count + num_pairs:,} {split} pairs"


def _validation_line(done: ValidationDone) -> str:
    shown = {name: value for name, value in done.metrics.items() if name not in _HIDDEN_METRICS}  # a plugin's own too
    figures = [f"{name.removeprefix('valid/')} {value:.4g}" for name, value in shown.items()]
    return f"step {done.step}: {', '.join(figures)}{'  * best' if done.is_best else ''}"
