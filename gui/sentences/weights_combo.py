"""The combo box for the weights to translate with: at the playhead, current, a checkpoint, any kept step."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox

from core.history import History
from gui.sentences.typed_sentence import Weights
from gui.widgets.combo_boxes import set_items

_HELP = (
    "Which weights to translate with: those at the playhead (they follow the training while the view is live), those "
    "of this moment wherever the playhead is, a checkpoint, or any step whose weights are kept"
)
_SINGLE_STEP_HELP = (
    "The last checkpoint here is from a single step; the terminal's `--checkpoint last` is the mean of the last {:,}"
)


class WeightsCombo(QComboBox):
    """Emits `chosen` with a `Weights`; `show_history` offers what the run has kept."""

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves Space to Learn
        self.setAccessibleName("Weights")
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.setMaxVisibleItems(20)
        self.show_history(History(), "playhead")
        self.activated.connect(lambda index: self.chosen.emit(self.itemData(index)))

    @property
    def weights(self) -> Weights:
        """What is chosen."""
        return self.currentData()

    def show_history(self, history: History, chosen: Weights) -> None:
        """Offer what is kept now, and the chosen weights even if they have since been thinned out."""
        if self.view().isVisible():
            return
        self.setAccessibleDescription(_help(history))
        self.setToolTip(_help(history))
        items = _items(history)
        if all(weights != chosen for _, weights in items):
            items.append((f"step {chosen:,}" if isinstance(chosen, int) else f"{chosen} checkpoint", chosen))
        set_items(self, items)
        self.setCurrentIndex(self.findData(chosen))


def _num_averaged(history: History) -> int:
    """How many checkpoints the terminal averages for its last one; 0 or 1 if it does not."""
    return history.prepared.config.training.average_checkpoints if history.prepared is not None else 0


def _help(history: History) -> str:
    num_averaged = _num_averaged(history)
    return f"{_HELP}. {_SINGLE_STEP_HELP.format(num_averaged)}" if num_averaged > 1 else _HELP


def _items(history: History) -> list[tuple[str, Weights]]:
    items: list[tuple[str, Weights]] = [("at the playhead", "playhead"), ("now", "now")]
    if (best := max(history.best_steps, default=None)) in history.kept_steps:  # a branch lacks those of its past
        items.append((f"best checkpoint: step {best:,}", "best"))
    if history.checkpoint_steps:
        alone = " alone" if _num_averaged(history) > 1 else ""  # unlike the terminal's last, which is a mean then
        items.append((f"last checkpoint{alone}: step {max(history.checkpoint_steps):,}", "last"))
    kept = history.kept_steps[::-1]
    return items + [(f"step {step:,}", step) for step in kept]
