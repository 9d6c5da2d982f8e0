"""`train --seeds` says of which sentences its means are."""

from __future__ import annotations

from pathlib import Path

from core.config import config_to_yaml
from tests.core.watcher import tiny_config
from tests.in_process import called


def heading(place: Path, *options: str) -> list[str]:
    """The lines between the last run's and the table of means."""
    (place / "tiny.yaml").write_text(config_to_yaml(tiny_config(max_steps=2)), encoding="utf-8")
    result = called("train", "tiny.yaml", "--seeds", "0,1", "--runs-dir", "runs", *options, cwd=place)
    assert result.returncode == 0, result.stderr
    return [line for line in result.stdout.rpartition("\n\n")[2].splitlines() if "±" not in line or "group" in line]


def test_means_of_some_sentences_say_so(tmp_path: Path) -> None:
    group, decoded = heading(tmp_path)
    assert group.endswith("mean of 2 runs ± standard deviation, at the last step of each")
    assert decoded == (
        "decoded were the first 256 of 1,000 validation sentences (for valid/bleu and the like, not valid/loss); "
        "`evaluate` decodes all"
    )


def test_means_of_all_sentences_need_no_word(tmp_path: Path) -> None:
    for split, count in (("train", 20), ("valid", 3)):
        (tmp_path / f"{split}.tsv").write_text("a b\tb a\n" * count, encoding="utf-8")
    options = f"{{folder: {tmp_path}, train_source: train.tsv, valid_source: valid.tsv}}"
    assert len(heading(tmp_path, "--set", f"dataset={{plugin: parallel_text, options: {options}}}")) == 1
