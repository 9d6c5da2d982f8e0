"""`train --seeds`: parses the seeds, groups their runs, and prints the mean and deviation of their metrics."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence

from core.cli.output import print_json, print_means
from core.comparison.spread import spread
from core.config import NUM_SEEDS
from core.errors import UserError
from core.events import Prepared, RunFinished
from core.validation_size import ValidationSize


def parse_seeds(text: str) -> list[int]:
    """Parse `0,1,2`. Raises UserError unless there are two or more different seeds."""
    words = [word.strip() for word in text.split(",")]
    seeds = [int(word) for word in words if word.isascii() and word.isdigit() and len(word) <= len(str(NUM_SEEDS))]
    if len(seeds) != len(words) or len(set(seeds)) != len(seeds) or len(seeds) < 2 or max(seeds) >= NUM_SEEDS:
        raise UserError(
            f"--seeds {text}: expected two or more different whole numbers less than {NUM_SEEDS:,}, such as 0,1,2.",
            f"One run has no deviation: train it with --set seed={seeds[0]}." if len(words) == len(seeds) == 1 else "",
        )
    return seeds


def new_group_name(name: str) -> str:
    """A unique name for the runs of this `train --seeds`, even if another one begins in the same second."""
    return f"{time.strftime('%Y-%m-%d_%H-%M-%S')}_{name}_{secrets.token_hex(4)}"


def require_same_data(first: Prepared, prepared: Prepared) -> None:
    """Raise UserError if a run has other data than the first of its group, as their mean would be meaningless."""
    if prepared.fingerprint != first.fingerprint:
        raise UserError(
            f"The dataset {prepared.config.dataset.plugin!r} gives other pairs now than to seed {first.config.seed}: "
            f"trained with these, seed {prepared.config.seed} would have no common mean with what was trained before, "
            "which is saved.",
            "Undo what was changed in its files or code.",
        )


def print_spread(group: str, runs: Sequence[RunFinished], validated: ValidationSize, *, json: bool) -> None:
    """Print mean and sample standard deviation of every metric that all runs have, as of the end of each run.

    Includes the number of sentences behind the free-running metrics; without --json, only if these were not all.
    """
    mean, deviation = spread([run.metrics for run in runs])
    if json:
        folders = [run.run for run in runs]
        record = {"event": "seeds_finished", "group": group, "runs": folders}
        print_json(record | validated.as_fields() | {"mean": mean, "standard_deviation": deviation})
        return
    print(f"\ngroup {group}: mean of {len(runs)} runs ± standard deviation, at the last step of each")
    if validated.is_partial:
        print(
            f"decoded were the first {validated.decoded:,} of {validated.sentences:,} validation sentences "
            "(for valid/bleu and the like, not valid/loss); `evaluate` of these runs gives the mean over all"
        )
    print_means(mean, deviation)
