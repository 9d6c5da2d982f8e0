"""Questions to the prepared run: translations, added sentences, an evaluation."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.answers.translation import Translation
from core.engine import Engine
from core.errors import UserError
from core.events import ProbeDone, Trouble
from core.requests import AddSentence, Evaluate, Learn, OpenRun, Prepare, Stop, Translate
from core.run_folder import RunFolder
from core.settings.overriding import change_settings
from tests.core.serving.running import TEXT, finished_run
from tests.core.watcher import Watcher, answered, begun, tiny_config

pytestmark = pytest.mark.usefixtures("tiny_data_at_hand")


def test_half_a_character_is_refused_and_the_run_can_still_be_saved(engine: Engine, tmp_path: Path) -> None:
    run = begun(engine, tmp_path)
    with pytest.raises(UserError, match="holds half a character"):
        answered(engine, AddSentence(source="1 \ud83d"))
    answered(engine, Learn(steps=3))
    answered(engine, Stop())
    assert RunFolder.open(run).checkpoint_steps()[-1] == 3


def test_texts_are_translated_with_the_weights_of_any_stored_step(engine: Engine, tmp_path: Path) -> None:
    run = begun(engine, tmp_path, max_steps=200, optimizer={"name": "adam", "learning_rate": 0.01})
    untrained = answered(engine, Translate(texts=(TEXT,), with_attention=True))[0]
    assert untrained.step == 0
    answered(engine, Learn())
    newest = answered(engine, Translate(texts=(TEXT, "5 zebra 5"), with_attention=True))
    assert [one.step for one in newest] == [200, 200]
    assert newest[1].unknown == ("zebra",)
    reread = answered(engine, Translate(texts=(TEXT,), step=0, with_attention=True))[0]
    assert reread.step == 0
    assert reread.sentence is not None and untrained.sentence is not None and newest[0].sentence is not None
    np.testing.assert_array_equal(reread.sentence.encoder_self, untrained.sentence.encoder_self)
    assert (reread.sentence.encoder_self != newest[0].sentence.encoder_self).any()
    kept = RunFolder.open(run).snapshot_steps()
    step = kept[3] + 1 if kept[3] + 1 not in kept else kept[3]
    assert answered(engine, Translate(texts=(TEXT,), step=step))[0].step == kept[3]
    with pytest.raises(UserError, match="empty"):
        answered(engine, Translate(texts=("",)))
    with_another_run(engine, run, newest[0], reread)


def with_another_run(engine: Engine, run: Path, newest: Translation, first: Translation) -> None:
    """Check that the run gives the same outputs when it is asked while another run is prepared."""
    answered(engine, Prepare(config=tiny_config(seed=9)))
    (best,) = answered(engine, Translate(texts=(TEXT,), run=run))
    assert best.step == RunFolder.open(run).checkpoint_step("best")
    for step, known in ((200, newest), (0, first)):
        (other,) = answered(engine, Translate(texts=(TEXT,), step=step, run=run, with_attention=True))
        assert (other.step, other.output) == (known.step, known.output)
        assert other.sentence is not None and known.sentence is not None
        np.testing.assert_array_equal(other.sentence.encoder_self, known.sentence.encoder_self)
    with pytest.raises(UserError, match="is not a run"):
        answered(engine, Translate(texts=(TEXT,), run=run.parent))


def test_another_run_writes_as_much_as_its_model_has_positions_for(engine: Engine, tmp_path: Path) -> None:
    run = finished_run(engine, tmp_path, max_steps=1)
    answered(engine, Prepare(config=change_settings(tiny_config(), {"decoding.max_length": 50})))
    (other,) = answered(engine, Translate(texts=(TEXT,), run=run, step=0))
    assert not other.finished and len(other.output.split()) == 8  # untrained, it writes as long as it may


def test_another_run_retrained_to_the_same_step_is_read_again(engine: Engine, tmp_path: Path) -> None:
    run = finished_run(engine, tmp_path, max_steps=40)
    answered(engine, Prepare(config=tiny_config(seed=9)))
    ask = Translate(texts=(TEXT,), run=run, step=40, with_attention=True)
    before = answered(engine, ask)[0].sentence
    shutil.rmtree(run / "checkpoints" / "000040")  # another process resumes from step 20 with another learning rate
    with Engine() as other:
        answered(other, OpenRun(run=run, changes=(("training.optimizer.learning_rate", 0.05),)))
        answered(other, Learn())
    after = answered(engine, ask)[0].sentence
    assert before is not None and after is not None
    assert (before.encoder_self != after.encoder_self).any()


def test_an_added_sentence_is_probed_at_later_steps_and_earlier_snapshots(
    engine: Engine, watcher: Watcher, tmp_path: Path
) -> None:
    run = begun(engine, tmp_path)
    answered(engine, Learn(steps=30))
    folder = RunFolder.open(run)
    (folder.path / "probes" / "000030.safetensors").unlink()  # as if the step were between two probes
    answered(engine, AddSentence(source="4 3 2"))
    assert folder.probe(30).sentences[-1].source == "4 3 2"
    answered(engine, Learn(steps=30))
    watcher.wait(ProbeDone, lambda event: event.probe.step == 0 and event.probe.sentences[-1].source == "4 3 2")
    for step in folder.snapshot_steps():
        assert folder.probe(step).sentences[-1].source == "4 3 2", step
    steps = [e.probe.step for e in watcher.all(ProbeDone) if e.probe.sentences[-1].source == "4 3 2"]
    assert [step for step in steps if step < 30] == sorted((step for step in steps if step < 30), reverse=True)


def test_a_damaged_probe_is_made_again_with_an_added_sentence(engine: Engine, watcher: Watcher, tmp_path: Path) -> None:
    run = begun(engine, tmp_path)
    answered(engine, Learn(steps=30))
    (run / "probes" / "000020.safetensors").write_bytes(b"")
    answered(engine, AddSentence(source="4 3 2"))
    watcher.wait(ProbeDone, lambda event: event.probe.step == 0 and event.probe.sentences[-1].source == "4 3 2")
    assert RunFolder.open(run).probe(20).sentences[-1].source == "4 3 2"


def test_a_damaged_snapshot_is_named_and_those_before_it_are_probed(
    engine: Engine, watcher: Watcher, tmp_path: Path
) -> None:
    run = begun(engine, tmp_path, checkpoint_every=30, validate_every=100)
    answered(engine, Learn(steps=30))
    damaged = run / "snapshots" / "000020.safetensors"
    damaged.write_bytes(b"")
    answered(engine, AddSentence(source="4 3 2"))
    watcher.wait(ProbeDone, lambda event: event.probe.step == 0 and event.probe.sentences[-1].source == "4 3 2")
    assert watcher.wait(Trouble).sentence.startswith(str(damaged))


def test_a_sentence_added_to_an_opened_run_is_stored_when_the_run_continues(tmp_path: Path) -> None:
    with Engine() as engine:
        run = finished_run(engine, tmp_path, max_steps=30)
    folder, before = RunFolder.open(run), (run / "probes").stat().st_mtime_ns
    watcher = Watcher()
    with Engine([watcher]) as engine:
        answered(engine, OpenRun(run=run))
        answered(engine, AddSentence(source="4 3 2"))
        watcher.wait(ProbeDone, lambda event: event.probe.step == 0)
        probes = watcher.all(ProbeDone)
        assert {event.probe.step for event in probes} == set(folder.snapshot_steps())
        assert all(event.probe.sentences[-1].source == "4 3 2" and not event.is_stored for event in probes)
        assert (run / "probes").stat().st_mtime_ns == before
        answered(engine, Learn(steps=1))
        watcher.wait(ProbeDone, lambda event: event.probe.step == 0 and event.is_stored)
        answered(engine, Stop())
    for step in folder.snapshot_steps():
        assert folder.probe(step).sentences[-1].source == "4 3 2", step


def test_missing_probes_of_an_added_sentence_are_made_in_the_next_session(tmp_path: Path) -> None:
    with Engine() as engine:
        run = finished_run(engine, tmp_path, max_steps=30)
        answered(engine, Learn(steps=1))
        answered(engine, AddSentence(source="4 3 2"))
        answered(engine, Learn(steps=1))  # saves a checkpoint that has the sentence
    folder = RunFolder.open(run)
    # As if the session had ended before this probe.
    folder.write_probe(replace(folder.probe(5), sentences=folder.probe(5).sentences[:4]))
    watcher = Watcher()
    with Engine([watcher]) as engine:
        answered(engine, OpenRun(run=run))
        probe = watcher.wait(ProbeDone, lambda event: event.probe.step == 5).probe
    assert probe.sentences[-1].source == "4 3 2"


def test_an_evaluation_has_the_metrics_of_the_contract(engine: Engine, tmp_path: Path) -> None:
    run = finished_run(engine, tmp_path)
    answered(engine, OpenRun(run=run, checkpoint="best"))
    evaluation = answered(engine, Evaluate(split="test"))
    assert (evaluation.run, evaluation.split) == (run, "test")
    assert evaluation.sentences == len(evaluation.predictions) > 0
    assert {"loss", "perplexity", "token_accuracy", "exact_match", "bleu", "chrf"} <= evaluation.metrics.keys()
    with pytest.raises(UserError, match="There is no split 'train set' to evaluate"):
        answered(engine, Evaluate(split="train set"))
