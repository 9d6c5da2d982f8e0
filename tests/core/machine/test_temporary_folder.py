"""A lack of any folder for temporary files is reported as such, not as a bug or as a fault of the run's folder."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from core.engine import Engine
from core.errors import UserError
from core.events import Trouble
from core.plugins_host.discovery import built_in_plugins_dir
from core.requests import CheckPlugin
from tests.core.watcher import SECONDS, Watcher, begun
from tests.full_disk import no_file_beyond

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX resource limits")

ROOT = Path(__file__).parents[3]
TOLD = "There is no folder for temporary files: none of "
WINDOW = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
from main import main
sys.argv = ["headlight"]
sys.exit(main())
"""


@pytest.mark.usefixtures("engines_share_a_host")
def test_the_engine_does_not_blame_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watcher, plugin = Watcher(), tmp_path / "copy_subwords.py"  # only subwords are learned in a temporary folder
    code = (built_in_plugins_dir() / "copy_task.py").read_text(encoding="utf-8")
    plugin.write_text(code.replace('tokenizer = "whitespace"', 'tokenizer = "subword"'), encoding="utf-8")
    with Engine([watcher], cache_dir=tmp_path / "cache") as engine:
        begun(engine, tmp_path)
        monkeypatch.setattr(tempfile, "tempdir", None)  # to be looked for again
        with no_file_beyond(0), pytest.raises(UserError) as refused:
            engine.ask(CheckPlugin(plugin=str(plugin), with_learning=False)).result(SECONDS)
    assert str(refused.value).startswith(TOLD) and watcher.all(Trouble) == []


def test_a_window_that_cannot_keep_its_log_anywhere_says_so(tmp_path: Path) -> None:
    elsewhere = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    environment = elsewhere | {"HOME": os.devnull, "PYTHONPATH": str(ROOT), "HEADLIGHT_RUNS_DIR": str(tmp_path)}
    command = [sys.executable, "-c", WINDOW]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=200)
    assert (done.returncode, done.stdout) == (2, "") and done.stderr.startswith(f"headlight: {TOLD}"), done.stderr
