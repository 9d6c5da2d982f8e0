"""Files written between two checkpoints are synced to disk before the next checkpoint."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from core.run_files.unsynced_files import UnsyncedFiles
from core.run_folder import RunFolder
from tests.core.examples import probe, run_folder, steps, validation, weights


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of files and folders in the order they are synced."""
    names: list[str] = []
    fsync = os.fsync

    def noting(descriptor: int) -> None:
        names.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", noting)
    return names


needs_proc = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="only Linux shows which file is synced")


@needs_proc
def test_a_checkpoint_syncs_all_earlier_files_first(tmp_path: Path, synced: list[str]) -> None:
    folder = run_folder(tmp_path)
    synced.clear()
    folder.append_metrics(1, steps(2))
    folder.write_probe(probe(1))
    folder.write_probe(probe(2))
    folder.write_snapshot(2, weights(2))
    folder.write_validation(validation(2))
    assert synced == []
    folder.save_checkpoint(2, weights(2), {}, {"step": 2})
    before_checkpoint = synced[: synced.index("model.safetensors.tmp")]
    assert set(before_checkpoint) == {
        *("metrics.jsonl", "000001.safetensors", "000002.safetensors", "000002.jsonl"),
        *("probes", "snapshots", "validations", folder.path.name),
    }
    synced.clear()
    folder.save_checkpoint(3, weights(3), {}, {"step": 3})
    assert not {"metrics.jsonl", "000001.safetensors"} & set(synced)


@needs_proc
def test_a_probe_that_replaces_another_is_synced_at_once(tmp_path: Path, synced: list[str]) -> None:
    folder = run_folder(tmp_path)
    folder.write_probe(probe(1))
    folder.save_checkpoint(2, weights(2), {}, {"step": 2})
    synced.clear()
    folder.write_probe(probe(1))
    assert synced == ["000001.safetensors.tmp", "probes"]


@needs_proc
def test_releasing_a_run_syncs_its_files_before_run_json(tmp_path: Path, synced: list[str]) -> None:
    folder = run_folder(tmp_path)
    folder.append_metrics(1, steps(2))
    synced.clear()
    folder.release("failed", "diverged")
    assert synced.index("metrics.jsonl") < synced.index("run.json.tmp")


def test_a_file_exists_at_once_and_may_be_deleted_before_it_is_synced(tmp_path: Path) -> None:
    unsynced = UnsyncedFiles()
    for data in (b"old", b"new"):
        unsynced.write(tmp_path / "kept", data)
        unsynced.write(tmp_path / "thinned", data)
        assert (tmp_path / "kept").read_bytes() == data
    (tmp_path / "thinned").unlink()
    unsynced.sync()
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot sync folders")
def test_a_file_system_that_cannot_sync_folders_is_accepted_and_a_failing_disk_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync, error_number = os.fsync, errno.EINVAL

    def refusing_folders(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(error_number, os.strerror(error_number))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", refusing_folders)
    folder = run_folder(tmp_path)
    folder.write_snapshot(2, weights(2))
    folder.save_checkpoint(2, weights(2), {}, {"step": 2})
    assert RunFolder.open(folder.path).checkpoint(2).step == 2
    error_number = errno.EIO
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        folder.save_checkpoint(3, weights(3), {}, {"step": 3})
