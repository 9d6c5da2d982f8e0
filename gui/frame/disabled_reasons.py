"""Why a button of the transport cannot be clicked: one function for each."""

from __future__ import annotations

from gui.bridge import WindowState
from gui.context import NOTHING_PREPARED, Context
from gui.runs.rows import EXAMPLE_IS_READ_ONLY
from gui.workbench import MORE_STEPS

ENGINE_ENDED = (
    "Headlight has stopped computing after an internal error: close it and start it again; what was saved is safe"
)
CAN_LEARN: tuple[WindowState, ...] = ("ready", "learning", "paused", "finished")


def why_not_learn(context: Context) -> str:
    """A sentence; empty if the run can learn, or pause."""
    state, workbench = context.bridge.state, context.workbench
    if context.bridge.engine.is_closed:
        return ENGINE_ENDED
    if watching := context.follower.status_reason:
        return f"{watching}: stop following it in Runs to learn here again"
    if workbench.is_example:
        return EXAMPLE_IS_READ_ONLY
    if workbench.is_shared:
        return "A shared run has no optimizer state to continue with: “Continue from …” begins a run of your own"
    if state == "failed":
        return "This run cannot continue; Reset begins another"
    if state == "empty":
        return NOTHING_PREPARED
    return "" if state in CAN_LEARN else "Data and model are not ready yet"


def why_not_step(context: Context) -> str:
    """A sentence; empty if the run can take some steps and pause."""
    counted = {
        "learning": "Pause first: these steps are counted from a pause",
        "finished": f"The run is finished: {MORE_STEPS:,} more continues it, Reset begins another",
    }
    return why_not_learn(context) or counted.get(context.bridge.state, "")


def why_not_reset(context: Context) -> str:
    """A sentence; empty if there is something to go back to."""
    if context.bridge.engine.is_closed:
        return ENGINE_ENDED
    return "" if context.workbench.draft is not None else "Nothing to reset yet: data are being prepared"


def why_not_finish(context: Context) -> str:
    """A sentence; empty if there is a run that can end here."""
    if context.workbench.run is None:
        return "There is no run to finish yet: Learn begins one"
    return why_not_learn(context) if context.bridge.state in ("learning", "paused") else "This run is already kept"
