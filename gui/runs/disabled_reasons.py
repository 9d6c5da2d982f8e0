"""Why something cannot be done with a run of the table: one function for each action."""

from __future__ import annotations

from gui.runs.rows import RunRow

NOTHING_CHOSEN = "Choose a run in the table first"


def _why_not_readable(row: RunRow | None) -> str:
    """A sentence; empty if a run is chosen and can be read."""
    if row is None:
        return NOTHING_CHOSEN
    return f"This folder cannot be opened: {row.problem}" if row.problem else ""


def why_not_open(row: RunRow | None) -> str:
    """A sentence; empty if the run can be opened."""
    if row is None or row.problem or (row.snapshot_steps if row.is_shared else row.checkpoint_steps):
        return _why_not_readable(row)
    return "This run has no checkpoint: there are no weights to load"


def why_not_continue(row: RunRow | None) -> str:
    """A sentence; empty if the run can continue learning."""
    if row is not None and row.is_example:
        return "The example run is part of Headlight and stays as it is: open it, and Reset begins a run of your own"
    if row is not None and row.is_shared:
        return "It was shared without its optimizer: open it, or continue from one of its steps in a new run, below"
    if row is not None and row.writer is not None:
        return f"Only one process can write a run, and {row.writer} does: follow it, or end that process first"
    return why_not_open(row)


def why_not_branch(row: RunRow | None) -> str:
    """A sentence; empty if a new run can begin from a step of this one."""
    if row is not None and row.writer is not None:
        return f"{row.writer[0].upper()}{row.writer[1:]} writes this run now: wait until it ends"
    return why_not_share(row)


def why_not_share(row: RunRow | None) -> str:
    """A sentence; empty if the run can be written to one file."""
    if row is None or row.problem or row.kept_steps:
        return _why_not_readable(row)
    return "This run has kept no weights"


def why_not_follow(row: RunRow | None, engine_state: str) -> str:
    """A sentence; empty if another process writes the run and this window's own run is not learning."""
    if row is None:
        return NOTHING_CHOSEN
    if row.is_ours:
        return "This window writes the run itself: Train shows it live"
    if row.writer is None:
        return "No process writes this run now" + ("" if why_not_open(row) else ": open it instead")
    if engine_state == "learning":
        return "Your own run is learning: pause it first"
    return ""


def why_not_name(row: RunRow | None) -> str:
    """A sentence; empty if the run can be given a name and a note, also while another process trains it."""
    if row is not None and row.is_example:
        return "The example run is part of Headlight and keeps its name and note"
    return _why_not_readable(row)


def why_not_delete(row: RunRow, *, is_open: bool, is_followed: bool) -> str:
    """A sentence; empty if the run can be moved to the trash. `is_open`: this window has it open."""
    if row.is_example:
        return "The example run is part of Headlight and stays"
    if row.writer is not None:
        return f"{row.writer[0].upper()}{row.writer[1:]} writes this run now: end it first"
    if row.is_ours or is_open:
        return "This run is open in this window: open another, or Reset, first"
    if is_followed:
        return "This window follows this run: stop following it first"
    return ""
