"""In which settings configs differ."""

from __future__ import annotations

from core.comparison.differences import changed_keys, differing_settings
from core.config import change_setting
from core.settings.presets import read_preset


def test_only_what_differs_is_named() -> None:
    first = read_preset("copy_task", ())
    second = change_setting(change_setting(first, "model.d_ff", 24), "dataset.options", {"num_symbols": 4})
    assert changed_keys(first, first) == ()
    assert "model.d_ff" in changed_keys(first, second) and "model.d_model" not in changed_keys(first, second)
    differing = differing_settings([first, second, first])
    assert differing["model.d_ff"] == [first.model.d_ff, 24, first.model.d_ff]
    assert differing["dataset.options.num_symbols"][1] == 4
