"""Trains the small runs in tests/golden that later versions must open: `python -m scripts.golden`, once a version.

An existing run is never made again: it stands for the version that made it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from core.config import RunConfig
from core.engine import Engine
from core.requests import ChangeSetting, Learn, Prepare, Start, Stop
from core.version import version

GOLDEN = Path(__file__).parents[1] / "tests" / "golden"
SMALL = {"d_model": 8, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1, "d_ff": 16}
TRAINING = {
    "max_steps": 60,
    "batch_size": 16,
    "validate_every": 30,
    "checkpoint_every": 30,
    "keep_checkpoints": 0,
    "probe_every": 30,
    "snapshot_budget_mb": 0.03,
    "num_threads": 1,
    "device": "cpu",
}
# Together they cover every value that changes which tensors a run keeps, or how its data is drawn.
RUNS: dict[str, dict[str, Any]] = {
    "copy_task": {
        "dataset": {"plugin": "copy_task", "options": {"num_symbols": 5, "min_length": 3, "max_length": 5}},
        "model": SMALL,
        "training": {**TRAINING, "accumulate_steps": 2},
    },
    "roman_numerals": {
        "dataset": {"plugin": "roman_numerals", "options": {"max_number": 300}},
        "model": {
            **SMALL,
            "norm_first": False,
            "positions": "learned",
            "activation": "gelu",
            "tie_embeddings": "decoder",
        },
        "training": {**TRAINING, "optimizer": {"name": "adamw"}, "batch_size": None, "batch_tokens": 200},
    },
    "toy_german_english": {
        "dataset": {
            "plugin": "toy_german_english",
            "tokenizer": {"src": "whitespace", "tgt": "whitespace", "shared": True},
        },
        "model": {**SMALL, "bias": False, "attention_dropout": 0.1, "tie_embeddings": "all"},
        "training": {
            **TRAINING,
            "optimizer": {"name": "sgd", "momentum": 0.9},
            "schedule": {"name": "cosine", "warmup_steps": 10},
            "early_stopping": {"patience": 1},
            "best_metric": "valid/exact_match",
        },
    },
}
STOP_STEP = 40


def main() -> None:
    """Train the runs that do not exist yet."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    for name, document in RUNS.items():
        run = GOLDEN / f"{version()}_{name}"
        if not run.exists():
            sys.argv = ["headlight", "train", name]  # recorded in environment.json, where no path of ours belongs
            _train(RunConfig.model_validate(document), run)


def _train(config: RunConfig, run: Path) -> None:
    """Train, change a setting on the way, and leave the run as a signal would."""
    with TemporaryDirectory() as cache, Engine(cache_dir=Path(cache)) as engine:
        engine.ask(Prepare(config=config)).result()
        engine.ask(Start(runs_dir=run.parent, run_dir=run)).result()
        engine.ask(Learn(steps=STOP_STEP // 2)).result()
        engine.ask(ChangeSetting(key="training.label_smoothing", value=0.05)).result()
        engine.ask(Learn(steps=STOP_STEP // 2)).result()
        engine.ask(Stop()).result()


if __name__ == "__main__":
    main()
