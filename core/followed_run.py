"""A run that another process writes, as this one can know it: what that process's engine said when it prepared it."""

from __future__ import annotations

from core.data.prepared_data import PreparedData
from core.history import History
from core.prepared import prepared_of
from core.run_folder import RunFolder


def read_followed(folder: RunFolder) -> History:
    """The history of a run, and its `prepared`, with the settings changed until now.

    Raises UserError that names a damaged file.
    """
    history = History.read(folder)
    data = PreparedData.from_document(folder.vocabulary(), folder.subword_models())
    history.prepared = prepared_of(folder.config(), folder.latest_config(), data, folder.path)
    return history
