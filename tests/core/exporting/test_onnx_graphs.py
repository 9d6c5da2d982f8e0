"""The exported graphs give what torch gives, and docs/onnx.md decodes with them as we do."""

from __future__ import annotations

import copy
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
import torch

from core import cli
from core.config import ModelConfig
from core.engine import Engine
from core.exporting.onnx_graphs import graphs_of
from core.model.transformer import Transformer
from core.requests import Learn, Translate
from core.run_folder import RunFolder
from tests.core.watcher import answered, begun

ROOT = Path(__file__).parents[3]
SMALL = {"d_model": 16, "num_heads": 2, "num_encoder_layers": 2, "num_decoder_layers": 2, "d_ff": 32}
OTHER = {"norm_first": False, "positions": "learned", "activation": "gelu", "bias": False, "tie_embeddings": "decoder"}


@pytest.mark.parametrize("more", [{}, OTHER])
def test_steps_from_the_caches_equal_the_whole_model(more: dict[str, Any]) -> None:
    torch.manual_seed(0)
    model = Transformer(ModelConfig.model_validate({**SMALL, **more}), 20, 20, 12).eval()
    src, tgt_input = torch.randint(4, 20, (3, 7)), torch.randint(4, 20, (3, 6))
    src_mask = torch.arange(7) < torch.tensor([[7], [4], [1]])
    with torch.no_grad():
        expected = model(src, tgt_input, src_mask, torch.ones(3, 6, dtype=torch.bool)).numpy()
    graphs = graphs_of(copy.deepcopy(model))
    encoder, step = (onnxruntime.InferenceSession(graphs[name]) for name in ("encoder.onnx", "decoder_step.onnx"))
    (memory,) = encoder.run(None, {"src": src.numpy(), "src_mask": src_mask.numpy()})
    past = np.zeros((2, 2, 3, 2, 0, 8), np.float32)
    for position in range(6):
        inputs = {"tokens": tgt_input[:, position].numpy(), "memory": memory, "src_mask": src_mask.numpy()}
        logits, past = step.run(None, {**inputs, "past": past})
        np.testing.assert_allclose(logits, expected[:, position], rtol=0, atol=1e-5)


def test_the_page_decodes_a_run_as_we_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Engine(cache_dir=tmp_path / "cache") as engine:
        run = begun(engine, tmp_path, optimizer={"learning_rate": 0.02}, schedule={"warmup_steps": 5})
        answered(engine, Learn())
        a, b, c, *_ = RunFolder.open(run).vocabulary()["src_tokens"]
        sources = (f"{a} {b} {c}", f"{c} {a}", b, f"{a} unknown")
        expected = [one.output.split() for one in answered(engine, Translate(texts=sources))]
    monkeypatch.chdir(tmp_path)
    arguments = ["--format", "onnx", "--output", "exported", "--checkpoint", "last"]
    assert cli.main(["export", str(run), *arguments]) == 0
    written = {path.name for path in (tmp_path / "exported").iterdir()}
    assert written == {"encoder.onnx", "decoder_step.onnx", "config.yaml", "vocabulary.json"}
    (code,) = re.findall("```python\n(.*?)```", (ROOT / "docs/onnx.md").read_text(encoding="utf-8"), re.DOTALL)
    page: dict[str, Any] = {}
    exec(code, page)
    longest = max(len(one) for one in expected)
    assert [page["translate"](source.split(), longest) for source in sources] == expected


def test_without_the_extra_a_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)  # as if it were not there
    run = ROOT / "resources" / "finished_run"
    assert cli.main(["export", str(run), "--format", "onnx", "--output", "nowhere"]) == 2
    assert "pip install onnx" in capfd.readouterr().err
    assert not Path("nowhere").exists()
