"""What a run writes between two checkpoints is on disk before the next one is."""

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
    """The names of files and folders as they are made durable."""
    names: list[str] = []
    fsync = os.fsync

    def noting(descriptor: int) -> None:
        names.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", noting)
    return names


needs_proc = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="only Linux tells which file is synced")


@needs_proc
def test_a_checkpoint_makes_all_before_it_durable_first(tmp_path: Path, synced: list[str]) -> None:
    folder = run_folder(tmp_path)
    synced.clear()
    folder.append_metrics(1, steps(2))
    folder.write_probe(probe(1))
    folder.write_probe(probe(2))
    folder.write_snapshot(2, weights(2))
    folder.write_validation(validation(2))
    assert synced == []
    folder.save_checkpoint(2, weights(2), {}, {"step": 2})
    before_the_checkpoint = synced[: synced.index("model.safetensors.tmp")]
    assert set(before_the_checkpoint) == {
        *("metrics.jsonl", "000001.safetensors", "000002.safetensors", "000002.jsonl"),
        *("probes", "snapshots", "validations", folder.path.name),
    }
    synced.clear()
    folder.save_checkpoint(3, weights(3), {}, {"step": 3})
    assert not {"metrics.jsonl", "000001.safetensors"} & set(synced)


@needs_proc
def test_a_probe_that_takes_the_place_of_another_is_durable_at_once(tmp_path: Path, synced: list[str]) -> None:
    folder = run_folder(tmp_path)
    folder.write_probe(probe(1))
    folder.save_checkpoint(2, weights(2), {}, {"step": 2})
    synced.clear()
    folder.write_probe(probe(1))
    assert synced == ["000001.safetensors.tmp", "probes"]


@needs_proc
def test_who_lets_go_of_a_run_leaves_nothing_that_a_power_cut_could_take(tmp_path: Path, synced: list[str]) -> None:
    folder = run_folder(tmp_path)
    folder.append_metrics(1, steps(2))
    synced.clear()
    folder.release("failed", "diverged")
    assert synced.index("metrics.jsonl") < synced.index("run.json.tmp")


def test_a_file_is_there_at_once_and_may_go_before_it_is_synced(tmp_path: Path) -> None:
    unsynced = UnsyncedFiles()
    for data in (b"old", b"new"):
        unsynced.write(tmp_path / "kept", data)
        unsynced.write(tmp_path / "thinned", data)
        assert (tmp_path / "kept").read_bytes() == data
    (tmp_path / "thinned").unlink()
    unsynced.sync()
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


@pytest.mark.skipif(os.name == "nt", reason="no folder is synced there")
def test_a_file_system_that_syncs_no_folder_will_do_and_a_disk_that_fails_will_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync, refusal = os.fsync, errno.EINVAL

    def refusing_folders(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(refusal, os.strerror(refusal))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", refusing_folders)
    folder = run_folder(tmp_path)
    folder.write_snapshot(2, weights(2))
    folder.save_checkpoint(2, weights(2), {}, {"step": 2})
    assert RunFolder.open(folder.path).checkpoint(2).step == 2
    refusal = errno.EIO
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        folder.save_checkpoint(3, weights(3), {}, {"step": 3})
