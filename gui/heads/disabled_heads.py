"""Which attention heads the user has switched off, to see what the model does without them."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from core.answers.head_ablation import HeadId
from gui.bridge import EngineBridge

_NOT_HERE = "Heads can be switched off only in this window's own model: stop following the other run in Runs first"


class DisabledHeads(QObject):
    """The heads that are off. The run itself is not changed; another model begins with all heads on.

    They belong to this window's own model: while another run is followed, none of the shown heads is off.
    """

    changed = Signal()  # `heads` has changed

    def __init__(self, bridge: EngineBridge) -> None:
        super().__init__()
        self._bridge = bridge
        self._own: frozenset[HeadId] = frozenset()
        self._emitted = self._own
        bridge.prepared.connect(self.enable_all)
        bridge.shown_changed.connect(self._emit_if_changed)

    @property
    def unavailable_reason(self) -> str:
        """Why the shown heads cannot be switched, and what to do; empty if they can."""
        return _NOT_HERE if self._bridge.followed is not None else ""

    @property
    def heads(self) -> frozenset[HeadId]:
        """The heads of the shown model that are off."""
        return frozenset() if self.unavailable_reason else self._own

    def toggle(self, head: HeadId) -> None:
        """Switch one head off, or on again."""
        self._set_heads(self._own ^ {head})

    def disable(self, heads: Iterable[HeadId]) -> None:
        """Switch these off too."""
        self._set_heads(self._own.union(heads))

    def enable_all(self) -> None:
        """Switch all heads on again."""
        self._set_heads(frozenset())

    def _set_heads(self, heads: frozenset[HeadId]) -> None:
        self._own = heads
        self._emit_if_changed()

    def _emit_if_changed(self) -> None:
        if self.heads != self._emitted:
            self._emitted = self.heads
            self.changed.emit()
