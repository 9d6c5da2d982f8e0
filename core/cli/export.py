"""`export`: a run's weights for other programs, or the run in one file for other people to look at."""

from __future__ import annotations

import shlex
import tempfile
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path

from core.at_path import exists, is_dir
from core.cli.named_run import named_run
from core.cli.open_run import default_checkpoint, weights_description
from core.cli.output import print_json
from core.errors import UserError
from core.exporting.sharing import model_files, share
from core.machine.signals import interrupted_by_signals
from core.run_files.archive import SUFFIX
from core.run_files.atomic import atomic_file, write_atomically
from core.run_files.averaging import averaged_steps
from core.run_files.runs_dir import require_outside_runs
from core.run_files.tensors import tensor_bytes
from core.run_files.write_errors import reporting_write_errors
from core.run_folder import RunFolder, Weights


def export(arguments: Namespace) -> int:
    """Write the weights of a checkpoint to a folder, as safetensors or ONNX graphs, or the run to one file to look at.

    If the output is X.safetensors, write that file with the weights alone.
    """
    with interrupted_by_signals():  # a half-written file would be large
        run = RunFolder.open(named_run(arguments.run, arguments))
        require_outside_runs(arguments.output)
        if exists(arguments.output) and not _is_empty_folder(arguments):
            raise UserError(f"{arguments.output} already exists.", "Choose another name.")
        if arguments.format == "headlight":
            _share(run, arguments)
        else:
            _export_weights(run, arguments)
    return 0


def _share(run: RunFolder, arguments: Namespace) -> None:
    if arguments.checkpoint is not None:
        raise UserError(
            "--checkpoint: the format headlight holds the weights of all steps that the run kept.",
            "Leave it out; safetensors and onnx take one.",
        )
    if arguments.output.suffix.lower() != SUFFIX:
        raise UserError(
            f"--output: {arguments.output} does not end in {SUFFIX}, by which the window knows a shared run.",
            f"Write --output {shlex.quote(f'{arguments.output}{SUFFIX}')}.",
        )
    share(run, arguments.output)
    _print_written(arguments, run, "the run to look at: drop it on the window")


def _export_weights(run: RunFolder, arguments: Namespace) -> None:
    checkpoint = arguments.checkpoint or default_checkpoint(run)
    step = run.checkpoint_step(checkpoint)
    training = run.latest_config().training
    averaged = averaged_steps(run.checkpoint_steps(), step, training) if checkpoint == "last" else [step]
    weights = run.mean_weights(averaged)
    if arguments.format == "onnx":
        _write_folder(arguments.output, _onnx_files(run, step, weights))
    elif _is_one_file(arguments):
        output = arguments.output
        with reporting_write_errors(output, "--output", error_type=UserError), atomic_file(output) as file:
            file.write(tensor_bytes(weights, {"step": step}))
    else:
        _write_folder(arguments.output, dict(model_files(run, step, weights)))
    details = {"checkpoint": step} | ({"averaged_steps": averaged} if len(averaged) > 1 else {})
    _print_written(arguments, run, f"the weights of {weights_description(step, averaged)}", **details)


def _print_written(arguments: Namespace, run: RunFolder, what: str, **details: object) -> None:
    if arguments.json:
        print_json({"output": arguments.output, "run": run.path, "format": arguments.format, **details})
    else:
        print(f"{arguments.output}: {what}")


def _is_one_file(arguments: Namespace) -> bool:
    """Whether the output is a file, not a folder."""
    path: Path = arguments.output
    what: str = arguments.format
    return what == "headlight" or (what == "safetensors" and path.suffix.lower() == ".safetensors")


def _is_empty_folder(arguments: Namespace) -> bool:
    """Whether a folder is to be written, and is there already but empty."""
    path: Path = arguments.output
    return not _is_one_file(arguments) and is_dir(path) and not any(path.iterdir())


def _onnx_files(run: RunFolder, step: int, weights: Weights) -> dict[str, bytes]:
    """Two graphs (see docs/onnx.md), and the model's documents beside them."""
    from core.exporting.onnx_graphs import onnx_graphs  # imports torch, here in the main thread: no engine is running

    return onnx_graphs(run, step, weights) | run.model_documents_at(step)


def _write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a new folder with these files, or none at all: it gets its name when all files are in it.

    An empty folder is kept and gets the files then: it may be a mount point, a link, or a terminal's working directory.
    """
    is_there = is_dir(folder)
    with (
        reporting_write_errors(folder, "--output", error_type=UserError),
        tempfile.TemporaryDirectory(
            prefix=".exporting-", dir=folder if is_there else folder.absolute().parent
        ) as staging,
    ):
        staged = Path(staging) / "made"
        for name, data in files.items():
            (staged / name).parent.mkdir(parents=True, exist_ok=True)
            write_atomically(staged / name, data)
        if is_there:
            for path in staged.iterdir():
                path.rename(folder / path.name)
        else:
            staged.rename(folder)
