"""The metrics of a run that another process may be writing, read as they are appended."""

from __future__ import annotations

from core.run_files import metrics_file
from core.run_folder import RunFolder


class MetricsTail:
    """How far metrics.jsonl was read. Another file in its place, or a shorter one, is a run that was cut back."""

    def __init__(self) -> None:
        self.place = (0, 0)  # the file's number, and the place after the last line that was read

    def was_rewritten(self, folder: RunFolder) -> bool:
        """Whether what was read is no longer so. Whoever asks forgets it, and begins with a new tail."""
        known, end = self.place
        file, size = metrics_file.file_and_size(folder.path / "metrics.jsonl")
        return bool(known) and (file != known or size < end)

    def read(self, folder: RunFolder) -> metrics_file.MetricsRecords:
        """What was appended since the last time. Raises UserError that names a damaged file."""
        file, _ = metrics_file.file_and_size(folder.path / "metrics.jsonl")
        records = folder.read_metrics(self.place[1])
        self.place = file, records.end
        return records
