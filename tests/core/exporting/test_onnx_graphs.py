"""The exported ONNX graphs equal the model in torch, and the code of docs/onnx.md decodes with them as we do."""

from __future__ import annotations

import copy
import itertools
import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime  # type: ignore[import-untyped]  # it has no types
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

from core import cli
from core.config import ModelConfig, RunConfig
from core.engine import Engine
from core.exporting.onnx_graphs import graphs_of
from core.model.transformer import Transformer
from core.requests import Learn, Prepare, Start, Translate
from core.run_folder import RunFolder
from tests.core.watcher import answered, tiny_config

ROOT = Path(__file__).parents[3]
SMALL = {"d_model": 16, "num_heads": 2, "num_encoder_layers": 2, "num_decoder_layers": 2, "d_ff": 32}
OTHER = {"norm_first": False, "positions": "learned", "activation": "gelu", "bias": False, "tie_embeddings": "decoder"}

pytestmark = pytest.mark.usefixtures("engines_share_a_host")


@pytest.mark.parametrize("more", [{}, OTHER])
def test_cached_steps_equal_the_whole_model(more: dict[str, Any]) -> None:
    torch.manual_seed(0)
    model = Transformer(ModelConfig.model_validate({**SMALL, **more}), 20, 20, 12).eval()
    src, tgt_input = torch.randint(4, 20, (3, 7)), torch.randint(4, 20, (3, 6))
    src_mask = torch.arange(7) < torch.tensor([[7], [4], [1]])
    with torch.no_grad():
        expected = model(src, tgt_input, src_mask, torch.ones(3, 6, dtype=torch.bool)).numpy()
    assert_equal_step_by_step(graphs_of(copy.deepcopy(model)), src, src_mask, tgt_input, expected)


def assert_equal_step_by_step(
    graphs: dict[str, bytes], src: Tensor, src_mask: Tensor, tgt_input: Tensor, expected: NDArray[np.float32]
) -> None:
    """Require that the graphs, given the target [B, T] token by token, compute these logits [B, T, V]."""
    encoder, step = (onnxruntime.InferenceSession(graphs[name]) for name in ("encoder.onnx", "decoder_step.onnx"))
    (memory,) = encoder.run(None, {"src": src.numpy(), "src_mask": src_mask.numpy()})
    past = np.zeros((2, 2, 3, 2, 0, 8), np.float32)
    for position in range(tgt_input.shape[1]):
        inputs = {"tokens": tgt_input[:, position].numpy(), "memory": memory, "src_mask": src_mask.numpy()}
        logits, past = step.run(None, {**inputs, "past": past})
        np.testing.assert_allclose(logits, expected[:, position], rtol=0, atol=1e-5)


def test_a_vocabulary_of_a_single_token_is_enough() -> None:
    graphs = graphs_of(Transformer(ModelConfig.model_validate(SMALL), 5, 5, 12))
    encoder = onnxruntime.InferenceSession(graphs["encoder.onnx"])
    (memory,) = encoder.run(None, {"src": np.full((1, 1), 4), "src_mask": np.ones((1, 1), np.bool_)})
    assert memory.shape == (2, 2, 1, 2, 1, 8)


@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
@pytest.mark.parametrize("length", [1, 2])
def test_a_model_with_few_positions_is_exported(length: int, positions: str) -> None:
    model = Transformer(ModelConfig.model_validate({**SMALL, "positions": positions}), 20, 20, length).eval()
    src, tgt_input = torch.randint(4, 20, (3, length)), torch.randint(4, 20, (3, length))
    mask = torch.ones(3, length, dtype=torch.bool)
    with torch.no_grad():
        expected = model(src, tgt_input, mask, mask).numpy()
    assert_equal_step_by_step(graphs_of(model), src, mask, tgt_input, expected)


