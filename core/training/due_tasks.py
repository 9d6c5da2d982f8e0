"""What is due at a step besides training, each once."""

from __future__ import annotations

from core.config import TrainingConfig
from core.training.probe_steps import is_probe_step
from core.training.resolve import resolve_probe_every


class DueTasks:
    """Remembers the step of the last probe, validation and checkpoint; one that was interrupted is still due."""

    def __init__(self) -> None:
        self.done_at = {"probe": -1, "validation": 0, "checkpoint": -1}  # the untrained model is not validated

    def pending(self, step: int, training: TrainingConfig, best_step: int | None) -> list[str]:
        """What is due at this step and not done yet, in the order it is to be done."""
        at_this_step = {
            "probe": is_probe_step(step, resolve_probe_every(training)),
            "validation": step % training.validate_every == 0 or step == training.max_steps,
            "checkpoint": step % training.checkpoint_every == 0 or step == best_step,
        }
        return [what for what, is_due in at_this_step.items() if is_due and self.done_at[what] != step]
