"""Opens runs for verbs: with which weights, and how they decode."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from core.cli.conversation import TerminalConversation
from core.cli.files import require_no_texts
from core.cli.named_run import named_run
from core.errors import UserError
from core.events import Prepared
from core.requests import OpenRun, Purpose
from core.run_folder import RunFolder
from core.settings.fields import OPTIONS
from core.settings.overriding import read_override

Settings = tuple[tuple[str, object], ...]
DATASET_OPTION = f"{OPTIONS}."


def read_settings(given: Sequence[str]) -> tuple[Settings, Settings]:
    """Parse --set for an existing run: into settings by key, and options of its dataset by name."""
    read = list(map(read_override, given))
    options = tuple((key.removeprefix(DATASET_OPTION), value) for key, value in read if key.startswith(DATASET_OPTION))
    return tuple((key, value) for key, value in read if not key.startswith(DATASET_OPTION)), options


def opening_of(run: str, arguments: Namespace, purpose: Purpose, options: Settings = ()) -> OpenRun:
    """The request to open a RUN of the command line, at --checkpoint or the usual one, with the decoding options."""
    path = named_run(run, arguments)
    decoding = (("decoding.beam_size", arguments.beam_size), ("decoding.length_penalty", arguments.length_penalty))
    return OpenRun(
        run=path,
        checkpoint=arguments.checkpoint or usual_checkpoint(RunFolder.open(path)),
        averaged=True,
        changes=tuple((key, value) for key, value in decoding if value is not None),
        dataset_options=options,
        purpose=purpose,
    )


def require_no_corpus_file(path: Path, option: str, opening: OpenRun) -> None:
    """Raise UserError if results would overwrite a file of the run's dataset."""
    options = RunFolder.open(opening.run).config().dataset.options | dict(opening.dataset_options)
    named = [Path(value).expanduser() for value in options.values() if isinstance(value, str) and value]
    within = (folder / file for folder in named for file in named)  # if one option names the folder of the others
    require_no_texts(path, option, (*named, *within), f"a file of the dataset of {opening.run.name}")


def opened(engine: TerminalConversation, opening: OpenRun) -> Prepared:
    """Open a run; warns if the given length penalty has no effect, since there is no beam."""
    prepared = engine.ask(opening)
    given = {key for key, _ in opening.changes}
    if prepared.config.decoding.beam_size == 1 and "decoding.length_penalty" in given:
        sentence = f"{opening.run.name} is decoded greedily. Set a larger --beam-size"
        engine.tell(f"warning: --length-penalty changes nothing: {sentence}")
    return prepared


def require_different_runs(openings: Sequence[OpenRun], why: str) -> None:
    """Raise UserError for a run that is named twice and for a missing checkpoint, before any run is evaluated."""
    seen: set[Path] = set()
    for opening in openings:
        if opening.run in seen:
            raise UserError(f"{opening.run} is named twice: {why}.")
        seen.add(opening.run)
        RunFolder.open(opening.run).checkpoint_step(opening.checkpoint)


def weights_in_words(step: int, averaged_steps: Sequence[int]) -> str:
    """`step 60`, or `steps 20, 40, 60, averaged` for a mean of checkpoints."""
    return f"steps {', '.join(map(str, averaged_steps))}, averaged" if len(averaged_steps) > 1 else f"step {step}"


def usual_checkpoint(run: RunFolder) -> str:
    """The default checkpoint: the best, or before any validation, the last."""
    return "best" if run.state.best_step is not None else "last"
