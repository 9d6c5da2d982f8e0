"""Opens runs for verbs: with which weights, and how they decode."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from core.cli.engine_client import TerminalClient
from core.cli.named_run import named_run
from core.cli.text_files import require_not_an_input
from core.errors import UserError
from core.events import Prepared
from core.home_paths import expand_home
from core.requests import OpenRun, Purpose
from core.run_folder import RunFolder
from core.settings.fields import OPTIONS
from core.settings.overriding import OVERRIDE_EXAMPLE, parse_override

Settings = tuple[tuple[str, object], ...]
DATASET_OPTION = f"{OPTIONS}."


def parse_settings(given: Sequence[str], example: str = OVERRIDE_EXAMPLE) -> tuple[Settings, Settings]:
    """Parse --set for an existing run: into settings by key, and options of its dataset by name.

    Raises UserError with the example for a text that is not KEY=VALUE.
    """
    read = [parse_override(text, example) for text in given]
    options = tuple((key.removeprefix(DATASET_OPTION), value) for key, value in read if key.startswith(DATASET_OPTION))
    return tuple((key, value) for key, value in read if not key.startswith(DATASET_OPTION)), options


def open_run_request(run: str, arguments: Namespace, purpose: Purpose, options: Settings = ()) -> OpenRun:
    """The request to open a RUN of the command line, at --checkpoint or the usual one, with the decoding options."""
    path = named_run(run, arguments)
    decoding = (("decoding.beam_size", arguments.beam_size), ("decoding.length_penalty", arguments.length_penalty))
    return OpenRun(
        run=path,
        checkpoint=arguments.checkpoint or default_checkpoint(RunFolder.open(path)),
        averaged=True,
        changes=tuple((key, value) for key, value in decoding if value is not None),
        dataset_options=options,
        purpose=purpose,
    )


def require_not_a_corpus_file(path: Path, option: str, request: OpenRun) -> None:
    """Raise UserError if results would overwrite a file of the run's dataset."""
    options = RunFolder.open(request.run).config().dataset.options | dict(request.dataset_options)
    named = [expand_home(value) for value in options.values() if isinstance(value, str) and value]
    combined = (folder / file for folder in named for file in named)  # if one option names the folder of the others
    require_not_an_input(path, option, (*named, *combined), f"a file of the dataset of {request.run.name}")


def open_run(client: TerminalClient, request: OpenRun) -> Prepared:
    """Open a run; warns if the given length penalty has no effect, since there is no beam."""
    prepared = client.ask(request)
    given = {key for key, _ in request.changes}
    if prepared.config.decoding.beam_size == 1 and "decoding.length_penalty" in given:
        sentence = f"{request.run.name} is decoded greedily. Set a larger --beam-size"
        client.show_note(f"warning: --length-penalty changes nothing: {sentence}")
    return prepared


def require_different_runs(requests: Sequence[OpenRun], why: str) -> None:
    """Raise UserError for a run that is named twice and for a missing checkpoint, before any run is evaluated."""
    seen: set[Path] = set()
    for request in requests:
        if request.run in seen:
            raise UserError(f"{request.run} is named twice: {why}.")
        seen.add(request.run)
        RunFolder.open(request.run).checkpoint_step(request.checkpoint)


def weights_description(step: int, averaged_steps: Sequence[int]) -> str:
    """`step 60`, or `steps 20, 40, 60, averaged` for a mean of checkpoints."""
    return f"steps {', '.join(map(str, averaged_steps))}, averaged" if len(averaged_steps) > 1 else f"step {step}"


def default_checkpoint(run: RunFolder) -> str:
    """The default checkpoint: the best, or before any validation, the last."""
    return "best" if run.state.best_step is not None else "last"
