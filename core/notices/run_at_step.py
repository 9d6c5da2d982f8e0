"""A step of a run as the rules see it: the metrics up to there, and the step's validation and probe."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.events import Prepared, ValidatedSentence
from core.notices.readable_run import ReadableRun
from core.probes import Probe

Trigger = Literal["probe", "validation"]

SMOOTHED_OVER = 20
"""How many steps a mean loss is over: at the presets' batch sizes it wanders by a few hundredths of a nat."""

_MIN_STEPS = 30
_SHARE_OF_STEPS = 0.1


class RunAtStep:
    """What is known at `step` of a prepared run, however long ago that step was.

    A probe comes before the validation of its step.
    """

    def __init__(self, run: ReadableRun, prepared: Prepared, step: int, trigger: Trigger) -> None:
        self.step = step
        self.config = run.config_at(step)  # of then: a run that is prolonged keeps its notices
        self.prepared = prepared
        self._run = run
        self._validated_until = step if trigger == "validation" else step - 1

    @property
    def is_past_the_start(self) -> bool:
        """Whether the run is past its start, when every run looks faulty.

        An untrained model writes the same for every source and reads evenly from everywhere, and a warm-up keeps it so
        for a while. All presets have found the source by a tenth of their steps.
        """
        training = self.config.training
        return self.step > max(_MIN_STEPS, training.schedule.warmup_steps, _SHARE_OF_STEPS * training.max_steps)

    @property
    def guessing_loss(self) -> float:
        """The loss, in nats per token, of a model to which all target tokens are equally likely."""
        return float(np.log(len(self.prepared.tgt_tokens)))

    @property
    def loss_floor(self) -> float | None:
        """The lowest loss that is possible, if the plugin knows it."""
        return self.prepared.limits.get("valid/loss")

    def losses(self) -> NDArray[np.float64]:
        """[N] mean training losses of `SMOOTHED_OVER` steps each, counted back from this step; the newest last."""
        steps, losses = self._run.curve("train/loss")
        past = losses[: np.searchsorted(steps, self.step, side="right")]
        complete = past[len(past) % SMOOTHED_OVER :]
        means: NDArray[np.float64] = complete.reshape(-1, SMOOTHED_OVER).mean(axis=1)
        return means

    def rates(self) -> NDArray[np.float64]:
        """[N] learning rates of the last `SMOOTHED_OVER` steps."""
        steps, rates = self._run.curve("train/learning_rate")
        return rates[: np.searchsorted(steps, self.step, side="right")][-SMOOTHED_OVER:]

    def metric(self, name: str) -> float | None:
        """A metric of the newest validation up to here."""
        return self._run.value(f"valid/{name}", self._validated_until)

    def sentences(self) -> tuple[ValidatedSentence, ...]:
        """The sentences of the validation at this step. Raises UserError if they were thinned out."""
        return self._run.validation(self.step).sentences

    def probe(self) -> Probe:
        """The probe of this step."""
        probe = self._run.probes.at(self.step)
        assert probe is not None  # rules look only at probed steps
        return probe
