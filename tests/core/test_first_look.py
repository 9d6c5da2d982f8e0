"""The stored events that the window shows on opening equal those of today's engine."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np

from core.engine import Engine
from core.events import Event, Prepared, ProbeDone
from core.first_look import read_first_look
from core.requests import Prepare
from core.settings.presets import FIRST_PRESET, read_preset

OUTDATED = "resources/first_look is outdated: run `python -m scripts.first_look`"


def test_it_equals_the_engines_events_for_the_first_preset(tmp_path: Path) -> None:
    config, emitted = read_preset(FIRST_PRESET), list[Event]()
    with Engine([emitted.append], cache_dir=tmp_path) as engine:
        engine.ask(Prepare(config=config)).result(timeout=200)
    prepared, probed = (event for event in emitted if isinstance(event, Prepared | ProbeDone))
    assert isinstance(prepared, Prepared) and isinstance(probed, ProbeDone)
    events = read_first_look(config)
    assert len(events) == 2, OUTDATED
    opened, shown = events
    assert isinstance(opened, Prepared) and isinstance(shown, ProbeDone)
    resolved = prepared.config.model_copy(update={"training": config.training})
    assert opened == dataclasses.replace(prepared, config=resolved, picked=""), OUTDATED
    assert shown.probe.step == 0
    for old, new in zip(shown.probe.sentences, probed.probe.sentences, strict=True):
        assert (old.source, old.reference, old.output) == (new.source, new.reference, new.output), OUTDATED
        np.testing.assert_allclose(old.encoder_self, new.encoder_self, atol=2e-3, err_msg=OUTDATED)
        np.testing.assert_allclose(old.free_running.cross, new.free_running.cross, atol=2e-3, err_msg=OUTDATED)


def test_other_settings_have_no_stored_events() -> None:
    config = read_preset(FIRST_PRESET, ("model.d_model=32",))
    assert read_first_look(config) == ()
