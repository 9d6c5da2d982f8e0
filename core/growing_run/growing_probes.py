"""The probes of a run that grows: which there are, and the last of them in memory."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress

from core.analysis.alignment import AlignmentScores
from core.errors import UserError
from core.growing_run.kept_files import newest_undamaged, require_folder
from core.growing_run.recent_cache import RecentCache
from core.probes import Probe
from core.run_folder import RunFolder

PROBES_IN_MEMORY = 48


class GrowingProbes:
    """Those that are stored are read from the run's folder; all others stay in memory. Each is scored once."""

    def __init__(self) -> None:
        self.steps: list[int] = []  # ascending
        self.alignment = AlignmentScores()
        self._folder: RunFolder | None = None
        self._recent: RecentCache[Probe] = RecentCache(PROBES_IN_MEMORY)
        self._unstored: dict[int, Probe] = {}  # which cannot be read again
        self._newest_made: Probe | None = None
        self._modified_at = 0

    # -- reading -----------------------------------------------------------------------------------------------------

    def at(self, step: int) -> Probe | None:
        """The newest probe at or before `step`; None if there is none yet."""
        index = bisect_right(self.steps, step)
        if index and not self._is_there(self.steps[index - 1]):
            index = self._drop_removed(index)
        if not index:
            return None
        nearest = self.steps[index - 1]
        return self._in_memory(nearest) or self._read(nearest)

    def newest(self) -> Probe | None:
        """The newest probe that can be read; None if there is none."""
        return newest_undamaged(self.steps, self.at)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The source texts that probes now follow; earlier probes may lack one that was added later."""
        newest = self._newest_made or self.newest()
        return tuple(one.source for one in newest.sentences) if newest is not None else ()

    def score_unread(self) -> Iterator[None]:
        """Read those that are not scored yet; yields after each."""
        unread = self.alignment.unread
        while unread:
            with suppress(UserError):  # a damaged probe is reported where it is drawn; the others count
                self.at(unread.popleft())
            yield

    def _is_there(self, step: int) -> bool:
        return self._in_memory(step) is not None or require_folder(self._folder).has_probe(step)

    def _in_memory(self, step: int) -> Probe | None:
        return self._unstored.get(step) or self._recent.get(step)

    def _read(self, step: int) -> Probe:
        """Read a probe and score it, so that a drawn probe is scored even before `score_unread` gets to it."""
        probe = self._recent.put(step, require_folder(self._folder).probe(step))
        if not self.alignment.has_step(step):
            self.alignment.add(probe)
        return probe

    def _drop_removed(self, index: int) -> int:
        """Drop the last probes before this index that were cut off as the run went on (RunStarted follows).

        Returns the index after those that are left.
        """
        stored, end = set(require_folder(self._folder).probe_steps()), index
        while index and not (self.steps[index - 1] in stored or self._in_memory(self.steps[index - 1])):
            index -= 1
        del self.steps[index:end]
        return index

    # -- growing -----------------------------------------------------------------------------------------------------

    def add(self, probe: Probe, *, is_stored: bool) -> None:
        """Add a probe just made, in place of an earlier one of its step."""
        self._newest_made = probe
        self.alignment.add(probe)
        self._unstored.pop(probe.step, None)
        if probe.step not in self.steps:
            self.steps.insert(bisect_right(self.steps, probe.step), probe.step)
        if is_stored:
            self._recent.put(probe.step, probe)
        else:
            self._unstored[probe.step] = probe

    def continue_in(self, folder: RunFolder, step: int) -> None:
        """Go on in this folder from `step`, and forget what came after it."""
        self._folder = folder
        self.steps = [known for known in self.steps if known <= step]
        self.alignment.truncate_after(step)

    def list_stored(self, folder: RunFolder, modified_at: int) -> None:
        """List the probes in this folder; `modified_at` shows that one was written again, with more sentences."""
        self._folder, stored = folder, folder.probe_steps()
        if stored != self.steps or modified_at != self._modified_at:
            self._recent.clear()
        self.alignment.unread.extend(sorted(set(stored) - set(self.steps)))
        self.steps, self._modified_at = stored, modified_at
