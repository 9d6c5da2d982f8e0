"""The pairs of one split: ids and texts still correspond after long pairs are left out."""

import pytest

from core.data.split_pairs import SplitPairs
from tests.core.data.conftest import Prepare, folder_of


@pytest.mark.parametrize(("max_src_length", "max_tgt_length"), [(4, float("inf")), (float("inf"), 3), (5, 5)])
def test_ids_and_texts_correspond_after_long_pairs_are_left_out(
    prepare: Prepare, max_src_length: float, max_tgt_length: float
) -> None:
    data = prepare()
    full = SplitPairs.map(folder_of(data), "train")
    short = full.no_longer_than(max_src_length, max_tgt_length)
    assert 0 < len(short) < len(full)
    for index in range(len(short)):
        pair = short.pair(index)
        assert short.arrays.src[index].tolist() == data.encode_source(pair.source)[0]
        assert short.arrays.tgt[index].tolist() == [1, *data.tgt_vocabulary.ids(pair.target.split()), 2]
        assert len(short.arrays.src[index]) <= max_src_length
        assert len(pair.target.split()) + 1 <= max_tgt_length
    longer = [pair for pair in map(full.pair, range(len(full))) if not fits(pair, max_src_length, max_tgt_length)]
    assert len(short) + len(longer) == len(full)


def fits(pair: tuple[object, ...], max_src_length: float, max_tgt_length: float) -> bool:
    source, target = str(pair[0]).split(), str(pair[1]).split()
    return len(source) < max_src_length and len(target) < max_tgt_length
