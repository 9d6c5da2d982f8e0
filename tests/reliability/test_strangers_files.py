"""Promise 6: opening a stranger's run executes nothing, takes no excessive memory and stays inside its folder."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.errors import UserError
from core.exporting.sharing import receive, share
from core.run_folder import RunFolder
from tests.reliability import hostile_archives
from tests.reliability.cases import Cases
from tests.reliability.hostile_runs import HOSTILE
from tests.reliability.small_runs import SENTENCE, WITH_SUBWORDS, train
from tests.test_architecture import ROOT, all_imports, parsed, sources

MOST_MB = 200  # that opening a hostile run may take beyond what the good one took
UNSAFE_MODULES = ("pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal")
UNSAFE_ATTRIBUTES = {
    "torch": {"load", "save"},
    "yaml": {
        *("load", "load_all", "full_load", "full_load_all", "unsafe_load", "unsafe_load_all"),
        *("Loader", "CLoader", "FullLoader", "CFullLoader", "UnsafeLoader", "CUnsafeLoader"),
    },
}


def unsafe_uses(path: Path) -> Iterator[str]:
    """Yield each use of what can run code from a file: pickle, torch.load, YAML that builds objects, eval."""
    place = path.relative_to(ROOT)
    for line, target in all_imports(path):
        if target.split(".")[0] in UNSAFE_MODULES:
            yield f"{place}:{line} imports {target}"
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.attr in UNSAFE_ATTRIBUTES.get(node.value.id, ()):
                yield f"{place}:{node.lineno} uses {node.value.id}.{node.attr}"
        elif isinstance(node, ast.ImportFrom):
            unsafe = UNSAFE_ATTRIBUTES.get(node.module or "", set()) & {alias.name for alias in node.names}
            yield from (f"{place}:{node.lineno} imports {node.module}.{name}" for name in unsafe)
        elif isinstance(node, ast.Name) and node.id in ("eval", "exec", "__import__"):
            yield f"{place}:{node.lineno} uses {node.id}"
        elif isinstance(node, ast.keyword) and node.arg == "allow_pickle" and ast.dump(node.value).count("True"):
            yield f"{place}:{node.value.lineno} allows pickles"


def test_no_source_file_runs_code_read_from_a_file() -> None:
    assert [use for path in sources() for use in unsafe_uses(path)] == []


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A good run of four steps."""
    return train(tmp_path_factory.mktemp("good") / "run", 4, WITH_SUBWORDS)


def opened(run: Path, hostile: list[Path]) -> list[dict[str, Any]]:
    """Open each run in a process under an audit hook; return its records."""
    command = [sys.executable, "-m", "tests.reliability.audited_opening_script", str(run), *map(str, hostile)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=200)
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.mark.skipif(sys.platform != "linux", reason="needs links, pipes and limits of Linux")
def test_a_hostile_run_is_refused_or_does_no_harm(run: Path, tmp_path: Path, cases: Cases) -> None:
    good = shutil.copytree(run, tmp_path / "good")
    (tmp_path / "victim").write_text("untouched", encoding="utf-8")
    shutil.copytree(run / "probes", tmp_path / "victims")
    hostile = [shutil.copytree(run, tmp_path / name) for name in HOSTILE]
    for path in hostile:
        HOSTILE[path.name][0](path)
    for record in opened(good, hostile):
        with cases.trying(record["run"]):
            assert_harmless(record, HOSTILE[record["run"]][1])
    assert cases.tried == len(HOSTILE)
    assert (tmp_path / "victim").read_text(encoding="utf-8") == "untouched"
    assert len(list((tmp_path / "victims").iterdir())) == len(list((run / "probes").iterdir()))
    assert not list(tmp_path.rglob("executed")) and not (ROOT / "executed").exists()


def assert_harmless(record: dict[str, Any], refusal: str | None) -> None:
    """Require the expected refusal, or that the run opens, and no side effects."""
    assert record["fault"] is None, record["fault"]
    assert record["seen"] == []
    assert record["took_mb"] < MOST_MB
    if refusal is None:
        assert record["loaded"] is None
    else:
        sentence = record["loaded"] or record["read"]
        assert sentence is not None and refusal in sentence and "\n" not in sentence, sentence


def test_python_files_in_a_run_folder_are_not_imported(run: Path, tmp_path: Path) -> None:
    trap = shutil.copytree(run, tmp_path / "trap")
    for place in (trap, trap / "plugins", trap / "core", trap / "checkpoints"):
        place.mkdir(exist_ok=True)
        for module in ("copy_task", "torch", "yaml", "json", "sitecustomize", "__init__", "conftest"):
            (place / f"{module}.py").write_text("open('executed', 'w').close()\n", encoding="utf-8")
    command = [sys.executable, str(ROOT / "main.py"), "translate", ".", SENTENCE]
    result = subprocess.run(command, cwd=trap, capture_output=True, text=True, timeout=200)
    assert result.returncode == 0, result.stderr
    assert not list(tmp_path.rglob("executed"))


@pytest.fixture(scope="module")
def shared(run: Path) -> Path:
    """The good run as a shared file."""
    path = run.with_name("good.headlight")
    share(RunFolder.open(run), path)
    return path


def test_a_hostile_shared_run_is_refused_and_leaves_nothing(shared: Path, tmp_path: Path, cases: Cases) -> None:
    runs_dir, files = tmp_path / "place" / "runs", hostile_archives.files_of(shared)
    for name, (alteration, expected) in hostile_archives.HOSTILE.items():
        path = tmp_path / f"{name}.headlight"
        path.write_bytes(alteration(files))
        with cases.trying(name):
            with pytest.raises(UserError) as exc_info:
                receive(path, runs_dir)
            assert expected in exc_info.value.sentence and name in exc_info.value.sentence, exc_info.value.sentence
            assert list(runs_dir.iterdir()) == []
    assert cases.tried == len(hostile_archives.HOSTILE)
    assert [path.name for path in (tmp_path / "place").iterdir()] == ["runs"]
    assert not list(tmp_path.rglob("*outside*")) and not Path("/tmp/outside.json").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="needs named pipes")
def test_a_pipe_is_not_accepted_as_a_shared_run(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is not a file"):
        receive(hostile_archives.pipe(tmp_path / "pipe.headlight"), tmp_path / "runs")


def test_a_received_run_is_marked_shared_whatever_its_run_json_says(shared: Path, tmp_path: Path) -> None:
    """Otherwise its missing checkpoints and its plugin would be requested."""
    files = hostile_archives.files_of(shared)
    record = {name: value for name, value in json.loads(files["run.json"]).items() if name != "checksum"}
    path = tmp_path / "mine.headlight"
    altered = json.dumps(record | {"is_shared": False, "pid": 1, "host": "elsewhere"}).encode()
    path.write_bytes(hostile_archives.packed(files | {"run.json": altered}))
    received = RunFolder.open(receive(path, tmp_path / "runs"))
    assert received.state.is_shared and received.state.writer() is None
