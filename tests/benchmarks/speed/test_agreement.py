"""The benchmark refuses to time contenders that compute something different, here broken on purpose."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from benchmarks.speed import __main__ as bench
from benchmarks.speed import ours
from benchmarks.speed.agreement import Disagreement, require_same_loss, require_same_tokens, same_models
from benchmarks.speed.data import prepare, train_batches
from benchmarks.speed.parts import Conditions
from benchmarks.speed.rivals import textbook_only
from benchmarks.speed.rounds import Entry
from benchmarks.speed.sizes import TINY
from benchmarks.speed.table import Comparison


def test_a_different_loss_is_refused(tmp_path: Path) -> None:
    data = prepare(TINY, tmp_path)
    trainer = ours.make_trainer(TINY, data, tmp_path / "run", num_threads=1)
    batch = train_batches(data, TINY)[0]
    (same,) = same_models(textbook_only(TINY).models, trainer.model, norm_first=True).values()
    require_same_loss("textbook", same, trainer.model, batch)
    with torch.no_grad():
        same.get_parameter("decoder.layers.0.cross_attention.v.weight")[0] *= 2.0
    with pytest.raises(Disagreement, match="textbook has a loss of"):
        require_same_loss("textbook", same, trainer.model, batch)


def test_different_tokens_are_refused() -> None:
    require_same_tokens("a", [[4, 5], [6]], [[4, 5], [6]])
    with pytest.raises(Disagreement, match=r"Sentence 1: a writes \[7\], ours \[6\]"):
        require_same_tokens("a", [[4, 5], [7]], [[4, 5], [6]])


def test_a_disagreement_leaves_out_its_part_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def disagree(_: Conditions) -> Comparison:
        raise Disagreement("Sentence 1: a writes [7], ours [6].")

    def compare(_: Conditions) -> Comparison:
        return Comparison("decoding", ours.OURS, {Entry(ours.OURS): [1.0]}, 1, {})

    monkeypatch.setattr(bench, "PARTS", {"beam-64": disagree, "greedy-1": compare})
    monkeypatch.setattr("sys.argv", ["speed", "--json", str(tmp_path / "measured.json")])
    bench.main()
    assert "beam-64: not compared. Sentence 1: a writes [7], ours [6].\n" in capsys.readouterr().out
    assert set(json.loads((tmp_path / "measured.json").read_text())) == {"machine", "greedy-1"}
