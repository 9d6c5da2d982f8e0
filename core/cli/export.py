"""`export`: a run's weights for other programs, or all that there is to see of it for other people."""

from __future__ import annotations

import json
from argparse import Namespace
from base64 import b64encode
from pathlib import Path

from safetensors.numpy import save

from core.cli.opening import usual_checkpoint
from core.config import config_to_yaml
from core.errors import UserError
from core.exporting.sharing import share
from core.run_files.atomic import write_whole
from core.run_files.averaging import mean_weights
from core.run_folder import RunFolder, Weights, default_runs_dir, find_run


def export(arguments: Namespace) -> int:
    """Write the weights of a checkpoint, as one file or as ONNX graphs in a folder; or the run, to be looked at."""
    run = RunFolder.open(find_run(arguments.run, arguments.runs_dir or default_runs_dir()))
    if arguments.format == "headlight":
        share(run, arguments.output)
        print(f"{arguments.output}: the run to look at, drop it on the window")
        return 0
    which = arguments.checkpoint or usual_checkpoint(run)
    step = run.checkpoint_step(which)
    run.follow(run.latest_config().training)
    averaged = run.averaged_steps(step) if which == "last" else [step]
    write = _write_onnx if arguments.format == "onnx" else _write_safetensors
    write(arguments.output, run, step, mean_weights(map(run.weights, averaged)))
    steps = f"step {step}" if averaged == [step] else f"steps {', '.join(map(str, averaged))}, averaged"
    print(f"{arguments.output}: the weights of {steps}")
    return 0


def _write_safetensors(path: Path, run: RunFolder, step: int, weights: Weights) -> None:
    """Config, vocabularies and step are in the file's metadata, subwords as base64."""
    metadata = {
        "format": "headlight 1",
        "step": str(step),
        "config.yaml": config_to_yaml(run.config()),
        "vocabulary.json": _vocabulary(run),
        **{f"{side}.model": b64encode(model).decode() for side, model in run.subword_models().items()},
    }
    _write(path, save(weights, metadata))


def _write_onnx(folder: Path, run: RunFolder, _: int, weights: Weights) -> None:
    """Two graphs (see docs/onnx.md), and the run's documents beside them."""
    from core.exporting.onnx_graphs import onnx_graphs  # loads torch; no engine works beside it

    files = onnx_graphs(run, weights)
    files |= {"config.yaml": config_to_yaml(run.config()).encode(), "vocabulary.json": _vocabulary(run).encode()}
    files |= {f"{side}.model": model for side, model in run.subword_models().items()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{folder}: cannot be made ({error.strerror}).", "Name a new folder.") from error
    for name, data in files.items():
        _write(folder / name, data)


def _vocabulary(run: RunFolder) -> str:
    return json.dumps(run.vocabulary(), ensure_ascii=False)


def _write(path: Path, data: bytes) -> None:
    try:
        write_whole(path, data)
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror}).", "Choose another place.") from error
