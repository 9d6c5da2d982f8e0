"""Reads the metrics of a run as they are appended, perhaps by another process."""

from __future__ import annotations

from core.run_files.metrics_file import MetricsRecords
from core.run_folder import RunFolder


class MetricsTail:
    """How far metrics.jsonl was read. If another or a shorter file is in its place, the run was cut back."""

    def __init__(self) -> None:
        self.position = (0, 0)  # the file's number, and the offset after the last line that was read

    def was_rewritten(self, folder: RunFolder) -> bool:
        """Whether what was read no longer holds. The caller then forgets it, and begins with a new tail."""
        known, end = self.position
        file, size = folder.metrics_file.inode_and_size()
        return bool(known) and (file != known or size < end)

    def read(self, folder: RunFolder) -> MetricsRecords:
        """The records appended since the last time. Raises UserError, naming the file, if it is damaged."""
        file, _ = folder.metrics_file.inode_and_size()
        records = folder.metrics_file.read(self.position[1])
        self.position = file, records.end
        return records
