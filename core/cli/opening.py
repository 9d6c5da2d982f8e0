"""Which weights of a run a verb works with, and how it decodes."""

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
    """What --set says of a run that is there: settings by key, and options of its dataset by name."""
    read = list(map(read_override, given))
    options = tuple((key.removeprefix(DATASET_OPTION), value) for key, value in read if key.startswith(DATASET_OPTION))
    return tuple((key, value) for key, value in read if not key.startswith(DATASET_OPTION)), options


def opening_of(run: str, arguments: Namespace, purpose: Purpose, options: Settings = ()) -> OpenRun:
    """Open a RUN as the command line names it, at the checkpoint that is asked for or its usual one, so decoding."""
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
    """Raise UserError where results would be put in the place of a file that the run's dataset is made of."""
    options = RunFolder.open(opening.run).config().dataset.options | dict(opening.dataset_options)
    named = [Path(value).expanduser() for value in options.values() if isinstance(value, str) and value]
    within = (folder / file for folder in named for file in named)  # where one option names the folder of all
    require_no_texts(path, option, (*named, *within), f"a file of the dataset of {opening.run.name}")


def opened(engine: TerminalConversation, opening: OpenRun) -> Prepared:
    """A run opened; of a length penalty that changes nothing, since there is no beam, it is warned."""
    prepared = engine.ask(opening)
    given = {key for key, _ in opening.changes}
    if prepared.config.decoding.beam_size == 1 and "decoding.length_penalty" in given:
        sentence = f"{opening.run.name} is decoded greedily. Set a larger --beam-size"
        engine.tell(f"warning: --length-penalty changes nothing: {sentence}")
    return prepared


def require_different_runs(openings: Sequence[OpenRun], why: str) -> None:
    """Raise UserError, before any is evaluated, for a run that is named twice and a checkpoint that is not there."""
    seen: set[Path] = set()
    for opening in openings:
        if opening.run in seen:
            raise UserError(f"{opening.run} is named twice: {why}.")
        seen.add(opening.run)
        RunFolder.open(opening.run).checkpoint_step(opening.checkpoint)


def weights_in_words(step: int, averaged_steps: Sequence[int]) -> str:
    """`step 60`, or `steps 20, 40, 60, averaged` where that is what the last checkpoint means."""
    return f"steps {', '.join(map(str, averaged_steps))}, averaged" if len(averaged_steps) > 1 else f"step {step}"


def usual_checkpoint(run: RunFolder) -> str:
    """The one that verbs work with unless another is named: the best, before any validation the last."""
    return "best" if run.state.best_step is not None else "last"
