"""The texts of pairs on disk."""

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from core.data.pair_texts import PairTexts, pair_writer, read_pairs
from core.plugin import Pair
from core.plugins_host.pair_lines import lines_of

TEXTS = st.text() | st.sampled_from(["", "\n", "a\u2028b\u0085c", "äß \U0001f600", '"\\'])
ALIGNMENTS = st.none() | st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=3)
PAIRS = st.lists(st.builds(Pair, TEXTS, TEXTS, ALIGNMENTS), min_size=1, max_size=5)


def written(pairs: list[Pair], stem: Path) -> PairTexts:
    with pair_writer(stem) as add:
        add(lines_of(pairs[:2]))
        add(lines_of(pairs[2:]))
    return PairTexts(stem)


@given(PAIRS)
def test_every_pair_is_read_back_as_written(pairs: list[Pair]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        texts = written(pairs, Path(folder, "train"))
        assert [texts[index] for index in range(len(pairs))] == pairs
        assert list(read_pairs(Path(folder, "train"))) == pairs


def test_pairs_can_be_read_after_their_file_is_deleted(tmp_path: Path) -> None:
    pairs = [Pair("a", "b"), Pair("c", "d", [(0, 0)])]
    texts = written(pairs, tmp_path / "train")
    for path in tmp_path.iterdir():
        path.unlink()
    assert texts[1] == pairs[1]
