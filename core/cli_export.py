"""`export`: a run's weights as one file for other programs; without torch."""

from __future__ import annotations

import json
from argparse import Namespace
from base64 import b64encode
from pathlib import Path

from safetensors.numpy import save

from core.config import config_to_yaml
from core.errors import UserError
from core.run_files.atomic import write_whole
from core.run_files.averaging import mean_weights
from core.run_folder import RunFolder, default_runs_dir, find_run


def export(arguments: Namespace) -> int:
    """Write the weights of a checkpoint; config, vocabularies and step are in its metadata, subwords as base64."""
    if arguments.format == "onnx":
        raise UserError("`export --format onnx` is not part of this version yet.", "Use --format safetensors.")
    run = RunFolder.open(find_run(arguments.run, arguments.runs_dir or default_runs_dir()))
    which = arguments.checkpoint or ("best" if run.state.best_step is not None else "last")
    step = run.checkpoint_step(which)
    run.follow(run.latest_config().training)
    averaged = run.averaged_steps(step) if which == "last" else [step]
    metadata = {
        "format": "headlight 1",
        "step": str(step),
        "config.yaml": config_to_yaml(run.config()),
        "vocabulary.json": json.dumps(run.vocabulary(), ensure_ascii=False),
        **{f"{side}.model": b64encode(model).decode() for side, model in run.subword_models().items()},
    }
    _write(arguments.output, save(mean_weights(map(run.checkpoint_weights, averaged)), metadata))
    steps = f"step {step}" if averaged == [step] else f"steps {', '.join(map(str, averaged))}, averaged"
    print(f"{arguments.output}: the weights of {steps}")
    return 0


def _write(path: Path, data: bytes) -> None:
    try:
        write_whole(path, data)
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror}).", "Choose another place.") from error
