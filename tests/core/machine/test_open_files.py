"""Running out of file descriptors is reported as such, not as an unreadable or unwritable path."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from core.data.cache import building_folder
from core.errors import UserError
from core.run_folder import RunFolder
from tests.core.examples import run_folder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")

MESSAGE = "The system lets Headlight open no more files: allow it more (`ulimit -n 1024` in a terminal, "


@contextmanager
def no_more_open_files() -> Iterator[None]:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def build_data(run: Path) -> None:
    with building_folder(run.parent):
        pass


def begin_another(run: Path) -> None:
    RunFolder.create(run.parent, "another")


@pytest.mark.parametrize("action", [build_data, RunFolder.open, begin_another])
def test_it_is_reported_wherever_it_occurs(tmp_path: Path, action: Callable[[Path], object]) -> None:
    run = run_folder(tmp_path).path
    with pytest.raises(UserError) as exc_info, no_more_open_files():
        action(run)
    assert str(exc_info.value).startswith(MESSAGE)


def test_training_with_too_few_file_descriptors_says_so(
    tmp_path: Path, headlight: Callable[..., CompletedProcess[str]]
) -> None:
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    result = headlight("train", "copy_task", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (26, hard)))
    assert result.returncode == 2 and result.stderr.splitlines()[-1].startswith(f"headlight: {MESSAGE}")
