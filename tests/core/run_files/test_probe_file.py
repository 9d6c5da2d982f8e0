"""A probe's file is read back as written, or reported as damaged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from core.probes import Probe
from core.run_files.documents import DamagedFile
from core.run_files.probe_file import probe_bytes, read_probe_file
from tests.core.examples import assert_same_probe, probe

KNOWN = probe(3).sentences[0]


def written(tmp_path: Path, made: Probe) -> Path:
    """Write a probe's file; return its path."""
    path = tmp_path / "000003.safetensors"
    path.write_bytes(probe_bytes(made))
    return path


def test_a_probe_is_read_back_as_written(tmp_path: Path) -> None:
    assert_same_probe(read_probe_file(written(tmp_path, probe(3))), probe(3))


def test_attention_and_the_best_probabilities_are_stored_in_float16(tmp_path: Path) -> None:
    feed = {"output_probability": "float32", "output_rank": "int32", "top_probability": "float16"}
    feed |= {"decoder_self": "float16", "cross": "float16"}
    expected = {"0.encoder_self": "float16", "1.encoder_self": "float16"}
    for prefix in ("0.by_reference", "0.free_running", "1.free_running"):  # 1 was typed, and has no reference
        expected |= {f"{prefix}.{name}": kind for name, kind in feed.items()}
    stored = load_file(written(tmp_path, probe(3)))
    assert {name: str(array.dtype) for name, array in stored.items()} == expected


@pytest.mark.parametrize(
    "others",
    [
        {"src_tokens": KNOWN.src_tokens[:-1]},
        {"encoder_self": KNOWN.encoder_self[0, 0]},
        {"encoder_self": np.float16(0)},
        *(
            {"free_running": replace(KNOWN.free_running, **{name: getattr(KNOWN.free_running, name)[:-1]})}
            for name in ("tgt_input", "tgt_output", "output_probability", "output_rank", "top_tokens", "cross")
        ),
        {"free_running": replace(KNOWN.free_running, top_tokens=(("a",),) * 7)},
        {"free_running": replace(KNOWN.free_running, top_probability=np.zeros(7, np.float32))},
        {"free_running": replace(KNOWN.free_running, decoder_self=np.zeros((2, 4, 7, 6), np.float16))},
        {"by_reference": replace(KNOWN.free_running, cross=np.zeros((2, 4, 7, 4), np.float16))},
    ],
    ids=list,
)
def test_arrays_that_do_not_match_the_tokens_are_damage(tmp_path: Path, others: dict[str, Any]) -> None:
    path = written(tmp_path, Probe(step=3, sentences=(replace(KNOWN, **others),)))
    with pytest.raises(DamagedFile, match="its arrays do not match the tokens that it names") as exc_info:
        read_probe_file(path)
    assert str(path) in str(exc_info.value)
