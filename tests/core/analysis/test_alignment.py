"""Scoring heads by the gold alignment: which head found it, and since which step."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.analysis.alignment import FOUND_SCORE, AlignmentScores, Scores, alignment_scores
from core.history import History
from core.probes import Probe, ProbedSentence
from core.run_folder import RunFolder
from core.runs.followed_run import read_followed_run
from core.runs.marks import collect_marks
from tests.gui.builders import GOLD, aligned_sentence, diverged, sentence
from tests.record_calls import record_calls

FINISHED = Path(__file__).parents[3] / "resources" / "finished_run"


def probe(step: int, *sentences: ProbedSentence) -> Probe:
    return Probe(step=step, sentences=sentences)


def scores_at(known: AlignmentScores, step: int) -> list[list[float]]:
    """The scores at a step by layer and head."""
    scores = known.at(step)
    assert scores is not None
    return scores.tolist()


@pytest.mark.parametrize(
    ("reads", "score"),
    [
        ((1, 0, 0), 1.0),  # the third target token, <eos>, is not aligned and does not count
        ((1, 1, 2), 1.0),  # either of two gold words is right
        ((0, 1, 2), 0.5),
        ((2, 2, 2), 0.0),
    ],
)
def test_a_score_is_the_share_of_aligned_tokens_with_the_right_source(
    reads: tuple[int, int, int], score: float
) -> None:
    scores = alignment_scores(probe(0, aligned_sentence(reads), sentence()))
    assert scores is not None and scores.shape == (2, 4)
    assert scores[1, 2] == score and scores.sum() == score


def test_every_aligned_token_of_all_sentences_counts_the_same() -> None:
    short = replace(aligned_sentence((2, 2, 2)), alignment=((0, 0),))
    scores = alignment_scores(probe(0, aligned_sentence(), short))
    assert scores is not None and scores[1, 2] == pytest.approx(2 / 3)


def test_a_diverged_head_reads_no_source() -> None:
    scores = alignment_scores(probe(0, diverged(aligned_sentence())))
    assert scores is not None and not scores.any()


def test_without_alignments_there_is_no_score() -> None:
    typed = replace(sentence(has_reference=False), alignment=GOLD)
    assert alignment_scores(probe(0, sentence(), typed)) is None
    assert not AlignmentScores().add(probe(0, sentence()))


def test_a_head_has_found_the_alignment_since_its_score_stayed_high() -> None:
    known, good, bad = AlignmentScores(), aligned_sentence(), aligned_sentence((0, 0, 0))
    for step, shown in ((0, bad), (10, good), (20, bad), (30, good), (40, good)):
        assert known.add(probe(step, shown))
    assert known.best(-1) is None
    best = known.best(45)
    assert best is not None
    assert (best.layer, best.head, best.score, best.since) == (1, 2, 1.0, 30)
    before, early = known.best(29), known.best(12)
    assert before is not None and before.since is None and before.score < FOUND_SCORE
    assert early is not None and early.since == 10
    known.truncate_after(30)
    assert known.has_step(30) and not known.has_step(40)


def test_the_first_find_of_each_head_is_kept_if_its_score_falls_later() -> None:
    known, good, bad = AlignmentScores(), aligned_sentence(), aligned_sentence((0, 0, 0))
    assert known.at(50) is None and known.first_finds(50) == []
    for step, shown in ((0, bad), (10, good), (20, bad), (30, overtaken())):
        known.add(probe(step, shown))
    assert scores_at(known, 15)[1][2] == 1.0 and scores_at(known, 25)[1][2] == 0.5
    assert known.first_finds(5) == []
    assert known.first_finds(25) == [(10, 1, 2)]
    assert known.first_finds(30) == [(10, 1, 2), (30, 0, 1)]
    known.truncate_after(20)
    assert known.first_finds(50) == [(10, 1, 2)]
    known.add(probe(5, good))  # an earlier step whose aligned sentences were added later
    assert known.first_finds(50) == [(5, 1, 2)]
    known.add(probe(5, bad))  # the step was probed again, with another sentence
    assert known.first_finds(50) == [(10, 1, 2)]


def test_only_probes_with_as_many_heads_as_the_newest_are_scored(tmp_path: Path) -> None:
    """A run that was continued with half the heads has such probes."""
    run = tmp_path / "run"
    shutil.copytree(FINISHED, run)
    folder = RunFolder.open(run)
    steps = folder.probe_steps()
    before, since = steps[-3], steps[-2]
    for step in steps[-2:]:
        folder.write_probe(with_two_heads(folder.probe(step)))
    history = opened(run)
    assert len(history.probes.alignment.first_finds(before)) == 4
    for step, num_heads in ((before, 4), (since, 2), (steps[-1], 2)):
        scores, best = history.probes.alignment.at(step), history.probes.alignment.best(step)
        assert scores is not None and scores.shape[1] == num_heads
        assert best is not None and best.head < num_heads
    best = history.probes.alignment.best(history.last_step)
    assert best is not None and best.since == since
    assert {mark.step for mark in collect_marks(history) if mark.kind == "aligned"} == {since}


def opened(run: Path) -> History:
    """The history of a run after analysing all of it."""
    history = read_followed_run(RunFolder.open(run))
    for _ in history.analyse():
        pass
    return history


def with_two_heads(probe: Probe) -> Probe:
    """The probe with only the first two heads of each layer."""
    return replace(probe, sentences=tuple(map(_with_two_heads, probe.sentences)))


def _with_two_heads(sentence: ProbedSentence) -> ProbedSentence:
    feed = sentence.by_reference
    assert feed is not None
    return replace(sentence, by_reference=replace(feed, cross=feed.cross[:, :2], decoder_self=feed.decoder_self[:, :2]))


def overtaken() -> ProbedSentence:
    """A sentence on which only layer 1 head 2 reads the aligned words."""
    made = aligned_sentence((2, 2, 2))
    assert made.by_reference is not None
    cross = made.by_reference.cross.copy()
    cross[0, 1] = np.eye(3)[[1, 0, 2]]
    return replace(made, by_reference=replace(made.by_reference, cross=cross))


def test_the_example_run_is_scored_when_it_is_analysed() -> None:
    history = opened(FINISHED)
    assert all(map(history.probes.alignment.has_step, history.probes.steps))
    best = history.probes.alignment.best(history.last_step)
    assert best is not None and best.since is not None and best.score >= FOUND_SCORE


def test_a_damaged_probe_affects_neither_the_run_nor_other_scores(tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(FINISHED, run)
    damaged, *others = RunFolder.open(run).probe_steps()
    (run / "probes" / f"{damaged:06}.safetensors").write_bytes(b"none")
    history = opened(run)
    assert not history.probes.alignment.has_step(damaged) and all(map(history.probes.alignment.has_step, others))
    assert history.checkpoint_steps == RunFolder.open(run).checkpoint_steps()


@pytest.mark.parametrize(("links", "kept"), [(((50, 0), (0, 50)), ()), (((0, 0), (50, 0), (0, -50)), ((0, 0),))])
def test_a_run_with_alignments_beyond_its_sentences_can_be_opened(
    tmp_path: Path, links: tuple[tuple[int, int], ...], kept: tuple[tuple[int, int], ...]
) -> None:
    """As in a run of an earlier version, trained with another tokenizer than its plugin's."""
    run = tmp_path / "run"
    shutil.copytree(FINISHED, run)
    folder = RunFolder.open(run)
    for step in folder.probe_steps():
        stored = folder.probe(step)
        sentences = tuple(replace(one, alignment=links) for one in stored.sentences)
        folder.write_probe(replace(stored, sentences=sentences))
    history = opened(run)
    assert (history.probes.alignment.best(history.last_step) is not None) == bool(kept)
    shown = history.probes.at(history.last_step)
    assert shown is not None and {one.alignment for one in shown.sentences} == {kept}


