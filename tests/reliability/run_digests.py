"""Hashes of everything a run learnt, to compare it with another run."""

from __future__ import annotations

from pathlib import Path

from core.run_files.averaging import averaged_steps, mean_weights
from core.run_folder import RunFolder
from tests.reliability.small_runs import digest

ADDED_AT = 5  # the step at which a sentence is added to the probes
TIMING = ("time", "train/target_tokens_per_second")


def digests(run: Path) -> dict[str, str]:
    """A hash of each thing that a run learnt, without its times."""
    folder = RunFolder.open(run)
    last = folder.checkpoint(folder.checkpoint_step("last"))
    averaged = averaged_steps(folder.checkpoint_steps(), last.step, folder.config().training)
    steps, arrays = folder.metrics()
    parts: dict[str, object] = {
        "steps": steps,
        "validations": folder.validation_metrics(),
        "settings": folder.settings_changed(),
        "best": (folder.state.best_step, folder.state.best_value, folder.state.reason),
        "weights": last.model,
        "mean of checkpoints": mean_weights(map(folder.weights, averaged)),
        "state": {name: value for name, value in last.state.items() if name != "checksum"},
    }
    parts |= {f"curve {name}": array for name, array in arrays.items() if name not in TIMING}
    parts |= {f"optimizer {name}": array for name, array in last.optimizer.items()}  # and the random states
    parts |= {f"probe {step}": probed_sentences(folder, step) for step in folder.probe_steps()}
    parts |= {f"snapshot {step}": folder.read_snapshot(step) for step in folder.snapshot_steps()}
    parts |= {f"sentences {step}": folder.validated_sentences(step) for step in folder.validation_steps()}
    return {name: digest(part) for name, part in parts.items()}


def probed_sentences(folder: RunFolder, step: int) -> list[object]:
    """A probe's sentences. Up to `ADDED_AT` the added one is left out: it is probed whenever there is time."""
    sentences = folder.probe(step).sentences
    return [sentence for sentence in sentences if sentence.reference is not None or step > ADDED_AT]


def assert_same(resumed: dict[str, str], plain: dict[str, str]) -> None:
    """Require equal digests; a resumed run may only have additional probes, of the steps where it was stopped."""
    different = [name for name in plain if resumed.get(name) != plain[name]]
    assert different == [], different
    assert all(name.startswith("probe ") for name in resumed.keys() - plain.keys())
