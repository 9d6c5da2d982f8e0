"""Opens the runs named on the command line while a run of its own is loaded, and prints a JSON line for each."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from core.engine import Engine
from core.errors import UserError
from core.events import Trouble
from core.history import History
from core.machine.torch_import import stub_out_tracing
from core.requests import OpenRun
from core.run_folder import RunFolder
from tests.core.watcher import Watcher, answered, begun

stub_out_tracing()
folder, runs = Path(sys.argv[1]), map(Path, sys.argv[2:])
watcher = Watcher()
with Engine([watcher], cache_dir=folder / "cache") as engine:
    for run in runs:
        begun(engine, folder)
        watcher.events.clear()
        message = ""
        try:
            answered(engine, OpenRun(run=run))
            History.read(RunFolder.open(run))  # as the window does
        except UserError as error:
            message = str(error)
        sentences = [f"{trouble.sentence} {trouble.advice}" for trouble in watcher.all(Trouble)]
        print(json.dumps({"run": run.name, "texts": [*sentences, *filter(None, [message])], "refused": bool(message)}))
