"""What a run that diverged goes on with: a tenth of its learning rate."""

from core.config import TrainingConfig


def lower_rate(training: TrainingConfig) -> tuple[str, float]:
    """The setting that scales the rate of this schedule, and a tenth of its value."""
    if training.schedule.name == "noam":
        return "training.schedule.factor", _tenth(training.schedule.factor)
    return "training.optimizer.learning_rate", _tenth(training.optimizer.learning_rate)


def _tenth(value: float) -> float:
    return float(f"{value / 10:.6g}")
