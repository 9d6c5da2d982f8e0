"""The right answer to a sentence, where the run knows it."""

from __future__ import annotations

from core.history import History


def known_reference(history: History, source: str) -> str | None:
    """The reference of a sentence that the run follows, or that its last validation had; None for any other."""
    probe, validation = history.probe(history.last_step), history.newest_validation()
    followed = {one.source: one.reference for one in probe.sentences} if probe is not None else {}
    if source in followed:
        return followed[source]
    validated = validation.sentences if validation is not None else ()
    return next((one.reference for one in validated if one.source == source), None)