def test_opening_a_run_reads_no_probe_and_analysing_it_each_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read, listed = (record_calls(monkeypatch, RunFolder, name) for name in ("probe", "probe_steps"))
    history = read_followed_run(RunFolder.open(FINISHED))
    assert (read, len(listed)) == ([], 1)
    for _ in history.analyse():
        pass
    assert [step for _, step in read] == history.probes.steps and len(listed) == 1


def test_during_the_analysis_only_certain_finds_are_reported() -> None:
    opened_run, history = opened(FINISHED), read_followed_run(RunFolder.open(FINISHED))
    last = history.last_step
    finds, best = opened_run.probes.alignment.first_finds(last), opened_run.probes.alignment.best(last)
    assert finds and best is not None and best.since is not None and best.since < last
    history.probes.at(last)  # drawn before any analysis
    drawn = history.probes.alignment.best(last)
    assert drawn == replace(best, since=None)
    assert scores_at(history.probes.alignment, last) == scores_at(opened_run.probes.alignment, last)
    assert history.probes.alignment.first_finds(last) == []
    finds_so_far = []
    for _ in history.analyse():
        finds_so_far.append(history.probes.alignment.first_finds(last))
        assert finds_so_far[-1] == finds[: len(finds_so_far[-1])]
    assert {len(one) for one in finds_so_far} == {0, 2, 4} and finds_so_far[-1] == finds
    assert history.probes.alignment.best(last) == best


def test_the_first_step_of_a_find_is_known_once_the_last_missing_probe_is_drawn() -> None:
    opened_run, history = opened(FINISHED), read_followed_run(RunFolder.open(FINISHED))
    for _ in history.analyse():
        if len(history.probes.alignment.unread) == 1:
            break
    history.probes.at(history.last_step)
    assert history.probes.alignment.unread
    assert history.probes.alignment.best(history.last_step) == opened_run.probes.alignment.best(history.last_step)


def test_removed_steps_are_not_analysed(tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(FINISHED, run)
    history = read_followed_run(RunFolder.open(run))
    steps = history.probes.steps
    history.probes.alignment.truncate_after(steps[3])
    for _ in history.analyse():
        pass
    assert not history.probes.alignment.unread and not history.probes.alignment.has_step(steps[4])


def test_first_finds_are_updated_without_reading_all_scores_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read_steps = list[int]()

    class Counted(dict[int, Scores]):
        def __getitem__(self, step: int) -> Scores:
            read_steps.append(step)
            return super().__getitem__(step)

    known, reads = AlignmentScores(), {True: (1, 0, 2), False: (2, 2, 2)}
    for step in range(300):
        known.add(probe(step, aligned_sentence(reads[step > 200])))
    (first, *_) = known.first_finds(300)
    monkeypatch.setattr(known, "_scores", Counted(known._scores))
    for step in range(300, 310):
        known.add(probe(step, aligned_sentence(reads[False])))
        assert known.first_finds(step)[0] == first and first.step == 201
    assert len(read_steps) <= 10
    assert known.first_finds(200) == []
