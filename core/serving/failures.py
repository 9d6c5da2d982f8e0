"""What an error means for the current run: the words a user reads, and the reason that the run records."""

from __future__ import annotations

from pathlib import Path

from core.errors import UserError
from core.events import FinishReason
from core.faults import as_run_not_writable
from core.machine.resource_errors import OUT_OF_MEMORY_SENTENCE, as_shortage_error
from core.plugins_host.errors import PluginError
from core.serving.current_run import CurrentRun
from core.training.distributed import ProcessLost
from core.training.memory import is_out_of_memory
from core.training.trouble import out_of_memory_error

OUT_OF_MEMORY = UserError(OUT_OF_MEMORY_SENTENCE, "Make model or data smaller, or close other programs.")


def as_user_error(error: Exception, run: CurrentRun | None) -> Exception:
    """The error, as a UserError where it is no bug of ours: a lack of memory, processes or files, a folder that cannot
    be written.
    """
    if is_out_of_memory(error):
        return OUT_OF_MEMORY if run is None else out_of_memory_error(run.config, run.trainer.data)
    if shortage := as_shortage_error(error):
        return shortage
    folder = run.folder.path if run is not None and run.folder is not None else None
    if folder is not None and isinstance(error, OSError) and _may_be_about(folder, error):
        return as_run_not_writable(error, folder)
    return error


def _may_be_about(folder: Path, error: OSError) -> bool:
    """False only for an error that names a file elsewhere; one of a full disk names none."""
    return error.filename is None or Path(error.filename).is_relative_to(folder)


def finish_reason(error: Exception) -> FinishReason | None:
    """The reason to record for a run that this error interrupted; None if there is none to record."""
    if isinstance(error, OSError):
        return "disk"
    if isinstance(error, PluginError):
        return "plugin"
    if isinstance(error, ProcessLost):
        return "process"
    if is_out_of_memory(error):
        return "memory"
    return None if isinstance(error, UserError) else "fault"
