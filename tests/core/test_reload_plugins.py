"""Reloading plugins while a run trains: the run keeps its code, and the next run gets the new code."""

from __future__ import annotations

from pathlib import Path

from core.config import RunConfig
from core.engine import Engine
from core.events import Prepared, RunFinished, Trouble
from core.requests import Learn, Prepare, ReloadPlugins, Start
from core.run_folder import RunFolder
from tests.core.watcher import Watcher, answered, tiny_config

ENDLESS_PLUGIN = """
from core.plugin import DatasetPlugin, Options, Pair

class Words(DatasetPlugin[Options]):
    name = "words"
    title = "Words"
    endless = True

    def pairs(self, split, rng):
        while split == "train":
            yield self._pair(rng)
        yield self._pair(rng)

    def _pair(self, rng):
        word = "".join(rng.choices("LETTERS", k=3))
        return Pair(word, word)

PLUGIN = Words
"""


def words_config() -> RunConfig:
    """A config that uses up its first shard, and so returns to the plugin, after some forty steps."""
    config = tiny_config(batch_size=256, max_steps=90, validate_every=1000, probe_every=50)
    return config.model_copy(update={"dataset": config.dataset.model_copy(update={"plugin": "words", "options": {}})})


def letters(prepared: Prepared) -> set[str]:
    return set(prepared.src_tokens[4:])


def begun(engine: Engine, tmp_path: Path) -> Path:
    """A run that begins with the plugin's first letters."""
    assert letters(answered(engine, Prepare(config=words_config()))) == set("abc")
    return answered(engine, Start(runs_dir=tmp_path / "runs"))


def losses(run: Path) -> dict[int, float]:
    """The train loss by step."""
    steps, arrays = RunFolder.open(run).metrics()
    return dict(zip(steps.tolist(), arrays["train/loss"].tolist(), strict=True))


def test_a_run_keeps_its_plugin_code_and_the_next_gets_the_new(tmp_path: Path) -> None:
    (tmp_path / "words.py").write_text(ENDLESS_PLUGIN.replace("LETTERS", "abc"), encoding="utf-8")
    watcher = Watcher()
    with Engine([watcher], plugin_dirs=[tmp_path], cache_dir=tmp_path / "cache") as engine:
        undisturbed = begun(engine, tmp_path)
        answered(engine, Learn())
        run = begun(engine, tmp_path)
        learning = engine.ask(Learn())
        (tmp_path / "words.py").write_text(ENDLESS_PLUGIN.replace("LETTERS", "xyz"), encoding="utf-8")
        answered(engine, ReloadPlugins())
        learning.result(60)
        assert [finished.reason for finished in watcher.all(RunFinished)] == ["max_steps", "max_steps"]
        assert losses(run) == losses(undisturbed)  # the new code's letters would all be <unk>
        assert letters(answered(engine, Prepare(config=words_config()))) == set("xyz")
    assert watcher.all(Trouble) == []


def test_a_reload_is_not_lost_when_a_prepare_cancels_earlier_requests(tmp_path: Path) -> None:
    (tmp_path / "words.py").write_text(ENDLESS_PLUGIN.replace("LETTERS", "abc"), encoding="utf-8")
    with Engine(plugin_dirs=[tmp_path], cache_dir=tmp_path / "cache") as engine:
        answered(engine, Prepare(config=words_config()))
        (tmp_path / "words.py").write_text(ENDLESS_PLUGIN.replace("LETTERS", "xyz"), encoding="utf-8")
        engine.ask(Prepare(config=words_config()))
        engine.ask(ReloadPlugins())
        assert letters(answered(engine, Prepare(config=words_config()))) == set("xyz")
