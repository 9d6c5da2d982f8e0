"""Looks up the reference of a sentence, if the run has one."""

from __future__ import annotations

from core.history import History


def known_reference(history: History, source: str) -> str | None:
    """The reference of a sentence that the probes follow or the newest validation contains; None for any other."""
    if source in history.probes.sentences:
        probe = history.probes.newest()
        followed = probe.sentences if probe is not None else ()
        return next((one.reference for one in followed if one.source == source), None)
    validation = history.newest_validation()
    validated = validation.sentences if validation is not None else ()
    return next((one.reference for one in validated if one.source == source), None)