def test_the_pages_code_decodes_a_run_as_we_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = tiny_config(optimizer={"learning_rate": 0.02}, schedule={"warmup_steps": 5}).model_dump()
    document["decoding"] = {"max_length": 2}  # of three symbols
    with Engine(cache_dir=tmp_path / "cache") as engine:
        answered(engine, Prepare(config=RunConfig.model_validate(document)))
        run = answered(engine, Start(runs_dir=tmp_path))
        answered(engine, Learn())
        a, b, c, *_ = RunFolder.open(run).vocabulary()["src_tokens"]
        sources = (f"{a} {b} {c}", f"{c} {a}", b, f"{a} unknown")
        expected = [one.output.split() for one in answered(engine, Translate(texts=sources))]
    page, written = exported(run, tmp_path, monkeypatch, num_blocks=1)
    assert written == {"encoder.onnx", "decoder_step.onnx", "config.yaml", "vocabulary.json"}
    assert [page["translate"](source.split()) for source in sources] == expected


def test_the_pages_code_cuts_texts_into_subwords_as_we_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("Über", "Äpfel", "den", "Apfel", "Dinge", "rund")
    lines = [" ".join(pair) for pair in itertools.product(words, words)]
    for side in ("source", "target"):
        (tmp_path / side).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    options = {"folder": str(tmp_path), "train_source": "source", "train_target": "target", "lowercase": True}
    dataset = {
        "plugin": "parallel_text",
        "options": options | {"normalisation": "NFC"},
        "tokenizer": {"src": "subword", "tgt": "subword", "size": 26},
    }
    document = tiny_config(max_steps=100, optimizer={"learning_rate": 0.01}).model_dump() | {"dataset": dataset}
    sources = ("Über den Apfel", "RUNDE DINGE", "A\u0308pfel", "  Über   den Apfel ")
    with Engine(cache_dir=tmp_path / "cache") as engine:
        answered(engine, Prepare(config=RunConfig.model_validate(document)))
        run = answered(engine, Start(runs_dir=tmp_path))
        answered(engine, Learn())
        expected = [one.output for one in answered(engine, Translate(texts=sources))]
    page, _ = exported(run, tmp_path, monkeypatch, num_blocks=2)
    assert [page["translate_text"](source) for source in sources] == expected
    assert len({*expected}) == 3  # the run has learnt enough to tell these sources apart


def exported(
    run: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, *, num_blocks: int
) -> tuple[dict[str, Any], set[str]]:
    """Export a run and execute the page's first code blocks; return their names and the written files."""
    monkeypatch.chdir(folder)
    arguments = ["--format", "onnx", "--output", "exported", "--checkpoint", "last"]
    assert cli.main(["export", str(run), *arguments]) == 0
    blocks = re.findall("```python\n(.*?)```", (ROOT / "docs/onnx.md").read_text(encoding="utf-8"), re.DOTALL)
    page: dict[str, Any] = {}
    for code in blocks[:num_blocks]:
        exec(code, page)
    return page, {path.name for path in (folder / "exported").iterdir()}


def test_without_the_extra_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)  # as if it were not installed
    run = ROOT / "resources" / "finished_run"
    assert cli.main(["export", str(run), "--format", "onnx", "--output", "nowhere"]) == 2
    advice = capfd.readouterr().err
    assert all(way in advice for way in ("pip install onnx", "pipx inject headlight onnx", "uv tool install '.[onnx]'"))
    assert not Path("nowhere").exists()


def test_weights_of_another_model_are_refused_before_that_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("core.exporting.onnx_graphs.Transformer", lambda *_: pytest.fail("it may not fit in memory"))
    run = shutil.copytree(ROOT / "resources" / "finished_run", tmp_path / "run")
    config, state = run / "config.yaml", json.loads((run / "run.json").read_text(encoding="utf-8"))
    config.write_text(re.sub("d_ff: .*", "d_ff: 65536", config.read_text(encoding="utf-8")), encoding="utf-8")
    del state["checksum"], state["checksums"]["config.yaml"]
    (run / "run.json").write_text(json.dumps(state), encoding="utf-8")
    assert cli.main(["export", str(run), "--format", "onnx", "--output", str(tmp_path / "out")]) == 2
    assert f"headlight: {run}: config and vocabulary describe a model of " in capfd.readouterr().err
