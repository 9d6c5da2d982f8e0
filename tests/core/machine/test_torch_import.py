"""Importing torch without its tracing modules, in separate processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.machine.torch_import import TRACING_MODULE

ROOT = Path(__file__).parents[3]
LEFT_OUT_MODULE = "torch._refs"  # by far the largest module of those left out

COMPUTE_GRADIENT = """
import sys
from main import main
sys.argv = ["headlight", "runs", "list"]
if {is_ours}:
    main()
import torch
weights = torch.ones(3, 3, requires_grad=True)
torch.nn.functional.cross_entropy(torch.ones(2, 3) @ weights, torch.tensor([0, 2])).backward()
print(weights.grad.abs().sum().item() > 0, {saved!r} in sys.modules, len(vars(sys.modules[{tracing!r}])) > 20)
"""

TRAIN_WITH_LITTLE_MEMORY = """
import resource, sys
import core.cli.train
from main import main
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 300_000_000,) * 2)  # enough for threads, but not for torch
sys.argv = ["headlight", "train", "copy_task"]
sys.exit(main())
"""


@pytest.mark.parametrize(("is_ours", "is_whole"), [(True, False), (False, True)])
def test_only_the_command_leaves_out_tracing_not_programs_that_import_core(is_ours: bool, is_whole: bool) -> None:
    """If this fails because torch no longer loads that module, the stub and this file can be deleted."""
    code = COMPUTE_GRADIENT.format(is_ours=is_ours, saved=LEFT_OUT_MODULE, tracing=TRACING_MODULE)
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    assert result.stdout.splitlines()[-1] == f"True {is_whole} {is_whole}"


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux reports the memory in use")
def test_too_little_memory_to_load_torch_is_reported(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "HEADLIGHT_RUNS_DIR": str(tmp_path)}
    command = [sys.executable, "-c", TRAIN_WITH_LITTLE_MEMORY]
    result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert result.returncode == 2 and result.stdout == ""
    assert result.stderr.startswith("headlight: There is not enough memory to load a library. Close other programs,")
    assert len(result.stderr.splitlines()) == 1 and not [*tmp_path.iterdir()]
