"""CTranslate2 in a process of its own, so that its thread pool and torch's do not interfere."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import TracebackType

from safetensors.torch import save_file
from torch import Tensor

from benchmarks.speed.sizes import OUTPUT_LENGTH, Size
from benchmarks.speed.textbook import sinusoids
from core.data.prepared_data import PreparedData

_ROOT = Path(__file__).parents[3]


class CTranslate2:
    """Decodes with our weights. Request and answer through a pipe take 0.1 ms for a sentence, 1 ms for 64."""

    def __init__(self, weights: Mapping[str, Tensor], data: PreparedData, size: Size, folder: Path) -> None:
        self._data = data
        positions = sinusoids(max(size.length, OUTPUT_LENGTH), size.d_model)
        tensors = {name: tensor.contiguous() for name, tensor in weights.items()} | {"positions": positions}
        save_file(tensors, folder / "weights.safetensors")
        described = asdict(size) | {"src": data.src_vocabulary.tokens, "tgt": data.tgt_vocabulary.tokens}
        (folder / "model.json").write_text(json.dumps(described), encoding="utf-8")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.speed.peers.ctranslate2_server", str(folder)],
            cwd=_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def decode(self, texts: Sequence[str], beam_size: int, *, workers: int, threads: int) -> list[list[int]]:
        """The ids decoded for each text, by so many workers with so many threads each."""
        assert self._process.stdin is not None and self._process.stdout is not None
        sources = [[*text.split(), "<eos>"] for text in texts]
        asked = {"sources": sources, "beam_size": beam_size, "workers": workers, "threads": threads}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"CTranslate2's process ended with exit status {self._process.wait()}.")
        return [self._data.tgt_vocabulary.ids(tokens) for tokens in json.loads(answer)]

    def __enter__(self) -> CTranslate2:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the process by closing its input."""
        self._process.communicate()
