"""Stores a probe as safetensors: attention and top-k probabilities in float16, texts and tokens in the metadata."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.probes import Feed, Probe, ProbedSentence, links_within
from core.run_files.documents import damaged
from core.run_files.tensors import read_tensors, tensor_bytes

FEEDS = ("by_reference", "free_running")
_STORED_AS = {
    "output_probability": np.float32,
    "output_rank": np.int32,
    "top_probability": np.float16,
    "decoder_self": np.float16,
    "cross": np.float16,
}
Arrays = dict[str, NDArray[Any]]


def probe_bytes(probe: Probe) -> bytes:
    """The bytes of a probe's file."""
    arrays: Arrays = {}
    for number, sentence in enumerate(probe.sentences):
        arrays[f"{number}.encoder_self"] = sentence.encoder_self.astype(np.float16)
        for name in FEEDS:
            feed: Feed | None = getattr(sentence, name)
            if feed is not None:
                arrays |= {
                    f"{number}.{name}.{key}": getattr(feed, key).astype(kind) for key, kind in _STORED_AS.items()
                }
    return tensor_bytes(arrays, {"step": probe.step, "sentences": [_sentence_record(s) for s in probe.sentences]})


def read_probe_file(path: Path) -> Probe:
    """Read a probe's file. Raises UserError that names a damaged one."""
    arrays, record = read_tensors(path)
    try:
        sentences = [_sentence(arrays, number, known) for number, known in enumerate(record["sentences"])]
        probe = Probe(step=record["step"], sentences=tuple(sentences))
    except (KeyError, TypeError) as error:
        raise damaged(path, f"no {error}") from None
    if not all(map(_has_matching_shapes, sentences)):
        raise damaged(path, "its arrays do not match the tokens that it names")
    return probe


def _sentence_record(sentence: ProbedSentence) -> dict[str, Any]:
    texts = ("source", "src_tokens", "reference", "output", "alignment")
    record: dict[str, Any] = {name: getattr(sentence, name) for name in texts}
    return record | {name: _feed_record(getattr(sentence, name)) for name in FEEDS}


def _feed_record(feed: Feed | None) -> dict[str, Any] | None:
    if feed is None:
        return None
    return {"tgt_input": feed.tgt_input, "tgt_output": feed.tgt_output, "top_tokens": feed.top_tokens}


def _sentence(arrays: Arrays, number: int, record: Mapping[str, Any]) -> ProbedSentence:
    free_running = _feed(arrays, f"{number}.free_running", record["free_running"])
    by_reference = _feed(arrays, f"{number}.by_reference", record["by_reference"])
    if free_running is None:
        raise KeyError("free_running")
    return ProbedSentence(
        source=record["source"],
        src_tokens=tuple(record["src_tokens"]),
        reference=record["reference"],
        output=record["output"],
        alignment=links_within(
            record["alignment"], record["src_tokens"], by_reference.tgt_output if by_reference else ()
        ),
        encoder_self=arrays[f"{number}.encoder_self"],
        by_reference=by_reference,
        free_running=free_running,
    )


def _feed(arrays: Arrays, prefix: str, record: Mapping[str, Any] | None) -> Feed | None:
    if record is None:
        return None
    stored = {key: arrays[f"{prefix}.{key}"] for key in _STORED_AS}
    return Feed(
        tgt_input=tuple(record["tgt_input"]),
        tgt_output=tuple(record["tgt_output"]),
        top_tokens=tuple(tuple(row) for row in record["top_tokens"]),
        **stored | {"top_probability": stored["top_probability"].astype(np.float32)},
    )


def _has_matching_shapes(sentence: ProbedSentence) -> bool:
    """Whether the arrays have a row and column for each token, which an untrusted file need not have."""
    layers_and_heads, num_src = sentence.encoder_self.shape[:2], len(sentence.src_tokens)
    feeds = [feed for feed in (sentence.by_reference, sentence.free_running) if feed is not None]
    return sentence.encoder_self.shape == (*layers_and_heads, num_src, num_src) and all(
        _feed_matches(feed, num_src) for feed in feeds
    )


def _feed_matches(feed: Feed, num_src: int) -> bool:
    num_tgt, layers_and_heads = len(feed.tgt_input), feed.cross.shape[:2]
    return (
        len(feed.tgt_output) == len(feed.top_tokens) == num_tgt
        and feed.output_probability.shape == feed.output_rank.shape == (num_tgt,)
        and all(feed.top_probability.shape == (num_tgt, len(row)) for row in feed.top_tokens)
        and feed.decoder_self.shape == (*layers_and_heads, num_tgt, num_tgt)
        and feed.cross.shape == (*layers_and_heads, num_tgt, num_src)
    )
