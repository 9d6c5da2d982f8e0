"""Reads a run that another process writes, with what that process's engine emitted when it prepared the run."""

from __future__ import annotations

from core.data.prepared_data import PreparedData
from core.history import History
from core.prepared import prepared_event
from core.run_folder import RunFolder


def read_followed_run(folder: RunFolder) -> History:
    """The history of a run, and its `prepared`, with all settings changed so far.

    Raises UserError, naming the file, if one is damaged.
    """
    history = History.read(folder)
    data = PreparedData.from_document(folder.vocabulary(), folder.subword_models())
    history.prepared = prepared_event(folder.config(), folder.latest_config(), data, folder.path)
    return history
