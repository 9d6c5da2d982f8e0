"""How the table of compared runs names its rows and writes their values: like the table of runs above it."""

from __future__ import annotations

from core.comparison.records import format_value
from core.settings.fields import run_settings
from gui.panels.learning.metric_labels import format_metric, metric_label
from gui.runs.comparison import MeanAndDeviation

_WORDS = {  # name -> (title, meaning)
    "state": ("state", "Whether it is learning, paused, interrupted or finished"),
    "last_step": ("newest checkpoint", "Its step, from which the run continues"),
    "best_step": ("best step", "The step of the best validation; the figures below are from it"),
    "valid_sentences": (
        "sentences validated",
        "How many sentences loss, perplexity and token accuracy are measured on",
    ),
    "decoded_sentences": (
        "sentences decoded",
        "How many sentences, the first ones, BLEU and everything else about outputs is measured on",
    ),
}


def title_and_meaning(name: str) -> tuple[str, str]:
    """Of the row of this name in the terminal. A setting keeps its key; its meaning repeats it: it may be cut."""
    if _is_metric(name):
        title, _, meaning = metric_label(name)
        return title, meaning
    if (setting := run_settings().get(name)) is not None:
        return name, f"{name}: {setting.help}"
    return _WORDS.get(name, (name, name))


def value_text(name: str, value: object) -> str:
    """The text of a value in this row; of a mean, with its deviation."""
    if isinstance(value, MeanAndDeviation):
        return _with_deviation(name, *value)
    if isinstance(value, float) and _is_metric(name):
        return format_metric(name, value)
    is_count = isinstance(value, int) and not isinstance(value, bool) and not name.endswith("seed")
    return f"{value:,}" if is_count else format_value(value)


def _with_deviation(name: str, mean: object, deviation: object) -> str:
    """Mean ± deviation, with the unit once; the deviation has two figures, since more would mean nothing."""
    if not isinstance(deviation, float):
        return value_text(name, mean)
    number, space, unit = value_text(name, mean).partition(" ")
    return f"{number} ± {format_metric(name, deviation, 2).partition(' ')[0]}{space}{unit}"


def _is_metric(name: str) -> bool:
    return name.startswith("valid/")
