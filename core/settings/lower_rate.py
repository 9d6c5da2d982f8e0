"""The setting that scales the learning rate, and the value with which a diverged run goes on: a tenth of it."""

from core.config import TrainingConfig


def rate_setting(training: TrainingConfig) -> tuple[str, float]:
    """The setting that scales the rate of this schedule, and its value."""
    if training.schedule.name == "noam":
        return "training.schedule.factor", training.schedule.factor
    return "training.optimizer.learning_rate", training.optimizer.learning_rate


def lower_rate(training: TrainingConfig) -> tuple[str, float]:
    """The setting that scales the rate, and a tenth of its value."""
    key, value = rate_setting(training)
    return key, float(f"{value / 10:.6g}")
