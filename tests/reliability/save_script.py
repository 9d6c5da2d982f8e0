"""Saves the next checkpoint of the run named on the command line, as training does; a test kills it on the way."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from core.events import ValidationDone
from core.run_folder import RunFolder

folder = RunFolder.open(Path(sys.argv[1]))
folder.claim()
last, step = folder.checkpoint(4), 6
names = folder.metrics()[1]
training = folder.config().training
folder.use_settings(training.model_copy(update={"keep_checkpoints": 1}))  # so that older checkpoints are removed, too
folder.append_metrics(5, {name: np.ones(2) for name in names})
folder.write_probe(replace(folder.probe(4), step=step))
folder.write_snapshot(step, dict(last.model))
sentences = folder.validated_sentences(4)
folder.write_validation(
    ValidationDone(step=step, metrics=folder.validation_metrics()[4], sentences=sentences, is_best=True)
)
state = {name: value for name, value in last.state.items() if name != "checksum"}
folder.save_checkpoint(step, last.model, last.optimizer, state, best_value=0.5)
folder.save_checkpoint(step, last.model, last.optimizer, state)  # replaces itself, as at the end of a run
