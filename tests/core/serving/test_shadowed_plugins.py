"""Opening a run of a built-in plugin that a user's plugin of the same name replaces."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.engine import Engine
from core.errors import UserError
from core.events import Trouble
from core.plugins_host.discovery import built_in_plugins_dir
from core.requests import Branch, Learn, OpenRun
from tests.core.watcher import Watcher, answered, begun

BUILT_IN_PLUGIN = (built_in_plugins_dir() / "copy_task.py").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (BUILT_IN_PLUGIN.replace("fixed_first", "first"), "unknown key"),
        (BUILT_IN_PLUGIN.replace("Pair(text, text,", "Pair(text, text[::-1],"), "gives different pairs"),
    ],
)
def test_the_replacing_plugin_is_named_in_the_error(tmp_path: Path, code: str, words: str) -> None:
    with Engine(cache_dir=tmp_path / "cache") as engine:
        run = begun(engine, tmp_path, max_steps=2)
        answered(engine, Learn())
    own = tmp_path / "plugins" / "mine.py"
    own.parent.mkdir()
    own.write_text(code, encoding="utf-8")
    advice = (
        f"{own} replaces the plugin 'copy_task' that came with Headlight: if the run began with that one, move this "
        "one away or give it another name."
    )
    watcher = Watcher()
    with Engine([watcher], plugin_dirs=[own.parent], cache_dir=tmp_path / "cache") as engine:
        with pytest.raises(UserError, match=words) as exc_info:
            answered(engine, OpenRun(run=run, purpose="evaluate"))
        assert exc_info.value.advice.startswith(advice)
        answered(engine, OpenRun(run=run))
        (trouble,) = watcher.all(Trouble)
        assert words in trouble.sentence and advice in trouble.advice
        if words == "unknown key":  # a branch is refused before the current run is left
            with pytest.raises(UserError, match=words) as exc_info:
                answered(engine, Branch(run=run, step=2, runs_dir=tmp_path))
            assert exc_info.value.advice == advice
    with Engine(cache_dir=tmp_path / "cache") as engine:
        answered(engine, OpenRun(run=run, purpose="evaluate"))
