"""Encoding the texts of both sides as ids."""

from hypothesis import given
from hypothesis import strategies as st

from core.data.encoding import TextEncoder, encode_pairs
from core.data.special_tokens import BOS_ID, EOS_ID, UNK_ID
from core.data.tokenizers import make_tokenizer
from core.data.vocabulary import Vocabulary
from core.plugin import Pair

WORDS = st.lists(st.sampled_from(["a", "bb", "new", "<pad>"]), max_size=6).map(" ".join)


@given(st.lists(st.builds(Pair, WORDS, st.text("xyz", max_size=6)), min_size=1, max_size=6))
def test_tokens_become_ids_between_bos_and_eos(pairs: list[Pair]) -> None:
    src = TextEncoder(make_tokenizer("whitespace"), Vocabulary(["a", "bb"]))
    tgt = TextEncoder(make_tokenizer("characters"), Vocabulary(["y", "x"]))
    arrays = encode_pairs([pair.source for pair in pairs], [pair.target for pair in pairs], src, tgt)
    for index, pair in enumerate(pairs):
        src_ids = [{"a": 4, "bb": 5}.get(token, UNK_ID) for token in pair.source.split()]
        tgt_ids = [{"y": 4, "x": 5}.get(token, UNK_ID) for token in pair.target]
        assert arrays.src[index].tolist() == [*src_ids, EOS_ID]
        assert arrays.tgt[index].tolist() == [BOS_ID, *tgt_ids, EOS_ID]
