"""The four ids that every vocabulary begins with."""

from typing import Final

PAD_ID: Final = 0
BOS_ID: Final = 1
EOS_ID: Final = 2
UNK_ID: Final = 3
SPECIAL_TOKENS: Final = ("<pad>", "<bos>", "<eos>", "<unk>")
